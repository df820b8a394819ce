package plan

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/cuda/fatbin/fatbintest"
	"kmx/engine"
	"kmx/matrix"
	"kmx/tex"
	"kmx/toolchains"
)

// The built-in emitter: one clang command of the IR, which is in the store, and
// of the helper, which another action makes.
func TestOwnEmission(t *testing.T) {
	b := newBench(t, toolchains.EmitterOwn, module("other"), module("post"))
	wide := b.cell("post", "gfx1201")
	wide.Wave64 = true
	p := b.plan(b.cell("post", "gfx1100"), b.cell("post", "gfx1100"), wide)
	if len(p.Graph.Nodes) != 4 || p.Node[0] != p.Node[1] {
		t.Fatalf("%d nodes, of cells %v: two helpers and two objects are wanted", len(p.Graph.Nodes), p.Node)
	}
	if b.edits != 1 || b.lowered != 2 {
		t.Errorf("%d edits and %d lowerings of one kernel in two ways", b.edits, b.lowered)
	}
	n := b.node(p, 0)
	a := n.Action
	if a.Kind != "emit-kmx" || a.Tool != "emit:bin/clang++" || a.Depfile != "" || len(a.Env) != 0 || a.Outputs[0] != "post.hsaco" {
		t.Errorf("the action is %+v", a)
	}
	for _, want := range []string{"-mcpu=gfx1100", "post.ll", "stores.bc"} {
		if !slices.Contains(a.Args, want) {
			t.Errorf("no %s in %v", want, a.Args)
		}
	}
	if !n.Stored["post.ll"] || len(n.Needs) != 1 || n.Needs[0].Path != "stores.bc" {
		t.Errorf("stored %v, needs %v", n.Stored, n.Needs)
	}
	helper := p.Graph.Nodes[n.Needs[0].Node].Action
	if helper.Kind != "compile-bitcode" || helper.Depfile == "" || !slices.Contains(helper.Args, "-emit-llvm") || len(helper.Inputs) != 2 {
		t.Errorf("the helper's action is %+v", helper)
	}
	ir, err := b.store.Blob(a.Inputs[0].Digest)
	if err != nil || !strings.Contains(string(ir), "stores map[]") || !strings.Contains(string(ir), "\r\n.visible .entry post(") {
		t.Errorf("the IR is %q, %v", ir, err)
	}
	if u := p.Module[0]; u == nil || u.Module.Number != 1 || u.File != "lib.dll" || u.Library != "dlss" {
		t.Errorf("made of %+v", u)
	}
	if slices.Contains(p.Files, "post.ll") || !slices.Contains(p.Files, "tex/stores.h") {
		t.Errorf("sources are %v", p.Files)
	}
}

// ZLUDA's emitter: the edited PTX, the declared environment and the helper.
func TestZLUDAEmission(t *testing.T) {
	b := newBench(t, toolchains.EmitterZLUDA, module("post"))
	p := b.plan(b.cell("post", "gfx1100"))
	n := b.node(p, 0)
	a := n.Action
	if a.Kind != "emit-zluda" || a.Tool != "emit:bin/emitter" || !slices.Equal(a.Args, []string{"post.ptx", "out", "gfx1100"}) ||
		!slices.Equal(a.Outputs, []string{"out/module.hsaco"}) {
		t.Errorf("the action is %+v", a)
	}
	if want := []engine.EnvVar{{Name: envIgnoreDenormal, Value: "1"}, {Name: envExtraBitcode, Value: "stores.bc"}}; !slices.Equal(a.Env, want) {
		t.Errorf("its environment is %v", a.Env)
	}
	if b.lowered != 0 || !n.Stored["post.ptx"] {
		t.Errorf("%d lowerings, stored %v", b.lowered, n.Stored)
	}
	if err := n.Check(map[string][]byte{"out/module.hsaco": []byte("no object")}); err == nil || strings.Contains(err.Error(), "no object among the outputs") {
		t.Errorf("the object is not checked: %v", err)
	}
}

// What the steps gave is taken from the store, as long as module, recipe,
// counts and program are the same.
func TestStepsAreKept(t *testing.T) {
	b := newBench(t, toolchains.EmitterOwn, module("post"))
	first := b.plan(b.cell("post", "gfx1100"))
	for i, c := range []struct {
		change         func(c *matrix.Cell)
		edits, lowered int
	}{
		{func(*matrix.Cell) {}, 1, 1},
		{func(c *matrix.Cell) { c.Counts = []matrix.Define{{Name: "round", Value: "pairs"}} }, 2, 2},
		{func(c *matrix.Cell) { c.Env = nil }, 2, 3},
		{func(*matrix.Cell) { b.library(module("post"), module("more")) }, 2, 3},
		{func(*matrix.Cell) { b.s.Program = cache.Sum([]byte("newer")) }, 3, 4},
		{onlyKinds("p, b32"), 4, 5},
		{onlyKinds("b32,p,p"), 4, 5},
		{onlyKinds(""), 4, 5},
	} {
		cell := b.cell("post", "gfx1100")
		c.change(cell)
		p := b.plan(cell)
		if b.edits != c.edits || b.lowered != c.lowered {
			t.Errorf("change %d: %d edits and %d lowerings so far, not %d and %d", i, b.edits, b.lowered, c.edits, c.lowered)
		}
		if same := b.node(p, 0).Action.Key() == b.node(first, 0).Action.Key(); same != (i == 0 || i == 3 || i == 4 || i == 7) {
			t.Errorf("change %d: the same key: %v", i, same)
		}
	}
}

// onlyKinds limits a cell's recipe to some kinds of surface stores.
func onlyKinds(kinds string) func(*matrix.Cell) {
	return func(c *matrix.Cell) {
		c.Env = append(slices.Clone(c.Env), matrix.Define{Name: envKinds, Value: kinds})
	}
}

// The kinds of surface stores are told to the recipe, not to ZLUDA's emitter. A
// kind that there is not is told once, for all kernels.
func TestKindsOfStores(t *testing.T) {
	b := newBench(t, toolchains.EmitterZLUDA, module("post"), module("other"))
	limited := b.cell("post", "gfx1100")
	onlyKinds("v2b16 , p")(limited)
	p := b.plan(b.cell("post", "gfx1100"), limited)
	all, some := b.node(p, 0).Action, b.node(p, 1).Action
	if !slices.Equal(all.Env, some.Env) || all.Inputs[0].Digest == some.Inputs[0].Digest {
		t.Errorf("environments %v and %v, inputs %v and %v", all.Env, some.Env, all.Inputs, some.Inputs)
	}
	if text, err := b.store.Blob(some.Inputs[0].Digest); err != nil || !strings.Contains(string(text), "[p v2b16]") {
		t.Errorf("edited to %q, %v", text, err)
	}
	wrong := []*matrix.Cell{b.cell("post", "gfx1100"), b.cell("other", "gfx1100")}
	for _, c := range wrong {
		onlyKinds("p,b16")(c)
	}
	p = b.plan(wrong...)
	if n := b.node(p, 0); n.Err == nil || n.Err.Error() != `D4R_SUST_KINDS: there is no kind of surface store "b16"; kinds are b32, p, v2b16 and v4b16` || b.node(p, 1).Err != nil {
		t.Errorf("a wrong kind: %v, %v", n.Err, b.node(p, 1).Err)
	}
}

// A step that fails is told once, with kernel and module, and takes along the
// cells of that kernel only.
func TestBrokenSteps(t *testing.T) {
	b := newBench(t, toolchains.EmitterOwn, module("post"), module("bad"), module("twice"), module("twice other"),
		fatbintest.Entry{PTX: fatbintest.Text("hidden", "\n"), Compression: "zstd", Edit: func(h []byte) { h[56]++ }})
	edit := b.s.Edit
	b.s.Edit = func(r tex.Request) (*tex.Result, error) {
		if r.Kernel == "bad" {
			return nil, errors.New("one store too many")
		}
		return edit(r)
	}
	far := b.cell("post", "gfx1201")
	far.Reference = "gone"
	p := b.plan(b.cell("post", "gfx1100"), b.cell("bad", "gfx1100"), b.cell("bad", "gfx1201"), b.cell("gone", "gfx1100"),
		b.cell("twice", "gfx1100"), b.cell("hidden", "gfx1100"), far)
	for i, want := range []string{
		"",
		"bad, module 1 of lib.dll (FNV ",
		"", // the same
		"kernel gone is defined by no module of lib.dll (library dlss)",
		"kernel twice is defined twice, and differently: by module 2 of lib.dll",
		"module 4 of lib.dll is damaged: container 0, entry at offset 0x",
		"the reference of post: kernel gone is defined by no module",
	} {
		n := b.node(p, i)
		switch {
		case want == "" && n.Err != nil:
			t.Errorf("cell %d: %v", i, n.Err)
		case want != "" && (n.Err == nil || !strings.Contains(n.Err.Error(), want)):
			t.Errorf("cell %d: %v, not %q", i, n.Err, want)
		}
	}
	if n := b.node(p, 2); len(n.Needs) != 1 || p.Graph.Nodes[n.Needs[0].Node] != b.node(p, 1) {
		t.Errorf("the second cell of a kernel that cannot be edited needs %v", n.Needs)
	}
	// A library that is none takes along all its kernels, and is told once.
	path := b.s.Libraries["dlss"].Files[0]
	if err := os.WriteFile(path, []byte("MZ no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	p = b.plan(b.cell("post", "gfx1100"), b.cell("bad", "gfx1100"))
	if n := b.node(p, 0); n.Err == nil || !strings.Contains(n.Err.Error(), "lib.dll") || b.node(p, 1).Err != nil {
		t.Errorf("a library that is none: %v, %v", n.Err, b.node(p, 1).Err)
	}
}
