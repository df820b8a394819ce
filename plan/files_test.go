package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/engine"
)

// What is new or gone among the inputs is a cause where an old line means
// another file now, and a consequence where a changed one names it.
func TestReasonsOfInputs(t *testing.T) {
	tree0 := map[string]string{
		"k/a.hip":   "#include \"one.h\"\n#include <two.h>\n#if __has_include(\"maybe.h\")\n#endif\n#include <stdint.h>\n",
		"b/one.h":   "",
		"b/two.h":   "#include \"three.h\"\n",
		"b/three.h": "",
	}
	for _, c := range []struct {
		name string
		more map[string]string // "-" takes a file away
		want string
	}{
		{"a comment", map[string]string{"b/one.h": "//\n", "k/a.hip": tree0["k/a.hip"] + "\n"}, ""},
		{"a header", map[string]string{"b/one.h": "int i;\n"}, "header b/one.h changed"},
		{"the source", map[string]string{"k/a.hip": tree0["k/a.hip"] + "int i;\n"}, "source k/a.hip changed"},
		{"a place", map[string]string{"b/one.h": "int i = __LINE__;\n", "k/a.hip": tree0["k/a.hip"] + "\n"},
			"header b/one.h changed [its sources count by their bytes now, comments too]; source k/a.hip changed"},
		{"two headers", map[string]string{"b/one.h": "int i;\n", "b/two.h": tree0["b/two.h"] + "int j;\n"}, "header b/one.h changed; header b/two.h changed"},
		{"a changed header names another", map[string]string{"b/one.h": "#include \"new.h\"\n", "b/new.h": "#include \"newer.h\"\n", "b/newer.h": ""},
			"header b/one.h changed [new input b/new.h (b/one.h:1), new input b/newer.h]"},
		{"a changed header names one less", map[string]string{"b/two.h": "\n"}, "header b/two.h changed [no longer read: b/three.h]"},
		{"a shadow", map[string]string{"a/one.h": ""}, "new input a/one.h (shadows b/one.h)"},
		{"a shadow that names another", map[string]string{"a/one.h": "#include \"own.h\"\n", "a/own.h": ""}, "new input a/one.h (shadows b/one.h) [new input a/own.h]"},
		{"a shadow of one that names another", map[string]string{"a/two.h": ""}, "new input a/two.h (shadows b/two.h) [no longer read: b/three.h]"},
		{"a shadow of the toolchain's", map[string]string{"a/stdint.h": ""}, "new input a/stdint.h (shadows the toolchain's)"},
		{"a probe hits", map[string]string{"b/maybe.h": ""}, "new input b/maybe.h (k/a.hip:3 looks for it)"},
		{"a move along the path", map[string]string{"b/one.h": "-", "c/one.h": ""}, "header b/one.h is gone (c/one.h is read instead)"},
		{"gone", map[string]string{"b/one.h": "-"}, "header b/one.h is gone (k/a.hip:1 names it) [its sources count by their bytes now, comments too]"},
	} {
		root := t.TempDir()
		write(t, root, tree0)
		include := []string{"a", "b", "c"}
		_, before := inputsAction(t, root, include)
		for name, text := range c.more {
			if text == "-" {
				if err := os.Remove(filepath.Join(root, filepath.FromSlash(name))); err != nil {
					t.Fatal(err)
				}
				continue
			}
			write(t, root, map[string]string{name: text})
		}
		files, now := inputsAction(t, root, include)
		var got []string
		for _, cause := range Reasons(before.Fields(), now.Fields(), Evidence{Files: files}) {
			text := cause.Text
			if len(cause.Follows) > 0 {
				text += " [" + strings.Join(cause.Follows, ", ") + "]"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, text, c.want)
		}
	}
}

func inputsAction(t *testing.T, root string, include []string) (*Files, engine.Action) {
	t.Helper()
	store, err := cache.Open(t.TempDir(), func(msg string) { t.Error(msg) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	tr := newTree(root, store.Memo())
	read, problems := tr.inputs([]string{"k/a.hip"}, include)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	f := &Files{tree: tr, include: include}
	in := read.inputs(ruleOf([]string{"-nogpuinc"}, nil, read.traits))
	for _, i := range in {
		f.inputs = append(f.inputs, i.Path)
	}
	return f, engine.Action{Tool: "t", Args: []string{"k/a.hip"}, Inputs: in}
}

// A directory that is searched leads to other files: they are consequences.
func TestReasonsOfInclude(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"k/a.hip": "#include <one.h>\n", "a/one.h": "", "b/one.h": ""})
	_, before := inputsAction(t, root, []string{"b"})
	before.Args = []string{"-Ib", "k/a.hip"}
	files, now := inputsAction(t, root, []string{"a", "b"})
	now.Args = []string{"-Ia", "-Ib", "k/a.hip"}
	got := Reasons(before.Fields(), now.Fields(), Evidence{Files: files})
	if len(got) != 1 || got[0].Text != "include directory a added" || len(got[0].Follows) != 2 {
		t.Errorf("got %s", said(got))
	}
}
