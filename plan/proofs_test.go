package plan

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/engine"
	"kmx/matrix"
	"kmx/toolchains"
)

func digestOf(text string) cache.Digest { return cache.Sum([]byte(text)) }

func clang(core string) *toolchains.Toolchain {
	return &toolchains.Toolchain{Name: "hip", Kind: toolchains.KindClang, Version: core, Core: digestOf(core), Digest: digestOf(core + " and host")}
}

// foldCells are the cells of two kernels on four GPUs, in two modes.
func foldCells(t *testing.T) map[string]*matrix.Cell {
	t.Helper()
	const text = `edition = 1
project "p" {
  version = "1"
}
generation "gfx11" {
  targets = ["gfx1100", "gfx1102"]
  waves   = [32]
}
generation "gfx12" {
  targets = ["gfx1200", "gfx1201"]
  waves   = [32]
}
toolchain "hip" {
  kind  = "clang"
  flags = ["-O1", "-nogpuinc", "-nogpulib", "-nostdlibinc", "-fuse-cuid=none"]
}
axis "numerics" {
  values  = ["fast", "accuracy"]
  default = "fast"
}
family "k" {
  toolchain = toolchain.hip
  axes      = [axis.numerics]
  kernels "all" {
    for    = { op = ["a", "b"] }
    name   = op
    source = "k/${op}.hip"
  }
}
`
	m, list := matrix.Load("matrix.hcl", matrix.Options{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
	if list.HasErrors() {
		t.Fatal(list)
	}
	x, more := m.Expand()
	if more.HasErrors() {
		t.Fatal(more)
	}
	all := map[string]*matrix.Cell{}
	for _, c := range x.Cells {
		all[c.Address()] = c
	}
	return all
}

func TestProofsUpdate(t *testing.T) {
	cells := foldCells(t)
	found := func(address, object string) Compiled {
		return Compiled{Cell: cells[address], Premise: digestOf("premise of " + address), Object: digestOf(object)}
	}
	p := &Proofs{}
	one, two := clang("one"), clang("two")
	p.Update(one, []Compiled{
		found("k/a@gfx1100", "x"), found("k/a@gfx1102", "x"), found("k/a@gfx1200", "y"), found("k/a@gfx1201", "y"),
		found("k/a@gfx1100+accuracy", "x"), found("k/b@gfx1100", "x"), found("k/b@gfx1102", "z"),
	})
	classes := func() string {
		var b strings.Builder
		for _, c := range p.Compilers {
			for _, e := range c.Equal {
				b.WriteString(c.Version + ": " + e.Kernel + " " + strings.Join(Points(e), " ") + "\n")
			}
		}
		return b.String()
	}
	want := "clang one: k/a gfx1100 gfx1100+accuracy gfx1102\nclang one: k/a gfx1200 gfx1201\n"
	if got := classes(); got != want {
		t.Errorf("got %swant %s", got, want)
	}
	// What one compiler makes says nothing of another one.
	p.Update(two, []Compiled{found("k/a@gfx1200", "w"), found("k/a@gfx1201", "w")})
	if got := classes(); got != want+"clang two: k/a gfx1200 gfx1201\n" {
		t.Error(got)
	}
	// A cell that is not equal any more leaves its class, others stay.
	p.Update(one, []Compiled{found("k/a@gfx1102", "other")})
	want = "clang one: k/a gfx1100 gfx1100+accuracy\nclang one: k/a gfx1200 gfx1201\nclang two: k/a gfx1200 gfx1201\n"
	if got := classes(); got != want {
		t.Errorf("got %swant %s", got, want)
	}
	p.Update(two, []Compiled{found("k/a@gfx1201", "other")})
	if got := classes(); strings.Contains(got, "two") || p.Holds() != 4 || !p.Addresses()["k/a@gfx1201"] {
		t.Error(got)
	}
	// Cells that share their action are equal without a proof.
	p.Update(one, []Compiled{
		{Cell: cells["k/b@gfx1200"], Premise: digestOf("shared"), Object: digestOf("s")},
		{Cell: cells["k/b@gfx1200+accuracy"], Premise: digestOf("shared"), Object: digestOf("s")},
	})
	if got := classes(); strings.Contains(got, "k/b") {
		t.Error(got)
	}

	file := filepath.Join(t.TempDir(), ProofsName)
	if err := p.Write(file); err != nil {
		t.Fatal(err)
	}
	again, list := ReadProofs(file)
	if len(list) > 0 || !bytes.Equal(again.Text(), p.Text()) || len(again.Proven()) != len(p.Proven()) {
		t.Errorf("%v\n%s", list, again.Text())
	}
	none, list := ReadProofs(file + ".none")
	if len(list) > 0 || none.Holds() != 0 || len(none.Proven()) != 0 {
		t.Errorf("no file: %v %v", none, list)
	}
}

func TestProofsRefuses(t *testing.T) {
	const a, b = `"blake3:0101010101010101010101010101010101010101010101010101010101010101"`, `"blake3:0202020202020202020202020202020202020202020202020202020202020202"`
	file := func(equal string) string {
		return "edition = 1\ncompiler \"clang 1\" {\n  core = " + a + "\n" + equal + "}\n"
	}
	equal := func(kernel, object, cells string) string {
		return "  equal \"" + kernel + "\" {\n    object = " + object + "\n    cells = {" + cells + "}\n  }\n"
	}
	two := `"gfx1200" = ` + a + "\n" + `"gfx1201" = ` + b
	for _, c := range []struct{ name, text, want string }{
		{"whole", file(equal("k/a", a, two)), ""},
		{"nothing", "edition = 1\n", ""},
		{"no HCL", "edition = ", "fold.lock.hcl:1:"},
		{"another edition", "edition = 2\n", "fold.lock.hcl has edition 2; this version of kmx reads edition 1"},
		{"an odd word", "edition = 1\nmore = 2\n", "unsupported argument"},
		{"no digest", file(equal("k/a", `"blake3:01"`, two)), "object must be blake3: and 64 hexadecimal digits"},
		{"no digest of a cell", file(equal("k/a", a, `"gfx1200" = "x"`+"\n"+`"gfx1201" = `+b)), "gfx1200 must be blake3:"},
		{"one cell", file(equal("k/a", a, `"gfx1200" = `+b)), "one alone is equal to nothing"},
		{"no kernel", file(equal("a@gfx1200", a, two)), `"a@gfx1200" is not FAMILY/KERNEL`},
		{"one premise, two objects", file(equal("k/a", a, two) + equal("k/a", b, two)), "k/a@gfx1200 depends on what another block has an object for"},
		{"a compiler twice", file("") + "compiler \"clang 2\" {\n  core = " + a + "\n}\n", `compiler "clang 2" stands here twice`},
	} {
		_, list := parseProofs([]byte(c.text), ProofsName)
		var text []string
		for _, m := range list {
			text = append(text, m.Where.String()+": "+m.Summary)
			if m.Hint != proofsHint {
				t.Errorf("%s: hint %q", c.name, m.Hint)
			}
		}
		if got := strings.Join(text, "\n"); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	if _, list := ReadProofs(t.TempDir()); !list.HasErrors() {
		t.Error("a folder is read as a map")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.hcl"), []byte("edition"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, list := ReadProofs(filepath.Join(dir, "x.hcl")); !list.HasErrors() || list[0].Where.File != "x.hcl" {
		t.Errorf("%v", list)
	}
}

// A proof depends on everything that its action does, but of the compiler's closure
// on the compiler itself alone.
func TestPremise(t *testing.T) {
	base := engine.Action{Kind: "compile-hip", Tool: "hip:bin/clang++", Args: []string{"-O1"}, Toolchain: clang("one").Digest,
		Inputs: []engine.Input{{Path: "k.hip", Digest: digestOf("x")}}, Outputs: []string{"k.hsaco"}}
	premise := Premise(base, clang("one"))
	host := clang("one")
	host.Digest = digestOf("another libm")
	moved := base
	moved.Toolchain = host.Digest
	if Premise(moved, host) != premise {
		t.Error("a library of the host counts")
	}
	if Premise(base, clang("two")) == premise {
		t.Error("another compiler does not count")
	}
	for name, change := range map[string]func(*engine.Action){
		"argument": func(a *engine.Action) { a.Args = []string{"-O2"} },
		"source":   func(a *engine.Action) { a.Inputs = []engine.Input{{Path: "k.hip", Digest: digestOf("y")}} },
		"env":      func(a *engine.Action) { a.Env = []engine.EnvVar{{Name: "A", Value: "1"}} },
	} {
		other := base
		change(&other)
		if Premise(other, clang("one")) == premise {
			t.Errorf("another %s does not count", name)
		}
	}
	// Tokens count, not bytes: a comment takes no proof away.
	tokens := base
	tokens.Inputs = []engine.Input{{Path: "k.hip", Digest: digestOf("t"), Rule: "tokens", Bytes: digestOf("x")}}
	comment := base
	comment.Inputs = []engine.Input{{Path: "k.hip", Digest: digestOf("t"), Rule: "tokens", Bytes: digestOf("x // y")}}
	if Premise(tokens, clang("one")) != Premise(comment, clang("one")) {
		t.Error("a comment counts")
	}
	if base.Toolchain != clang("one").Digest {
		t.Error("the action was changed")
	}
}

// Every map that is accepted is written as it is read.
func FuzzProofs(f *testing.F) {
	const a, b = "blake3:0101010101010101010101010101010101010101010101010101010101010101", "blake3:0202020202020202020202020202020202020202020202020202020202020202"
	f.Add([]byte("edition = 1\n"))
	f.Add([]byte("edition = 1\ncompiler \"clang 1\" {\n  core = \"" + a + "\"\n  equal \"k/a\" {\n    object = \"" + b +
		"\"\n    cells = {\n      \"gfx1200\" = \"" + a + "\"\n      gfx1201 = \"" + b + "\"\n    }\n  }\n}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, list := parseProofs(data, ProofsName)
		if list.HasErrors() {
			return
		}
		text := p.Text()
		again, list := parseProofs(text, ProofsName)
		if len(list) > 0 || !bytes.Equal(again.Text(), text) {
			t.Fatalf("%v\n%s\nbecomes\n%s", list, data, text)
		}
	})
}
