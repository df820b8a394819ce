package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// flowOf is the flow of a body; its instructions are called by their place.
func flowOf(t *testing.T, body string) (*Module, *Flow) {
	t.Helper()
	m := parse(t, "flow.ptx", ".entry f(.param .u32 n) {\n"+body+"\n}")
	return m, Analyse(m.Function("f"))
}

func places(fl *Flow, list []*Instruction) string {
	var s []string
	for _, in := range list {
		s = append(s, fmt.Sprint(fl.Index(in)))
	}
	return strings.Join(s, " ")
}

func set(s map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(s)), " ") }

func TestReadsAndWrites(t *testing.T) {
	for _, c := range []struct{ source, reads, writes string }{
		{"add.s32 %r1, %r2, %r3;", "%r2 %r3", "%r1"},
		{"add.s32 %r1, %r1, %r1;", "%r1", "%r1"},
		{"@%p1 add.s32 %r1, %r2, 1;", "%p1 %r2", "%r1"},
		{"st.global.v2.f32 [%rd1+4], {%f1, %f2};", "%rd1 %f1 %f2", ""},
		{"ld.global.v2.f32 {%f1, %f2}, [%rd1+4];", "%rd1", "%f1 %f2"},
		{"ld.shared.b32 %r1, a[%r2];", "%r2", "%r1"},
		{"setp.lt.and.s32 %p1|%p2, %r1, 10, !%p3;", "%r1 %p3", "%p1 %p2"},
		{"mov.b64 {%r1, _}, %rd1;", "%rd1", "%r1"},
		{"mov.u32 %r1, %tid.x;", "", "%r1"},
		{"mov.u32 %r1, %envreg3;", "", "%r1"},
		{"mov.u64 %rd1, %pm0_64;", "", "%rd1"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, _, %f4}|%p1, [%rd1, %rd2, {%f5, %f6}];", "%rd1 %rd2 %f5 %f6", "%f1 %f2 %f4 %p1"},
		{"sust.b.2d.b32.zero [%rd1, {%r1, %r2}], {%r3};", "%rd1 %r1 %r2 %r3", ""},
		{"atom.global.add.u32 %r1, [%rd1], %r2;", "%rd1 %r2", "%r1"},
		{"red.global.add.u32 [%rd1], %r2;", "%rd1 %r2", ""},
		{"bar.sync %r1, %r2;", "%r1 %r2", ""},
		{"bar.red.popc.u32 %r1, %r2, %p1;", "%r2 %p1", "%r1"},
		{"barrier.cta.red.and.pred %p1, 0, %p2;", "%p2", "%p1"},
		{"bar.warp.sync %r1;", "%r1", ""},
		{"nanosleep.u32 %r1;", "%r1", ""},
		{"call (%r1), g, (%r2, x);", "%r2", "%r1"},
		{"call %rd1, (%r2), proto;", "%rd1 %r2", ""},
		{"bra $L; $L:", "", ""},
		{"add.cc.u32 %r1, %r2, %r3;", "%r2 %r3", "%r1 CC.CF"},
		{"addc.cc.u32 %r1, %r2, %r3;", "%r2 %r3 CC.CF", "%r1 CC.CF"},
		{"madc.hi.u32 %r1, %r2, %r3, %r4;", "%r2 %r3 %r4 CC.CF", "%r1"},
		{"vadd.s32.s32.s32 %r1.b0, %r2.h1, -%r3, %r4;", "%r2 %r3 %r4", "%r1"},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, %p1, 1, 1;", "%f1 %f2 %rd1 %rd2 %p1", "%f1 %f2"},
		{"mbarrier.init.shared.b64 [%r1], %r2;", "%r1 %r2", ""},
		{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4, %r5, %r6}, {%r7, %r8}, {%r1, %r2};", "%r3 %r4 %r5 %r6 %r7 %r8 %r1 %r2", "%r1 %r2"},
	} {
		_, fl := flowOf(t, c.source)
		in := fl.Instructions()[0]
		if r, w := strings.Join(fl.Reads(in), " "), strings.Join(fl.Writes(in), " "); r != c.reads || w != c.writes {
			t.Errorf("%s\nreads %q, want %q\nwrites %q, want %q", c.source, r, c.reads, w, c.writes)
		}
	}
}

// Questions about one register: [use register] gives the places of the
// definitions that reach it, with "?" where some way has none.
func TestReachingDefinitions(t *testing.T) {
	for _, c := range []struct {
		name, source string
		questions    map[string]string // "place register" to places
	}{
		{"straight", "mov.b32 %r1, 0; mov.b32 %r1, 1; mov.b32 %r2, %r1;", map[string]string{"2 %r1": "1", "1 %r1": "0", "0 %r1": "?", "2 %r2": "?"}},
		{"guarded", "mov.b32 %r1, 0; @%p1 mov.b32 %r1, 1; mov.b32 %r2, %r1;", map[string]string{"2 %r1": "0 1"}},
		{"guarded only", "@%p1 mov.b32 %r1, 1; @!%p1 mov.b32 %r1, 2; mov.b32 %r2, %r1;", map[string]string{"2 %r1": "0 1 ?"}},
		{"vector", "mov.b64 {%r1, %r2}, %rd1; mov.b64 {%r2, _}, %rd2; mov.b64 %rd3, {%r1, %r2};", map[string]string{"2 %r1": "0", "2 %r2": "1"}},
		{"vector register", ".reg .v2 .f32 %v; mov.v2.f32 %v, {%f1, %f2}; mov.f32 %v.x, 0f00000000; mov.f32 %f3, %v.x;", map[string]string{"2 %v": "0 1"}},
		{"branches", `
			setp.eq.s32 %p1, %r9, 0;
			@%p1 bra $else;
			mov.b32 %r1, 1;
			bra $end;
			$else:
			mov.b32 %r1, 2;
			$end:
			mov.b32 %r2, %r1;`, map[string]string{"5 %r1": "2 4", "5 %p1": "0", "4 %r1": "?"}},
		{"one arm", `
			mov.b32 %r1, 0;
			@%p1 bra $end;
			mov.b32 %r1, 1;
			$end:
			mov.b32 %r2, %r1;`, map[string]string{"3 %r1": "0 2"}},
		{"loop", `
			mov.b32 %r1, 0;
			$loop:
			add.s32 %r1, %r1, 1;
			setp.lt.s32 %p1, %r1, 10;
			@%p1 bra $loop;
			mov.b32 %r2, %r1;`, map[string]string{"1 %r1": "0 1", "4 %r1": "1", "2 %r1": "1"}},
		{"loop of one block", `
			$loop:
			add.s32 %r1, %r1, 1;
			bra $loop;`, map[string]string{"0 %r1": "0 ?", "1 %r1": "0"}},
		{"after a return", `
			mov.b32 %r1, 0;
			ret;
			mov.b32 %r2, %r1;`, map[string]string{"2 %r1": ""}},
		{"guarded return", `
			mov.b32 %r1, 0;
			@%p1 exit;
			mov.b32 %r2, %r1;`, map[string]string{"2 %r1": "0"}},
		{"table", `
			mov.b32 %r1, 0;
			t: .branchtargets $a, $b;
			brx.idx %r9, t;
			$c: mov.b32 %r1, 3;
			$a: mov.b32 %r2, %r1;
			mov.b32 %r1, 1;
			$b: mov.b32 %r2, %r1;`, map[string]string{"3 %r1": "0 2", "5 %r1": "0 4", "2 %r1": ""}},
		{"scopes", `
			{ .reg .b32 x; mov.b32 x, 0; mov.b32 %r1, x; }
			{ .reg .b32 x; mov.b32 x, 1; mov.b32 %r2, x; { .reg .b32 x; mov.b32 x, 2; } mov.b32 %r3, x; }`,
			map[string]string{"1 x": "0", "3 x#2": "2", "5 x#2": "2", "5 x#3": "4", "5 x": "0"}},
		{"ranges", `
			.reg .b32 %r<9>;
			mov.b32 %r1, 0;
			{ .reg .b32 %r<2>; mov.b32 %r1, 1; mov.b32 %r2, 2; }
			mov.b32 %r3, %r1;`, map[string]string{"3 %r1": "0", "3 %r1#2": "1", "3 %r2": "2"}},
		{"labels in scopes", `
			mov.b32 %r1, 0;
			{ $x: mov.b32 %r1, 1; @%p1 bra $x; }
			{ $x: mov.b32 %r2, %r1; @%p2 bra $x; }`, map[string]string{"3 %r1": "1", "1 %r1": "0 1"}},
		{"call", "mov.b32 %r1, 0; call (%r1), g, (%r1); mov.b32 %r2, %r1;", map[string]string{"1 %r1": "0", "2 %r1": "1"}},
		{"carry", "add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r5, %r6; addc.u32 %r7, %r8, %r9;", map[string]string{"1 CC.CF": "0", "2 CC.CF": "1"}},
		{"unknown label", "mov.b32 %r1, 0; bra $nowhere; mov.b32 %r2, %r1;", map[string]string{"2 %r1": ""}},
	} {
		_, fl := flowOf(t, c.source)
		for q, want := range c.questions {
			var at int
			var reg string
			if _, err := fmt.Sscan(q, &at, &reg); err != nil {
				t.Fatal(err)
			}
			use := fl.Instructions()[at]
			got := places(fl, fl.ReachingDefs(use, reg))
			if _, open := fl.reaching(use, reg); open {
				got = strings.TrimSpace(got + " ?")
			}
			if got != want {
				t.Errorf("%s: %s: got %q, want %q", c.name, q, got, want)
			}
		}
	}
}

func TestLiveness(t *testing.T) {
	for _, c := range []struct {
		name, source string
		in           map[int]string
		out          map[int]string
	}{
		{"straight", "mov.b32 %r1, 0; add.s32 %r2, %r1, %r3; st.b32 [%rd1], %r2;",
			map[int]string{0: "%r3 %rd1", 1: "%r1 %r3 %rd1", 2: "%r2 %rd1"}, map[int]string{2: "", 1: "%r2 %rd1"}},
		{"guarded", "mov.b32 %r1, 0; @%p1 mov.b32 %r1, 1; st.b32 [%rd1], %r1;",
			map[int]string{0: "%p1 %rd1", 1: "%p1 %r1 %rd1"}, nil},
		{"guarded only", "@%p1 mov.b32 %r1, 1; st.b32 [%rd1], %r1;", map[int]string{0: "%p1 %r1 %rd1"}, nil},
		{"loop", `
			mov.b32 %r1, 0;
			$loop:
			add.s32 %r1, %r1, %r5;
			setp.lt.s32 %p1, %r1, 10;
			@%p1 bra $loop;
			mov.b32 %r2, %r6;`,
			map[int]string{0: "%r5 %r6", 1: "%r1 %r5 %r6", 3: "%p1 %r1 %r5 %r6", 4: "%r6"}, map[int]string{3: "%r1 %r5 %r6", 4: ""}},
		{"dead end", "@%p1 bra $x; mov.b32 %r1, %r2; ret; $x: mov.b32 %r1, %r3;",
			map[int]string{0: "%p1 %r2 %r3", 1: "%r2", 3: "%r3"}, map[int]string{2: ""}},
	} {
		_, fl := flowOf(t, c.source)
		for i, want := range c.in {
			if got := set(fl.LiveIn(fl.Instructions()[i])); got != want {
				t.Errorf("%s: live in of %d: %q, want %q", c.name, i, got, want)
			}
		}
		for i, want := range c.out {
			if got := set(fl.LiveOut(fl.Instructions()[i])); got != want {
				t.Errorf("%s: live out of %d: %q, want %q", c.name, i, got, want)
			}
		}
	}
}

func TestDefsAndUses(t *testing.T) {
	m, fl := flowOf(t, `
		.reg .b32 %r<9>;
		mov.b32 %r1, 0;
		add.s32 %r1, %r1, %r2;
		@%p1 st.b32 [%r1], %r1;
		mov.b32 %r1, 7;`)
	if got := places(fl, fl.Defs("%r1")) + "|" + places(fl, fl.Uses("%r1")); got != "0 1 3|1 2" {
		t.Error(got)
	}
	ins := fl.Instructions()
	if got := places(fl, fl.ReachedUses(ins[0], "%r1")) + "|" + places(fl, fl.ReachedUses(ins[1], "%r1")); got != "1|2" {
		t.Error(got)
	}
	if v := fl.Declaration("%r1"); v == nil || m.Source(v.Span) != ".reg .b32 %r<9>;" {
		t.Errorf("declaration: %v", v)
	}
	if v := fl.Declaration("%p1"); v != nil {
		t.Errorf("declaration: %v", v)
	}
	if !fl.DefinedBefore(ins[1], "%r1") || fl.DefinedBefore(ins[1], "%r2") {
		t.Error("DefinedBefore")
	}
	// what is not there has no answers, and is no panic
	if fl.Defs("%none") != nil || fl.ReachingDefs(&Instruction{}, "%r1") != nil && len(fl.ReachingDefs(&Instruction{}, "%r1")) > 0 || fl.LiveIn(&Instruction{}) != nil || fl.Index(&Instruction{}) != -1 {
		t.Error("answers about nothing")
	}
	for _, f := range []*Function{nil, {Name: "declared"}} {
		if fl := Analyse(f); len(fl.Instructions()) != 0 || fl.Registers() != nil && len(fl.Registers()) > 0 {
			t.Error("a declaration has a flow")
		}
	}
}

// Name gives every register operand the name under which questions are asked.
func TestNames(t *testing.T) {
	m, fl := flowOf(t, `
		{ .reg .b32 x; mov.b32 x, %tid.x; }
		{ .reg .b32 x; mov.b32 x, %r1; }
		mov.f32 %f1, %v.y;`)
	var got []string
	for in := range m.Instructions(m.Function("f")) {
		in.Walk(func(o Operand) {
			if r, ok := o.(*Register); ok {
				got = append(got, r.Name+"="+fl.Name(r))
			}
		})
	}
	if s := strings.Join(got, " "); s != "x=x %tid.x= x=x#2 %r1=%r1 %f1=%f1 %v.y=%v" {
		t.Error(s)
	}
	if fl.Declaration("nothing") != nil || fl.Reads(&Instruction{}) != nil || fl.Writes(&Instruction{}) != nil {
		t.Error("answers about nothing")
	}
	p := parse(t, "p.ptx", ".func (.reg .b32 r) g(.reg .b32 a) { add.s32 r, a, 1; { .reg .b32 a; mov.b32 a, 2; } }")
	fl = Analyse(p.Function("g"))
	if got := strings.Join(fl.Registers(), " "); got != "a r a#2" {
		t.Error(got)
	}
}

// Parameters in registers have a value from the beginning, and what is
// returned in one is read by ret.
func TestParametersInRegisters(t *testing.T) {
	m := parse(t, "p.ptx", ".func (.reg .b32 r) g(.reg .b32 a) { @%p1 add.s32 r, a, 1; ret; }")
	fl := Analyse(m.Function("g"))
	ins := fl.Instructions()
	if !fl.DefinedBefore(ins[0], "a") || fl.DefinedBefore(ins[1], "r") || fl.DefinedBefore(ins[0], "%p1") {
		t.Error("DefinedBefore")
	}
	if got := set(fl.LiveOut(ins[0])) + "|" + set(fl.LiveIn(ins[0])); got != "r|%p1 a r" {
		t.Error(got)
	}
}

// Liveness and reaching definitions agree with a plain computation by sets on
// functions made at random.
func TestFlowAgainstSets(t *testing.T) {
	r := random(1)
	for range 300 {
		var b strings.Builder
		n := 3 + r.next(20)
		for i := range n {
			if r.next(3) == 0 {
				fmt.Fprintf(&b, "$L%d:\n", i)
			} else {
				fmt.Fprintf(&b, "$L%d: ", i)
			}
			guard := []string{"", "", "@%p1 ", "@!%p1 "}[r.next(4)]
			switch r.next(5) {
			case 0:
				fmt.Fprintf(&b, "%sbra $L%d;\n", guard, r.next(n))
			case 1:
				fmt.Fprintf(&b, "%sret;\n", guard)
			default:
				fmt.Fprintf(&b, "%sadd.s32 %%r%d, %%r%d, %%r%d;\n", guard, r.next(4), r.next(4), r.next(4))
			}
		}
		_, fl := flowOf(t, b.String())
		checkAgainstSets(t, b.String(), fl)
	}
}

// checkAgainstSets computes by instruction, without basic blocks.
func checkAgainstSets(t *testing.T, source string, fl *Flow) {
	ins := fl.Instructions()
	next := make([][]int, len(ins))
	for i, in := range ins {
		if (!in.Ends() || in.Guard != nil) && i+1 < len(ins) {
			next[i] = append(next[i], i+1)
		}
		if in.Op() == "bra" {
			var to int
			fmt.Sscanf(in.Operands[0].(*Symbol).Name, "$L%d", &to)
			next[i] = append(next[i], to)
		}
	}
	live := make([]map[string]bool, len(ins))
	reach := make([]map[string]bool, len(ins)) // "place register" before the instruction
	for i := range ins {
		live[i], reach[i] = map[string]bool{}, map[string]bool{}
	}
	for changed := true; changed; {
		changed = false
		add := func(set map[string]bool, s string) {
			if !set[s] {
				set[s], changed = true, true
			}
		}
		for i, in := range ins {
			kills := map[string]bool{}
			for _, w := range fl.Writes(in) {
				kills[w] = in.Guard == nil
			}
			for _, r := range fl.Reads(in) {
				add(live[i], r)
			}
			for _, n := range next[i] {
				for r := range live[n] {
					if !kills[r] {
						add(live[i], r)
					}
				}
				for d := range reach[i] {
					if _, reg, _ := strings.Cut(d, " "); !kills[reg] {
						add(reach[n], d)
					}
				}
				for _, w := range fl.Writes(in) {
					add(reach[n], fmt.Sprint(i, " ", w))
				}
			}
		}
	}
	for i, in := range ins {
		if got := set(fl.LiveIn(in)); got != set(live[i]) {
			t.Fatalf("%s\nlive in of %d: %q, want %q", source, i, got, set(live[i]))
		}
		got := map[string]bool{}
		for _, reg := range fl.Registers() {
			for _, d := range fl.ReachingDefs(in, reg) {
				got[fmt.Sprint(fl.Index(d), " ", reg)] = true
			}
		}
		if set(got) != set(reach[i]) {
			t.Fatalf("%s\nreaching %d: %q, want %q", source, i, set(got), set(reach[i]))
		}
	}
}

// random is a small generator of numbers, the same in every run.
type random uint64

func (r *random) next(n int) int {
	*r = *r*6364136223846793005 + 1442695040888963407
	return int(uint64(*r)>>33) % n
}
