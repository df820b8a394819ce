package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"kmx/cache"
	"kmx/cuda/fatbin/fatbintest"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/engine"
	"kmx/matrix"
	"kmx/tex"
	"kmx/toolchains"
)

// bench is a project with a library, a helper and steps that count what they
// do.
type bench struct {
	*testing.T
	s     Source
	store *cache.Cache

	mu             sync.Mutex
	edits, lowered int
}

func newBench(t *testing.T, emitter string, modules ...fatbintest.Entry) *bench {
	t.Helper()
	store, err := cache.Open(t.TempDir(), func(msg string) { t.Error(msg) })
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, store: store}
	b.s = Source{
		Root: t.TempDir(), Memo: store.Memo(), Store: store, Program: cache.Sum([]byte("kmx")),
		Toolchains: map[string]*toolchains.Toolchain{
			"hip":  {Name: "hip", Kind: toolchains.KindClang, Digest: cache.Sum([]byte("hip"))},
			"emit": {Name: "emit", Kind: toolchains.KindEmitter, Emitter: emitter, Digest: cache.Sum([]byte(emitter))},
		},
		Edit: func(r tex.Request) (*tex.Result, error) {
			b.mu.Lock()
			b.edits++
			b.mu.Unlock()
			return &tex.Result{Text: fmt.Appendf(slices.Clone(r.Module.Text), "// %s %v %v\n", r.Recipe, r.Counts, r.Options.Kinds)}, nil
		},
		Lower: func(m *ptx.Module, kernel string, o emit.Options) ([]byte, error) {
			b.mu.Lock()
			b.lowered++
			b.mu.Unlock()
			return fmt.Appendf(nil, "; %s %v\n%s", kernel, o, m.Text), nil
		},
	}
	write(t, b.s.Root, map[string]string{"tex/stores.hip": "#include \"stores.h\"\n", "tex/stores.h": "// one\nint one;\n"})
	b.library(modules...)
	return b
}

// library writes the library that the plan finds.
func (b *bench) library(modules ...fatbintest.Entry) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "lib.dll")
	if err := os.WriteFile(path, fatbintest.PE(fatbintest.Container(modules...)), 0o644); err != nil {
		b.Fatal(err)
	}
	b.s.Libraries = map[string]LibrarySource{"dlss": {Files: []string{path}, Match: "lib.dll"}}
}

func module(kernels string) fatbintest.Entry {
	return fatbintest.Entry{PTX: fatbintest.Text(kernels, "\r\n"), Compression: "lz4"}
}

// cell is a texture kernel with one helper.
func (b *bench) cell(kernel, target string) *matrix.Cell {
	b.Helper()
	text := `edition = 1
project "p" {
  version = "1"
}
generation "g" {
  targets = ["gfx1100", "gfx1201"]
  waves   = [32, 64]
}
library "dlss" {
  paths = []
  match = "lib.dll"
}
toolchain "hip" {
  kind  = "clang"
  flags = ["-std=c++20", "-nogpuinc"]
}
toolchain "emit" {
  kind = "emitter"
  env  = { D4R_ZLUDA_IGNORE_DENORMAL = true }
}
family "tex" {
  toolchain = toolchain.emit
  library   = library.dlss
  bitcode "stores" {
    toolchain = toolchain.hip
    source    = "tex/stores.hip"
  }
  kernel "` + kernel + `" {
    recipe = "stores"
  }
}
`
	m, list := matrix.Load("matrix.hcl", matrix.Options{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
	x, more := m.Expand()
	cells, none := x.Select("tex/"+kernel+"@"+target, "")
	if list = slices.Concat(list, more, none); len(list) > 0 {
		b.Fatal(list)
	}
	return cells[0]
}

func (b *bench) plan(cells ...*matrix.Cell) *Plan {
	b.Helper()
	p, list := New(cells, b.s)
	if len(list) > 0 {
		b.Fatal(list)
	}
	if err := p.Graph.Validate(); err != nil {
		b.Fatal(err)
	}
	return p
}

func (b *bench) node(p *Plan, i int) *engine.Node { return p.Graph.Nodes[p.Node[i]] }

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

// record is what an action that ran leaves behind.
func record(p *Plan, node int, outputs func(n *engine.Node) cache.Digest) (map[cache.Digest]*cache.Record, *cache.Record) {
	all := map[cache.Digest]*cache.Record{}
	find := func(key cache.Digest) *cache.Record { return all[key] }
	var last *cache.Record
	var run func(i int)
	run = func(i int) {
		n := p.Graph.Nodes[i]
		for _, need := range n.Needs {
			run(need.Node)
		}
		r := p.Graph.Resolve(i, find)
		last = &cache.Record{Key: r.Action.Key(), Fields: r.Fields, Outputs: []cache.Output{{Path: n.Action.Outputs[0], Digest: outputs(n)}}}
		all[last.Key] = last
	}
	run(node)
	return all, last
}

// Every change of what an object is made of has its reason.
func TestReasonsOfEmission(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(b *bench, c *matrix.Cell)
		want   string
	}{
		{"module", func(b *bench, _ *matrix.Cell) { b.library(module("post added")) }, "the library's module changed"},
		{"recipe", func(_ *bench, c *matrix.Cell) { c.Recipe = "dec0-head" }, "the recipe, or what it is told, changed"},
		{"counts", func(_ *bench, c *matrix.Cell) { c.Counts = []matrix.Define{{Name: "stores", Value: "4"}} }, "the recipe, or what it is told, changed"},
		{"kinds of stores", func(_ *bench, c *matrix.Cell) { onlyKinds("b32")(c) }, "the recipe, or what it is told, changed"},
		{"lowering", func(_ *bench, c *matrix.Cell) { c.Env = nil }, "how it is lowered changed|flag -Xclang -fdenormal-fp-math-f32=ieee,ieee changed from -Xclang -fdenormal-fp-math-f32=preserve-sign,preserve-sign"},
		{"program", func(b *bench, _ *matrix.Cell) {
			b.s.Program = cache.Sum([]byte("newer"))
			lower := b.s.Lower
			b.s.Lower = func(m *ptx.Module, kernel string, o emit.Options) ([]byte, error) {
				ir, err := lower(m, kernel, o)
				return append(ir, "; new\n"...), err
			}
		}, "this version of kmx edits or lowers the code in another way"},
		{"header of the helper", func(b *bench, _ *matrix.Cell) {
			write(b.T, b.s.Root, map[string]string{"tex/stores.h": "int two;\n"})
		}, "header tex/stores.h changed"},
		{"define of the helper", func(_ *bench, c *matrix.Cell) {
			c.Bitcode = slices.Clone(c.Bitcode)
			c.Bitcode[0].Defines = []matrix.Define{{Name: "FP8", Value: "1"}}
		}, "define FP8 = 1 added"},
		{"wave size", func(_ *bench, c *matrix.Cell) { c.Wave64 = true }, "how it is lowered changed|flag -mwavefrontsize64 added|flag -mno-wavefrontsize64 removed"},
		{"emitter", func(b *bench, _ *matrix.Cell) { b.s.Toolchains["emit"].Emitter = toolchains.EmitterZLUDA }, "the emitter is zluda, was kmx"},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := newBench(t, toolchains.EmitterOwn, module("post"))
			before := b.plan(b.cell("post", "gfx1100"))
			old, last := record(before, before.Node[0], func(n *engine.Node) cache.Digest { return cache.Sum([]byte(n.Label)) })
			cell := b.cell("post", "gfx1100")
			c.change(b, cell)
			p := b.plan(cell)
			all, now := record(p, p.Node[0], func(n *engine.Node) cache.Digest { return cache.Sum([]byte(n.Label + n.Action.Key().String())) })
			if now.Key == last.Key {
				t.Fatal("the key is the same")
			}
			e := p.Evidence(0, nil)
			e.Record = func(key string) ([]cache.Field, bool) {
				d, _ := cache.ParseDigest(key)
				r := old[d]
				if r == nil {
					r = all[d]
				}
				return r.Fields, true
			}
			var got []string
			for _, cause := range Reasons(last.Fields, now.Fields, e) {
				got = append(got, cause.Text)
			}
			slices.Sort(got)
			want := strings.Split(c.want, "|")
			slices.Sort(want)
			for i, g := range got {
				got[i], _, _ = strings.Cut(g, " (")
			}
			// The helper's bytes are others in this test each time.
			got = slices.DeleteFunc(got, func(text string) bool {
				return c.what != "header of the helper" && strings.HasPrefix(text, "the helper ")
			})
			if !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		})
	}
}
