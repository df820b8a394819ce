package plan

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/cache"
	"kmx/engine"
	"kmx/matrix"
)

// foldBench is a project whose kernel a is proven equal on gfx1100 and gfx1102 in
// both modes, and on gfx1200 and gfx1201.
type foldBench struct {
	*testing.T
	s     Source
	cells []*matrix.Cell
	bare  cache.Digest // of a's objects on gfx11
}

func newFoldBench(t *testing.T) *foldBench {
	b := &foldBench{T: t, s: source(t)}
	write(t, b.s.Root, map[string]string{"k/a.hip": "int a;\n", "k/b.hip": "int b;\n"})
	b.s.Toolchains["hip"] = clang("one")
	all := foldCells(t)
	for _, address := range []string{"k/a@gfx1100", "k/a@gfx1102", "k/a@gfx1200", "k/a@gfx1201", "k/b@gfx1100", "k/b@gfx1102"} {
		b.cells = append(b.cells, all[address])
	}
	bare, err := codeobj.Untargeted(codeobjtest.New("a", "gfx1100").Bytes())
	if err != nil {
		t.Fatal(err)
	}
	b.bare = cache.Sum(bare)
	p := &Proofs{}
	var found []Compiled
	for i, object := range []cache.Digest{b.bare, b.bare, digestOf("12"), digestOf("12"), digestOf("b0"), digestOf("b2")} {
		found = append(found, Compiled{b.cells[i], b.premise(i), object})
	}
	p.Update(clang("one"), found)
	b.s.Fold = &Fold{Proofs: p}
	return b
}

func (b *foldBench) premise(i int) cache.Digest {
	s := b.s
	s.Fold = nil
	p, list := New(b.cells, s)
	if len(list) > 0 {
		b.Fatal(list)
	}
	return Premise(p.Graph.Nodes[p.Node[i]].Action, s.Toolchains["hip"])
}

// derived lists the cells of a plan that are derived, each with its leader.
func (b *foldBench) derived(s Source) (*Plan, string) {
	b.Helper()
	p, list := New(b.cells, s)
	if len(list) > 0 {
		b.Fatal(list)
	}
	if err := p.Graph.Validate(); err != nil {
		b.Fatal(err)
	}
	var out []string
	for i, c := range p.Cells {
		if d, leader := p.DerivedFrom(i); d != nil {
			out = append(out, c.Address()+"<"+leader)
		}
	}
	return p, strings.Join(out, " ")
}

const allFolded = "k/a@gfx1102<k/a@gfx1100 k/a@gfx1201<k/a@gfx1200"

func TestFold(t *testing.T) {
	b := newFoldBench(t)
	p, got := b.derived(b.s)
	if got != allFolded || len(p.Unproven) != 2 || len(p.Graph.Nodes) != 6 {
		t.Errorf("%s, %d unproven, %d nodes", got, len(p.Unproven), len(p.Graph.Nodes))
	}
	n := p.Graph.Nodes[p.Node[1]]
	if n.Label != "k/a@gfx1102" || n.Action.Kind != DeriveKind || n.Check == nil || len(n.Action.Inputs) != 0 || n.Guess.Wall > unknownWall/10 {
		t.Errorf("%+v", n)
	}
	plain := b.s
	plain.Fold = nil
	unfolded, none := b.derived(plain)
	if none != "" || unfolded.Derived != nil || unfolded.Unproven != nil {
		t.Errorf("without a fold: %s", none)
	}
	// What a release says of its sources is the same.
	paths := func(p *Plan) []string {
		var all []string
		for _, in := range p.Sources() {
			all = append(all, in.Path)
		}
		slices.Sort(all)
		return all
	}
	if !slices.Equal(paths(p), paths(unfolded)) {
		t.Errorf("sources %v, unfolded %v", paths(p), paths(unfolded))
	}
	// The leader is the first that is there.
	b.cells = b.cells[1:]
	if _, got := b.derived(b.s); got != "k/a@gfx1201<k/a@gfx1200" {
		t.Error(got)
	}
}

// A proof counts only while all of what it depends on is as it was: otherwise
// both are compiled.
func TestLapsed(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*foldBench)
		want   string
	}{
		{"nothing", func(b *foldBench) {}, allFolded},
		{"a comment", func(b *foldBench) { write(b.T, b.s.Root, map[string]string{"k/a.hip": "int a; // the first\n"}) }, allFolded},
		{"a library of the host", func(b *foldBench) {
			tc := clang("one")
			tc.Digest = digestOf("another libm")
			b.s.Toolchains["hip"] = tc
		}, allFolded},
		{"the source", func(b *foldBench) { write(b.T, b.s.Root, map[string]string{"k/a.hip": "long a;\n"}) }, ""},
		{"the compiler", func(b *foldBench) { b.s.Toolchains["hip"] = clang("two") }, ""},
		{"the flags of a follower", func(b *foldBench) {
			c := *b.cells[1]
			c.Flags = append(slices.Clone(c.Flags), matrix.Token{Text: "-O3"})
			b.cells[1] = &c
		}, "k/a@gfx1201<k/a@gfx1200"},
		{"the flags of a leader", func(b *foldBench) {
			c := *b.cells[2]
			c.Flags = append(slices.Clone(c.Flags), matrix.Token{Text: "-O3"})
			b.cells[2] = &c
		}, "k/a@gfx1102<k/a@gfx1100"},
		{"the map", func(b *foldBench) { b.s.Fold.Proofs = &Proofs{} }, ""},
	} {
		b := newFoldBench(t)
		c.change(b)
		if _, got := b.derived(b.s); got != c.want {
			t.Errorf("%s changed: derived %q, want %q", c.name, got, c.want)
		}
	}
}

// The sample is drawn by what is built, the same on every machine.
func TestSample(t *testing.T) {
	b := newFoldBench(t)
	drawn := func(text string) string {
		b.s.Fold.Sample = text
		p, got := b.derived(b.s)
		if got != allFolded {
			t.Error(got)
		}
		var out []string
		for n, d := range p.Derived {
			if d.Sampled < 0 {
				continue
			}
			s := p.Graph.Nodes[d.Sampled]
			if s.Label != "sample of "+p.Graph.Nodes[n].Label || s.Action.Key() != d.Compile.Key() || p.Helper[s.Label].Address != p.Graph.Nodes[n].Label {
				t.Errorf("%+v", s)
			}
			out = append(out, p.Graph.Nodes[n].Label)
		}
		return strings.Join(out, " ")
	}
	seen := map[string]bool{}
	for i := range 20 {
		text := fmt.Sprintf("p %d", i)
		one := drawn(text)
		if strings.Count(one, "k/") != 1 {
			t.Errorf("of two derived objects %q are drawn", one)
		}
		tc := clang("one")
		tc.Digest = digestOf("another libm")
		was := b.s.Toolchains["hip"]
		b.s.Toolchains["hip"] = tc
		if again := drawn(text); again != one {
			t.Errorf("another machine draws %s, not %s", again, one)
		}
		b.s.Toolchains["hip"] = was
		seen[one] = true
	}
	if len(seen) != 2 {
		t.Errorf("twenty versions draw %v", seen)
	}
	if drawn("") != "" {
		t.Error("drawn though nobody asked")
	}
}

// The step gives the object of the other GPU, of exactly the object that was
// proven.
func TestDerive(t *testing.T) {
	b := newFoldBench(t)
	leader := codeobjtest.New("a", "gfx1100").Bytes()
	a := derivation(b.cells[1], Proven{Object: b.bare})
	tool := Steps()[DeriveTool]
	got, err := tool.Step(&a, map[string][]byte{leaderName: leader})
	if err != nil || !bytes.Equal(got["a.hsaco"], codeobjtest.New("a", "gfx1102").Bytes()) {
		t.Errorf("%v", err)
	}
	changed := codeobjtest.New("a", "gfx1100")
	changed.Kernels[0].VGPRs++
	var lapsed *LapsedError
	if _, err := tool.Step(&a, map[string][]byte{leaderName: changed.Bytes()}); !errors.As(err, &lapsed) {
		t.Errorf("an object that was not proven: %v", err)
	}
	if _, err := tool.Step(&a, map[string][]byte{leaderName: []byte("x")}); err == nil || !strings.Contains(err.Error(), "the object to derive from: not an object") {
		t.Errorf("no object: %v", err)
	}
	for _, odd := range []engine.Action{{}, {Args: []string{"gfx1102"}, Outputs: []string{"x"}}} {
		if _, err := tool.Step(&odd, map[string][]byte{leaderName: leader}); err == nil {
			t.Errorf("%+v is taken", odd)
		}
	}
	if _, err := tool.Step(&a, nil); err == nil {
		t.Error("nothing to derive from is taken")
	}
	foreign := a
	foreign.Args = []string{"gfx1201", a.Args[1]}
	if _, err := tool.Step(&foreign, map[string][]byte{leaderName: leader}); err == nil || !strings.Contains(err.Error(), "different generations") {
		t.Errorf("another generation: %v", err)
	}
}

// Folding is one cause of a build, both ways.
func TestFoldReason(t *testing.T) {
	b := newFoldBench(t)
	p, _ := b.derived(b.s)
	compiled, derived := p.Derived[p.Node[1]].Compile.Fields(), p.Graph.Nodes[p.Node[1]].Action.Fields()
	e := p.Evidence(1, nil)
	for _, c := range []struct {
		name        string
		before, now []cache.Field
		want        string
	}{
		{"folded", compiled, derived, "derived from k/a@gfx1100, proven equal with clang one; it was compiled"},
		{"unfolded", derived, compiled, "compiled; it was derived from an equal object"},
		{"derived anew", derived, derived, "derived from k/a@gfx1100, proven equal with clang one; that object has changed"},
	} {
		got := Reasons(c.before, c.now, e)
		if len(got) != 1 || got[0].Kind != "fold" || got[0].Text != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
