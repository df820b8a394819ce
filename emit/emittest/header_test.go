package emittest

import (
	"strings"
	"testing"
)

const goodHeader = `//! tier 1
//! about a sum
//! launch 2x1 16x4
//! denormals keep
//! in a s32 128 inner
//! out r s32 128 exact
`

const goodKernel = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry sum(.param .u64 p, .param .u64 q)\n{\n\tret; // nothing\n}\n"

func TestHeader(t *testing.T) {
	c, list := parse("dir/sum.ptx", []byte(goodHeader+goodKernel))
	if list.HasErrors() {
		t.Fatal(list)
	}
	if c.Name != "sum" || c.Tier != 1 || c.About != "a sum" || c.Grid != [3]int{2, 1, 1} || c.Block != [3]int{16, 4, 1} || c.Denormals != Keep || len(c.Params) != 2 {
		t.Errorf("%+v", c)
	}
	p := c.Params[0]
	if p.Name != "a" || p.Kind != Buffer || p.Type != (Type{'s', 32}) || p.Count != 128 || !p.In || p.Out || p.Line != 5 || p.Size() != 512 || c.Threads() != 64 {
		t.Errorf("%+v", p)
	}
	if b := c.Start(1); len(b) != 512 || b[0] != unwritten || b[511] != unwritten {
		t.Error("an output starts as something else")
	}
}

func TestHeaderErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "an empty header line"},
		{"colour red", `"colour" is no word of a header`},
		{"tier 6", "tier is 0 to 5"},
		{"tier", "tier is 0 to 5"},
		{"launch 2", "launch takes grid and block"},
		{"launch 0 64", "launch takes grid and block"},
		{"launch 1x1x1x1 64", "launch takes grid and block"},
		{"launch 1 2000", "2000 threads a block"},
		{"denormals maybe", "denormals is keep or flush"},
		{"in b", "in takes name, type, count and more"},
		{"in b f64 3 bits", "f64 3 is no type and count"},
		{"in b u32 x bits", "u32 x is no type and count"},
		{"in b u32 0 bits", "b has 0 bytes"},
		{"in b u64 999999 bits", "1 to 1048576 are possible"},
		{"in b u32 4 lots", `"lots" is no fill`},
		{"in b f32 4 range 1", "numbers are missing after it"},
		{"in b f32 4 range 1 y", `"y" is no number`},
		{"in b f32 4 range 2 1", "goes nowhere"},
		{"in b f32 4 step 1 2 0", "goes nowhere"},
		{"in b f32 4 bits exact", `"exact" is too much`},
		{"in a f32 4 bits", "two parameters named a"},
		{"out b f32 4", "count and more"},
		{"out b f32 4 near", "it does not say how exact it is"},
		{"out b f32 4 ulp x", "ulp x is no tolerance"},
		{"out b f32 4 ulp 1 ulp 2", "ulp 2 is no tolerance"},
		{"out b f32 4 ulp -1", "ulp -1 is no tolerance"},
		{"out b u32 4 ulp 1", "only floats have a tolerance"},
		{"inout b u32 4 exact", `"exact" is no fill`},
		{"value n u32", "value takes name, type and number"},
		{"value n q32 1", "q32 is no type"},
		{"value n u8 0x100", `"0x100" is no u8`},
		{"value n f32 x", `"x" is no number`},
		{"struct s", "struct takes name and size"},
		{"struct s 0", "struct takes name and size"},
		{"value n@4 u32 1", "lies at no place of a structure"},
		{"tex t rgba16f 16x8", "tex takes name"},
		{"tex t rgb16f 16x8 nearest clamp texels bits", "rgb16f 16x8 is no format and size"},
		{"tex t rgba8f 16x8 nearest clamp texels bits", "rgba8f 16x8 is no format and size"},
		{"tex t rgba32n 16x8 nearest clamp texels bits", "is no format and size"},
		{"tex t r32f 16x8x2 nearest clamp texels bits", "is no format and size"},
		{"tex t r32f 16x8 cubic clamp texels bits", `"cubic" is no filter`},
		{"tex t r32f 16x8 linear", "its address mode is missing"},
		{"tex t r32f 16x8 linear clamp pixels bits", `"pixels" is no kind of coordinates`},
		{"tex t r32f 16x8 linear wrap texels bits", "wrap and mirror take normalized coordinates"},
		{"tex t r32u 16x8 linear clamp texels bits", "integers are not filtered"},
		{"surf s r32f 16x8 zero", "how exact"},
	} {
		_, list := parse("sum.ptx", []byte(goodHeader+"//! "+c.line+"\n"+goodKernel))
		if len(list) != 1 || !strings.Contains(list[0].Summary, c.want) || list[0].Where.Start.Line != 7 {
			t.Errorf("%s: %v, wanted %q in line 7", c.line, list, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{goodKernel, "no tier"}, {goodKernel, "it does not say what it is about"}, {goodKernel, "no launch"}, {goodKernel, "it has no output"},
		{goodHeader, "it has 0 entries"},
		{goodHeader + goodKernel + goodKernel, "it has 2 entries"},
		{goodHeader + strings.Replace(goodKernel, "sum", "total", 1), "its entry is not named sum"},
	} {
		if _, list := parse("sum.ptx", []byte(c.text)); !strings.Contains(list.Error(), c.want) {
			t.Errorf("%v, wanted %q", list, c.want)
		}
	}
}

func TestArguments(t *testing.T) {
	c, list := parse("sum.ptx", []byte(`//! tier 1
//! about a structure between plain ones
//! launch 1 1
//! value first u16 0xabcd
//! struct block 24
//! out r@8 u32 1 exact
//! value k@4 s32 -2
//! value h@16 f16 1
//! surf s r32f 1x1 zero exact
`+goodKernel))
	if list.HasErrors() {
		t.Fatal(list)
	}
	args := c.Arguments(func(i int) uint64 { return 0x1111 * uint64(i) })
	want := []string{"\xcd\xab", "\x00\x00\x00\x00\xfe\xff\xff\xff\x11\x11\x00\x00\x00\x00\x00\x00\x00\x3c\x00\x00\x00\x00\x00\x00", "\x44\x44\x00\x00\x00\x00\x00\x00"}
	if len(args) != len(want) {
		t.Fatal(len(args))
	}
	for i := range want {
		if string(args[i]) != want[i] {
			t.Errorf("%d: %x, wanted %x", i, args[i], want[i])
		}
	}
}

func FuzzHeader(f *testing.F) {
	f.Add(goodHeader + goodKernel)
	f.Add("//! struct s 8\n//! tex t@0 rgba16f 16x8 linear mirror normalized step -1 1 0.5\n//! surf s rgb10a2 4x4 edges exact\n" + goodKernel)
	f.Add("//! inout m f16 3 range -1 1 ulp 2 abs 0.5\n//! value v f16 0x3c00\n//! launch 1x2x3 4x5x6\n" + goodKernel)
	f.Fuzz(func(t *testing.T, text string) {
		c, list := parse("sum.ptx", []byte(text))
		if list.HasErrors() {
			return
		}
		for i, p := range c.Params {
			if b := c.Start(i); p.Kind != Value && len(b) != p.Size() {
				t.Errorf("%s has %d bytes, not %d", p.Name, len(b), p.Size())
			}
		}
		c.Arguments(func(int) uint64 { return 1 })
		c.identity()
	})
}
