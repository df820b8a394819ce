package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
