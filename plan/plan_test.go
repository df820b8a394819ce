package plan

import (
	"strings"
	"testing"

	"kmx/cache"
	"kmx/matrix"
	"kmx/toolchains"
)

func openMemo(t *testing.T) *cache.Memo {
	t.Helper()
	store, err := cache.Open(t.TempDir(), func(msg string) { t.Error(msg) })
	if err != nil {
		t.Fatal(err)
	}
	return store.Memo()
}

func source(t *testing.T) Source {
	return Source{Root: t.TempDir(), Memo: openMemo(t),
		Toolchains: map[string]*toolchains.Toolchain{"hip": {Name: "hip", Kind: toolchains.KindClang}}}
}

// Every problem of every cell is told at once, each kind once.
func TestNewProblems(t *testing.T) {
	s := source(t)
	write(t, s.Root, map[string]string{"k/enc1.hip": "#include HEADER\n", "k/other.hip": ""})
	cell := func(kernel, source string) *matrix.Cell {
		return &matrix.Cell{Family: "k", Kernel: kernel, Toolchain: "hip", Source: source, Target: matrix.Target{Name: "gfx1101"}}
	}
	recipe := cell("a", "")
	recipe.Recipe = "stores"
	bitcode := cell("b", "k/other.hip")
	bitcode.Bitcode = []matrix.Bitcode{{Name: "tex"}}
	_, list := New([]*matrix.Cell{recipe, bitcode, cell("c", "k/enc1.hip"), cell("d", "k/enc1.hip"), cell("e", "k/enc2.hip")}, s)
	var all []string
	for _, m := range list {
		all = append(all, m.Summary+" | "+m.Hint)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"recipe stores edits PTX, and toolchain hip is a compiler of sources", `bitcode "tex" is declared, and only recipes link any`, "#include HEADER", "k/enc2.hip does not exist", "did you mean enc1.hip?"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(list) != 4 {
		t.Errorf("%d problems:\n%s", len(list), text)
	}
}

// Cells with the same action share one node, and each is checked.
func TestNewShares(t *testing.T) {
	s := source(t)
	write(t, s.Root, map[string]string{"k/a.hip": ""})
	c := matrix.Cell{Family: "k", Kernel: "a", Toolchain: "hip", Source: "k/a.hip", Target: matrix.Target{Name: "gfx1101"}}
	twin, other := c, c
	other.Target.Name = "gfx1201"
	p, list := New([]*matrix.Cell{&c, &twin, &other}, s)
	if len(list) > 0 {
		t.Fatal(list)
	}
	if len(p.Graph.Nodes) != 2 || p.Node[0] != 0 || p.Node[1] != 0 || p.Node[2] != 1 {
		t.Errorf("nodes %v of %d", p.Node, len(p.Graph.Nodes))
	}
	err := p.Graph.Nodes[0].Check(map[string][]byte{"a.hsaco": []byte("no object")})
	if err == nil || strings.Count(err.Error(), "does not match its declaration") != 2 {
		t.Errorf("both cells check the object: %v", err)
	}
}
