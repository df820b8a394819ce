package ptx

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"same", "ld.param.u64 %rd1, [k_param_0];\nret;", "ld.param.u64  %rd1, [k_param_0]; // a comment\n\nret;", "same\n"},
		{"renamed", "mov.b32 %r1, 0; $a: add.s32 %r2, %r1, 1; bra $a;", "mov.b32 %r4, 0; $b: add.s32 %r1, %r4, 1; bra $b;", "renamed\n"},
		{"one added", "mov.b32 %r1, 0;\nadd.s32 %r2, %r1, 1;\nst.b32 [%rd1], %r2;\nret;", "mov.b32 %r1, 0;\nadd.s32 %r2, %r1, 1;\nmul.lo.s32 %r3, %r2, 2;\nst.b32 [%rd1], %r3;\nret;",
			"changed\n@@ a.ptx:3 b.ptx:3 @@\n  add.s32 %r2, %r1, 1;\n- st.b32 [%rd1], %r2;\n+ mul.lo.s32 %r3, %r2, 2;\n+ st.b32 [%rd1], %r3;\n  ret;\n"},
		{"one changed among renamed", "mov.b32 %r1, 0;\nadd.s32 %r2, %r1, 1;\nst.b32 [%rd1], %r2;", "mov.b32 %r9, 0;\nadd.s32 %r8, %r9, 2;\nst.b32 [%rd7], %r8;",
			"changed\n@@ a.ptx:2 b.ptx:2 @@\n  mov.b32 %r9, 0;\n- add.s32 %r8, %r9, 1;\n+ add.s32 %r8, %r9, 2;\n  st.b32 [%rd7], %r8;\n"},
		{"operands swapped", "sub.s32 %r3, %r1, %r2;\nst.v2.b32 [%rd1], {%r1, %r2};\nst.v2.b32 [%rd1+8], {%r1, %r2};", "sub.s32 %r3, %r2, %r1;\nst.v2.b32 [%rd1], {%r1, %r2};\nst.v2.b32 [%rd1+8], {%r1, %r2};",
			"changed\n@@ a.ptx:1 b.ptx:1 @@\n  .param .u64 k_param_0\n- sub.s32 %r3, %r1, %r2;\n+ sub.s32 %r3, %r2, %r1;\n  st.v2.b32 [%rd1], {%r1, %r2};\n"},
		{"another parameter", ".entry k(.param .u32 a, .param .u32 b) {\nld.param.u32 %r1, [a];\n}", ".entry k(.param .u32 a, .param .u32 b) {\nld.param.u32 %r1, [b];\n}",
			"changed\n@@ a.ptx:1 b.ptx:1 @@\n  .param .u32 b\n- ld.param.u32 %r1, [a];\n+ ld.param.u32 %r1, [b];\n"},
		{"a parameter grew", ".entry k(.param .u32 a, .param .b8 b[8]) { ret; }", ".entry k(.param .u32 a, .param .b8 b[12]) { ret; }",
			"changed\n@@ a.ptx:1 b.ptx:1 @@\n  .param .u32 a\n- .param .b8 b[8]\n+ .param .b8 b[12]\n  ret;\n"},
		{"an attribute", ".entry k() .maxntid 32, 1, 1 { ret; }", ".entry k() .maxntid 64, 1, 1 { ret; }", "changed\n@@ a.ptx:1 b.ptx:1 @@\n- .maxntid 32, 1, 1\n+ .maxntid 64, 1, 1\n  ret;\n"},
		{"visibility", ".visible .entry k() { ret; }", ".entry k() { ret; }", "changed\n"},
		{"declaration", ".func k(); .entry x() { }", ".func k() { } .entry x() { }", "changed\n"},
		{"scopes", "{ .reg .b32 x; mov.b32 x, %r1; }\n{ .reg .b32 x; mov.b32 x, %r2; }", "{ .reg .b32 t; mov.b32 t, %r1; }\n{ .reg .b32 u; mov.b32 u, %r2; }", "renamed\n"},
		{"shared grew", ".shared .b8 s[8]; .entry k() { mov.u32 %r1, s; }", ".shared .b8 s[16]; .entry k() { mov.u32 %r1, s; }", "changed\n@@ a.ptx:1 b.ptx:1 @@\n- mov.u32 %r1, s;\n+ mov.u32 %r1, s;\n"},
	} {
		text := func(s string) string {
			if strings.Contains(s, ".entry") {
				return s
			}
			return ".entry k(.param .u64 k_param_0) {\n" + s + "\n}"
		}
		ma, mb := parse(t, "a.ptx", text(c.a)), parse(t, "b.ptx", text(c.b))
		cmp := Diff(ma, ma.Function("k"), mb, mb.Function("k"))
		var b strings.Builder
		fmt.Fprintln(&b, cmp.Verdict)
		if err := cmp.Write(&b, 1); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, b.String(), c.want)
		}
	}
}

func TestDiffOfNothing(t *testing.T) {
	m := parse(t, "m.ptx", ".entry k() { ret; }")
	if v := Diff(m, nil, m, nil).Verdict; v != Same {
		t.Error(v)
	}
	if v := Diff(m, nil, m, m.Function("k")).Verdict; v != Changed {
		t.Error(v)
	}
	if v := Diff(m, m.Function("k"), m, nil).Verdict; v != Changed {
		t.Error(v)
	}
}

// A large kernel under other names with a few changes: what was changed is
// found, and nothing else is called changed.
func TestDiffOfALargeKernel(t *testing.T) {
	var a, b strings.Builder
	a.WriteString(".entry k() {\n")
	b.WriteString(".entry k() {\n")
	r := random(7)
	want := 0
	for i := range 6000 {
		x, y := 1+r.next(i+1), 1+r.next(i+1)
		op := []string{"add.s32", "mul.lo.s32", "xor.b32", "min.s32"}[r.next(4)]
		fmt.Fprintf(&a, "%s %%r%d, %%r%d, %%r%d;\n", op, i+2, x, y)
		if i%1000 == 500 { // one instruction more, and one of its operands is new
			fmt.Fprintf(&b, "mov.b32 %%r%d, 1234;\n", 90000+i)
			want++
		}
		if i%1000 == 700 {
			op = "shl.b32"
			want += 2
		}
		fmt.Fprintf(&b, "%s %%r%d, %%r%d, %%r%d;\n", op, i+2+7, x+7, y+7)
	}
	a.WriteString("}")
	b.WriteString("}")
	ma, mb := parse(t, "a.ptx", a.String()), parse(t, "b.ptx", b.String())
	c := Diff(ma, ma.Function("k"), mb, mb.Function("k"))
	if got := c.Added + c.Removed; got != want || c.Verdict != Changed {
		t.Errorf("%d rows changed, want %d", got, want)
	}
	if c.Renaming["%r100"] != "%r107" {
		t.Errorf("%%r100 is %s", c.Renaming["%r100"])
	}
}

// The rows that a script keeps are common to both, ascending, and as many as
// there can be while the script is short enough for the full search.
func TestCommonRows(t *testing.T) {
	r := random(3)
	for range 3000 {
		letters := 1 + r.next(6)
		row := func() []int32 {
			s := make([]int32, r.next(24))
			for i := range s {
				s[i] = int32(r.next(letters))
			}
			return s
		}
		a, b := row(), row()
		checkCommon(t, a, b, true)
	}
	long := func(n, letters int) []int32 {
		s := make([]int32, n)
		for i := range s {
			s[i] = int32(r.next(letters))
		}
		return s
	}
	for range 10 {
		checkCommon(t, long(3000, 50), long(2500, 50), false)
		checkCommon(t, long(3000, 1<<20), long(2500, 1<<20), false)
	}
}

func checkCommon(t *testing.T, a, b []int32, shortest bool) {
	t.Helper()
	pairs := commonRows(a, b)
	last := [2]int32{-1, -1}
	for _, p := range pairs {
		if p[0] <= last[0] || p[1] <= last[1] || a[p[0]] != b[p[1]] {
			t.Fatalf("%v %v: pairs %v", a, b, pairs)
		}
		last = p
	}
	if !shortest {
		return
	}
	best := make([]int, len(b)+1)
	for i := range a {
		row := slices.Clone(best)
		for k := range b {
			row[k+1] = max(row[k], best[k+1])
			if a[i] == b[k] {
				row[k+1] = best[k] + 1
			}
		}
		best = row
	}
	if best[len(b)] != len(pairs) {
		t.Fatalf("%v %v: %d kept, %d possible", a, b, len(pairs), best[len(b)])
	}
}
