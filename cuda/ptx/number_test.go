package ptx

import "testing"

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"0", "i:0x0"},
		{"10", "i:0xa"},
		{"-1", "i:0xffffffffffffffff"},
		{"- 1", "i:0xffffffffffffffff"},
		{"+1", "i:0x1"},
		{"0x10", "i:0x10"},
		{"0XfF", "i:0xff"},
		{"0xffffffffffffffff", "i:0xffffffffffffffffu"},
		{"-0x8000000000000000", "i:0x8000000000000000"},
		{"18446744073709551615", "i:0xffffffffffffffffu"},
		{"9223372036854775807", "i:0x7fffffffffffffff"},
		{"017", "i:0xf"},
		{"0b101", "i:0x5"},
		{"7U", "i:0x7u"},
		{"0x7U", "i:0x7u"},
		{"00", "i:0x0"},
		{"0f3F800000", "f:0x3f800000"},
		{"0F3f800000", "f:0x3f800000"},
		{"-0f3F800000", "f:0xbf800000"},
		{"0d3FF0000000000000", "d:0x3ff0000000000000"},
		{"0D3FF0000000000000", "d:0x3ff0000000000000"},
		{"1.5", "d:0x3ff8000000000000"},
		{"1.", "d:0x3ff0000000000000"},
		{"1e2", "d:0x4059000000000000"},
		{"1.5e-2", "d:0x3f8eb851eb851eb8"},
		{"1.5E+2", "d:0x4062c00000000000"},
		{"-1.5", "d:0xbff8000000000000"},

		{"1+2*3", "i:0x7"},
		{"(1 + 2) * 3", "i:0x9"},
		{"10 - 3 - 2", "i:0x5"},
		{"7 / 2 % 2", "i:0x1"},
		{"-7 / 2", "i:0xfffffffffffffffd"},
		{"-7U / 2", "i:0x7ffffffffffffffcu"},
		{"1 << 4 | 1", "i:0x11"},
		{"-16 >> 2", "i:0xfffffffffffffffc"},
		{"1 << 64", "i:0x0"},
		{"0xF0 & 0x3C ^ 1", "i:0x31"},
		{"!0 + ~0", "i:0x0"},
		{"1 < 2 == 1", "i:0x1"},
		{"-1 < 1", "i:0x1"},
		{"-1 < 1U", "i:0x0"},
		{"2 >= 2 && 2 <= 1 || 2 != 3", "i:0x1"},
		{"1 > 2 ? 3 : 4", "i:0x4"},
		{"1 ? 3 : 0 ? 4 : 5", "i:0x3"},
		{"(.u64)-1 > 0", "i:0x1"},
		{"(.s64)0xffffffffffffffff", "i:0xffffffffffffffff"},
		{"WARP_SZ * 2", "i:0x40"},
		{"1.5 * 2", "d:0x4008000000000000"},
		{"1.5 > 1", "i:0x1"},
		{"0f40000000 / 4", "d:0x3fe0000000000000"},
		{"1.5 + 1 - 0.5", "d:0x4000000000000000"},
		{"1.5 + 0xffffffffffffffff", "d:0x43f0000000000000"},
		{"1.5 + -1", "d:0x3fe0000000000000"},
		{"+1.5", "d:0x3ff8000000000000"},
		{"7U % 4", "i:0x3u"},
		{"1 >= 2 || 1 > 1", "i:0x0"},
		{"-16U >> 60", "i:0xfu"},
		{"(-9223372036854775807 - 1) / -1", "i:0x8000000000000000"},
		{"(-9223372036854775807 - 1) % -1", "i:0x0"},
	} {
		m := parse(t, "t.ptx", ".global .b64 x = "+c.source+"; .entry f { mov.b64 %rd1, "+c.source+" ; }")
		checkSpans(t, m)
		im, ok := m.Variables()[0].Init[0].(*Immediate)
		if !ok || describeOperand(im) != c.want || im.Text != c.source {
			t.Errorf("%s: initialiser %s, text %q, want %s", c.source, describeOperand(m.Variables()[0].Init[0]), im.Text, c.want)
		}
		in := m.Function("f").Body.Items[0].(*Instruction)
		if got := describeOperand(in.Operands[1]); got != c.want {
			t.Errorf("%s: operand %s, want %s", c.source, got, c.want)
		}
	}
}

func TestTypeSizes(t *testing.T) {
	for name, want := range map[string]int{"pred": 0, "b8": 1, "f16x2": 4, "u64": 8, "b128": 16, "texref": 8} {
		if size, ok := TypeSize(name); !ok || size != want {
			t.Errorf("%s: %d %v", name, size, ok)
		}
	}
	if _, ok := TypeSize("u65"); ok {
		t.Error("u65 is a type")
	}
}
