package flow

import (
	"slices"
	"strings"
	"testing"

	"kmx/matrix"
	"kmx/plan"
	"kmx/release"
)

func TestTrialFlagsActLast(t *testing.T) {
	from := matrix.Origin{What: "family toy"}
	c := &matrix.Cell{
		Kernel: "k", Toolchain: "hip", Source: "k.hip", Target: matrix.Target{Name: "gfx1201"},
		Flags:   []matrix.Token{{Text: "-O3", From: from}},
		Defines: []matrix.Define{{Name: "X", Value: "2", From: from}, {Name: "Y", Value: "1", From: from}},
		Include: []matrix.Token{{Text: "include", From: from}},
	}
	tr, err := readTrial(`-DX=1 -O2 -mllvm -a=b -U Y -I more '-DNAME="a b"'`)
	if err != nil {
		t.Fatal(err)
	}
	tried := tr.cells([]*matrix.Cell{c})[0]
	var got []string
	origins := map[string]string{}
	for _, token := range plan.Command(tried) {
		got = append(got, token.Text)
		origins[token.Text] = token.From.What
	}
	want := `-O3 -O2 -mllvm -a=b -UY -DX=1 -DNAME="a b" -Iinclude -Imore`
	if !strings.Contains(strings.Join(got, " "), want) {
		t.Errorf("%q does not hold %q", got, want)
	}
	for _, w := range []string{"-O2", "-DX=1", "-Imore", "-a=b"} {
		if origins[w] != "-cflags" {
			t.Errorf("%s comes from %q", w, origins[w])
		}
	}
	if len(c.Flags) != 1 || len(c.Defines) != 2 || c.Defines[0].Value != "2" || len(c.Include) != 1 {
		t.Error("the declared cell has changed")
	}
}

func TestTrialRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"O2":                       "no flag",
		"-o x":                     "not to be tried",
		"--offload-arch=gfx1100":   "not to be tried",
		"-MD":                      "not to be tried",
		"-DX='a":                   "does not end",
		"-O2 -mllvm":               "needs a word",
		"-save-temps":              "not to be tried",
		"-fno-crash-diagnostics x": "no flag",
	} {
		if _, err := readTrial(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestTrialsLieApart(t *testing.T) {
	a, _ := readTrial("-O2")
	b, _ := readTrial("-O3")
	same, _ := readTrial("  -O2 ")
	plans := a.mark([]release.SetPlan{{Path: "gfx1201", Developer: "gfx1201 joins no set of the matrix"}})
	if plans[0].Path != a.folder()+"/gfx1201" || plans[0].Developer != "built with -cflags=-O2; gfx1201 joins no set of the matrix" {
		t.Errorf("%+v", plans[0])
	}
	if a.folder() == b.folder() || a.folder() != same.folder() {
		t.Error("folders tell flags apart")
	}
	if none := trial(nil).mark([]release.SetPlan{{Path: "gfx1201"}}); none[0].Path != "gfx1201" || none[0].Developer != "" {
		t.Errorf("%+v", none[0])
	}
	if words, _ := shellSplit(`a\ b "c d" ''`); !slices.Equal(words, []string{"a b", "c d", ""}) {
		t.Errorf("%q", words)
	}
}
