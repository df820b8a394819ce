package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/cuda/standin"
	"kmx/matrix"
	"kmx/toolchains"
)

// TestStandinLibrary plans every texture kernel of the project for two GPUs from
// the stand-in library, with both emitters: each recipe applies, each kernel that
// is not left out is lowered, and FP8 sets share what has nothing to do with FP8.
func TestStandinLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nvngx_dlss.dll")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := standin.Write(f, standin.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	store, err := cache.Open(t.TempDir(), func(msg string) { t.Error(msg) })
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, c := range []struct {
		emitter       string
		env           string
		cells, shared int // objects of one GPU; those that its FP8 sets share
	}{
		{toolchains.EmitterOwn, "", 4*49 + 2*4 + 10, 2 * 44},
		{toolchains.EmitterZLUDA, "/opt/d4r_emit", 4*54 + 10, 0},
	} {
		m, list := matrix.Load("../matrix.hcl", matrix.Options{
			ReadFile: func(name string) ([]byte, error) { return os.ReadFile(filepath.Join("..", filepath.Base(name))) },
			Vars:     map[string]string{"preset_l": "true"},
			Getenv:   func(name string) (string, bool) { return c.env, name == toolchains.EmitterEnv && c.env != "" },
		})
		x, more := m.Expand()
		if list = append(list, more...); list.HasErrors() {
			t.Fatal(list)
		}
		cells, none := x.Select("tex@gfx1201+*,l@gfx1201+*", "")
		if none.HasErrors() {
			t.Fatal(none)
		}
		p, list := New(cells, Source{
			Root: "..", Memo: store.Memo(), Store: store, Libraries: map[string]LibrarySource{"dlss": {Files: []string{path}}},
			Toolchains: map[string]*toolchains.Toolchain{
				"hip":  {Name: "hip", Kind: toolchains.KindClang},
				"emit": {Name: "emit", Kind: toolchains.KindEmitter, Emitter: c.emitter},
			},
		})
		if list.HasErrors() {
			t.Fatal(list)
		}
		if err := p.Graph.Validate(); err != nil {
			t.Fatal(err)
		}
		distinct := map[int]bool{}
		for i, cell := range p.Cells {
			n := p.Graph.Nodes[p.Node[i]]
			distinct[p.Node[i]] = true
			if n.Err != nil {
				t.Errorf("%s: %v", cell.Address(), n.Err)
				continue
			}
			if use := p.Module[i]; use == nil || !strings.HasPrefix(use.Edits, cell.Recipe) {
				t.Errorf("%s is made of %v", cell.Address(), use)
			}
		}
		if len(p.Cells) != c.cells {
			t.Errorf("%s: %d cells, not %d", c.emitter, len(p.Cells), c.cells)
		}
		if shared := len(p.Cells) - len(distinct); shared != c.shared {
			t.Errorf("%s: %d objects are shared, not %d", c.emitter, shared, c.shared)
		}
	}
}
