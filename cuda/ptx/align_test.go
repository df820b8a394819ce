package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"kmx/internal/diag"
)

// body is the body of the kernel of a text, which has one.
func body(t *testing.T, name, text string) (*Module, *Function, []Item) {
	t.Helper()
	if !strings.Contains(text, ".entry") {
		text = ".visible .entry " + strings.TrimSuffix(name, ".ptx") + "(.param .u64 " + strings.TrimSuffix(name, ".ptx") + "_param_0, .param .u32 second) {\n" + text + "\n}"
	}
	m := parse(t, name, text)
	f := m.Entries()[0]
	return m, f, f.Body.Items
}

func (r Renaming) String() string {
	var s []string
	for _, k := range slices.Sorted(maps.Keys(r)) {
		s = append(s, k+"="+r[k])
	}
	return strings.Join(s, " ")
}

func TestAlign(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"same", "add.s32 %r1, %r2, 3;", "add.s32 %r1, %r2, 3;", "%r1=%r1 %r2=%r2"},
		{"renamed", "add.s32 %r1, %r2, 3; mul.lo.s32 %r2, %r1, %r1;", "add.s32 %r8, %r1, 3;\n mul.lo.s32\t%r1, %r8, %r8;", "%r1=%r8 %r2=%r1"},
		{"swapped", "add.s32 %r1, %r2, %r1;", "add.s32 %r2, %r1, %r2;", "%r1=%r2 %r2=%r1"},
		{"numbers written differently", "add.s32 %r1, %r2, 16;", "add.s32 %r1, %r2, 0x10;", "%r1=%r1 %r2=%r2"},
		{"own name", "ld.param.u64 %rd1, [a_param_0];", "ld.param.u64 %rd4, [b_param_0];", "%rd1=%rd4 a_param_0=b_param_0"},
		{"labels", "$L1: bra $L2; $L2: bra $L1;", "$L7: bra $L1; $L1: bra $L7;", "$L1=$L7 $L2=$L1"},
		{"special registers", "mov.u32 %r1, %tid.x;", "mov.u32 %r2, %tid.x;", "%r1=%r2"},
		{"guards, vectors, pairs", "@!%p1 shfl.sync.idx.b32 %r1|%p2, %r2, 0, 31, -1; tex.base.2d.v4.f32.s32 {%f1, _, %f2, _}, [%rd1, {%r1, %r2}];",
			"@!%p2 shfl.sync.idx.b32 %r3|%p1, %r4, 0, 31, -1; tex.base.2d.v4.f32.s32 {%f9, _, %f2, _}, [%rd1, {%r3, %r4}];", "%f1=%f9 %f2=%f2 %p1=%p2 %p2=%p1 %r1=%r3 %r2=%r4 %rd1=%rd1"},
		{"line information", ".loc 1 2 3\nret;", "ret;", ""},
		{"locals", ".local .b8 x[4]; mov.u64 %rd1, x;", ".local .b8 y[4]; mov.u64 %rd1, y;", "%rd1=%rd1 x=y"},
		{"more registers declared", ".reg .b32 %r<4>;", ".reg .b32 %r<9>;", ""},
		{"scopes", "{ .reg .b32 x; mov.b32 x, %r1; } { .reg .b32 y; mov.b32 y, %r1; }", "{ .reg .b32 y; mov.b32 y, %r2; } { .reg .b32 x; mov.b32 x, %r2; }", "%r1=%r2"},
		{"call", "call (%r1), g, (%r2, 3);", "call (%r2), g, (%r1, 3);", "%r1=%r2 %r2=%r1"},
		{"branch table", "t: .branchtargets $a, $b; $a: $b: brx.idx %r1, t;", "u: .branchtargets $b, $c; $b: $c: brx.idx %r1, u;", "$a=$b $b=$c %r1=%r1 t=u"},
	} {
		ma, _, as := body(t, "a.ptx", c.a)
		mb, _, bs := body(t, "b.ptx", c.b)
		got, err := Align(ma, mb, as, bs)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAlignErrors(t *testing.T) {
	const shared = ".shared .align 4 .b8 _ZZ1a1x[16]; .shared .align 4 .b8 wide[32]; .entry a() { %s }"
	for _, c := range []struct{ name, a, b, want, detail string }{
		{"not one to one", "add.s32 %r1, %r2, %r3;", "add.s32 %r1, %r2, %r2;",
			"a.ptx:2:1: two statements differ: add.s32 %r1, %r2, %r3; | b.ptx:2: add.s32 %r1, %r2, %r2;", "%r2 is %r3 here and was %r2 in a.ptx:2 and b.ptx:2"},
		{"two for one", "add.s32 %r1, %r2, 0;\nadd.s32 %r3, %r2, 0;", "add.s32 %r1, %r2, 0;\nadd.s32 %r3, %r4, 0;",
			"a.ptx:3:1: two statements differ: add.s32 %r3, %r2, 0; | b.ptx:3: add.s32 %r3, %r4, 0;", "%r2 is %r4 here and was %r2 in a.ptx:2 and b.ptx:2"},
		{"opcode", "add.s32 %r1, %r2, 0;", "add.u32 %r1, %r2, 0;", "a.ptx:2:1: two statements differ: add.s32 %r1, %r2, 0; | b.ptx:2: add.u32 %r1, %r2, 0;", "the opcodes differ"},
		{"immediate", "add.s32 %r1, %r2, 0;", "add.s32 %r1, %r2, 1;", "", "0 and 1 differ"},
		{"kind of number", "mov.f32 %f1, 0f00000000;", "mov.f32 %f1, 0;", "", "0f00000000 and 0 differ"},
		{"offset", "ld.b32 %r1, [%rd1+4];", "ld.b32 %r1, [%rd1];", "", "[%rd1+4] and [%rd1] differ"},
		{"special registers", "mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.y;", "", "%tid.x and %tid.y differ"},
		{"special against plain", "mov.u32 %r1, %tid.x;", "mov.u32 %r1, %r2;", "", "%tid.x and %r2 differ"},
		{"parts", "mov.f32 %f1, %v.x;", "mov.f32 %f1, %v.y;", "", "%v.x and %v.y differ"},
		{"guard", "@%p1 ret;", "ret;", "", "one has a guard, the other has none"},
		{"negation", "@%p1 ret;", "@!%p1 ret;", "", "one of the guards is negated"},
		{"parameters", "ld.param.u64 %rd1, [a_param_0];", "ld.param.u64 %rd1, [second];", "", "a_param_0 and second are not parameters of the same place"},
		{"functions", "call g;", "call h;", "", "g and h differ"},
		{"vector", "mov.b64 {%r1, %r2}, %rd1;", "mov.b64 {%r1, %r2, %r3}, %rd1;", "", "{%r1, %r2} and {%r1, %r2, %r3} differ"},
		{"operands", "bar.sync 0;", "bar.sync 0, 32;", "", "one has 1 operands, the other 2"},
		{"kinds", "ret;", "$L:", "", "they are statements of different kinds"},
		{"braces", "{ ret; }", "ret;", "a.ptx:2:1: two statements differ: { | b.ptx:2: ret;", "one is the brace of a block, the other is not"},
		{"longer", "ret;\nret;", "ret;", "a.ptx:3:1: a.ptx has 1 statement more than b.ptx: ret;", ""},
		{"shorter", "ret;", "ret;\nexit;\nret;", "b.ptx:3:1: b.ptx has 2 statements more than a.ptx: exit;", ""},
		{"pragma", ".pragma \"a\";", ".pragma \"b\";", "", "the arguments of .pragma differ"},
		{"declaration", ".local .b8 x[4];", ".local .b8 x[8];", "", "the declarations differ"},
		{"shared arrays", fmt.Sprintf(shared, "mov.u32 %r1, _ZZ1a1x;"), fmt.Sprintf(shared, "mov.u32 %r1, wide;"), "",
			"_ZZ1a1x and wide are declared differently: .shared .align 4 .b8 _ZZ1a1x[16]; and .shared .align 4 .b8 wide[32];"},
		{"scoped registers", "{ .reg .b32 x; mov.b32 x, %r1; } mov.b32 %r2, %r1;", "{ .reg .b32 x; mov.b32 x, %r1; } mov.b32 %r2, %r3;", "", "%r1 is %r3 here and was %r1 in a.ptx:2 and b.ptx:2"},
		{"table", "t: .branchtargets $a, $a; $a: $b:", "t: .branchtargets $a, $b; $a: $b:", "", "$a is $b here and was $a in a.ptx:2 and b.ptx:2"},
		{"initialisers", ".local .b32 x = 1;", ".local .b32 x = 2;", "", "1 and 2 differ"},
		{"ranges", ".reg .b32 %r<3>;", ".reg .b32 %s<3>;", "", "the names of the registers differ"},
		{"types", ".local .b32 x;", ".local .f32 x;", "", "the declarations differ"},
		{"directives", ".pragma \"a\";", ".branchtargets a;", "", "the directives differ"},
		{"prototypes of calls", "call %rd1, (a), p;", "call %rd1, (a);", "", "one names a prototype, the other does not"},
		{"arguments", "call f, (a, b);", "call f, (a);", "", "one has 2 operands, the other 1"},
		{"offsets of symbols", "mov.u64 %rd1, x+4;", "mov.u64 %rd1, x;", "", "x and x differ"},
		{"prototype", "p: .callprototype _ (.param .b32 _);", "p: .callprototype _ (.param .b64 _);", "", "the prototypes differ"},
	} {
		ma, _, as := body(t, "a.ptx", c.a)
		mb, _, bs := body(t, "b.ptx", c.b)
		_, err := Align(ma, mb, as, bs)
		list, _ := err.(diag.List)
		if len(list) != 1 {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := list[0].String(); c.want != "" && got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		if list[0].Detail != c.detail {
			t.Errorf("%s: detail %q, want %q", c.name, list[0].Detail, c.detail)
		}
	}
}

// The names of two variants of one kernel: shared arrays at module scope that
// carry the name of the kernel.
func TestAlignOwnNames(t *testing.T) {
	text := func(name string) string {
		return fmt.Sprintf(".shared .align 4 .b8 _ZZ%d%sE4smem[16];\n.global .b32 %s_table;\n.entry %s() { mov.u32 %%r1, _ZZ%d%sE4smem; mov.u64 %%rd1, %s_table; mov.u64 %%rd2, %s_outside; }", len(name), name, name, name, len(name), name, name, name)
	}
	ma, _, as := body(t, "a.ptx", text("enc0_mvlo"))
	mb, _, bs := body(t, "b.ptx", text("enc0_mvhi_hdr"))
	got, err := Align(ma, mb, as, bs)
	want := "%r1=%r1 %rd1=%rd1 %rd2=%rd2 _ZZ9enc0_mvloE4smem=_ZZ13enc0_mvhi_hdrE4smem enc0_mvlo_outside=enc0_mvhi_hdr_outside enc0_mvlo_table=enc0_mvhi_hdr_table"
	if err != nil || got.String() != want {
		t.Errorf("%v %v", got, err)
	}
}

// Nothing to align is no error, and items of module scope may be aligned too.
func TestAlignEdges(t *testing.T) {
	m := parse(t, "m.ptx", ".global .b32 x;\n.entry f() { }")
	if r, err := Align(m, m, nil, nil); err != nil || len(r) != 0 {
		t.Error(r, err)
	}
	if r, err := Align(m, m, m.Items[:1], m.Items[:1]); err != nil || r.String() != "x=x" {
		t.Error(r, err)
	}
	if _, err := Align(m, m, nil, m.Items[:1]); err == nil {
		t.Error("no error for a row that lacks")
	}
}
