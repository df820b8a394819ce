package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestResults holds that what was judged is found again, for the same sources and
// kernel only, and that a line that was cut short is forgotten.
func TestResults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sub", "r.jsonl")
	r, err := openResults(name)
	if err != nil {
		t.Fatal(err)
	}
	a := record{ID: "a", Sources: "s", Kernel: "k", Verdict: killed}
	if err := r.add(a); err != nil {
		t.Fatal(err)
	}
	r.file.Close()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":"b","sour`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if r, err = openResults(name); err != nil {
		t.Fatal(err)
	}
	if err := r.add(record{ID: "c", Sources: "s", Kernel: "k"}); err != nil {
		t.Fatal(err)
	}
	r.file.Close()
	if r, err = openResults(name); err != nil {
		t.Fatal(err)
	}
	defer r.file.Close()
	for _, c := range []struct {
		id, sources, kernel string
		want                bool
	}{{"a", "s", "k", true}, {"a", "other", "k", false}, {"a", "s", "other", false}, {"b", "s", "k", false}, {"c", "s", "k", true}} {
		if _, ok := r.find(c.id, c.sources, c.kernel); ok != c.want {
			t.Errorf("%+v: %v", c, ok)
		}
	}
	if err := os.WriteFile(name, []byte("no\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openResults(name); err == nil || !strings.Contains(err.Error(), "r.jsonl:1") {
		t.Errorf("a file of another kind: %v", err)
	}
}

func TestMarkdown(t *testing.T) {
	list := []record{
		{ID: "11111111", File: "a.h", Line: 3, Op: "drop guard", Before: "x |\n y", After: "true", Kernel: "k1", Cell: "k/k1@gfx1101", Verdict: killed, By: "bytes", Detail: "all differ"},
		{ID: "22222222", File: "b.h", Line: 4, Op: "drop fence", Before: "f()", After: "(void)0", Kernel: "k1", Cell: "c", Verdict: survived},
		{ID: "33333333", File: "b.h", Line: 5, Op: "drop fence", Before: "g()", After: "(void)0", Kernel: "k2", Cell: "c", Verdict: survived},
		{ID: "44444444", File: "b.h", Op: "drop guard", Kernel: "k2", Verdict: refused, Detail: "error: no"},
		{ID: "55555555", File: "b.h", Op: "drop guard", Kernel: "k2", Verdict: same},
	}
	got := markdown(7, "clang 19", list, reasons{"22222222": "Equivalent: nobody sees it"})
	for _, want := range []string{
		"seed 7: 3 mutants, 1 killed (33.3 %), 2 survived; 50.0 % of the 2 that are faults are killed; besides, 1 did not compile and 1 changed nothing. clang 19.",
		"| drop guard | 1 | 1 | 0 | 100 % | 1 | 1 |", "| drop fence | 2 | 0 | 2 | 0 % | 0 | 0 |", "| k2 | 1 | 0 | 1 | 0 % | 1 | 1 |",
		"1 of the survivors compute the same as the original, so they are no faults.",
		"What killed them: bytes 1.", "| 22222222 | b.h:4 | drop fence | `f()` -> `(void)0` | c | Equivalent: nobody sees it |", "| not explained |",
		`| a.h:3 | drop guard | ` + "`x \\| y` -> `true`" + ` | k/k1@gfx1101 | killed | all differ |`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it should have %s\n%s", want, got)
		}
	}
	if strings.Contains(got, "55555555") || total(list).rate() > 34 {
		t.Error("what changes nothing counts")
	}
}

func TestReasons(t *testing.T) {
	name := filepath.Join(t.TempDir(), "why")
	if err := os.WriteFile(name, []byte("# note\n\n0123abcd  no such memory\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := readReasons(name); err != nil || len(r) != 1 || r["0123abcd"] != "no such memory" {
		t.Errorf("%v %v", r, err)
	}
	if err := os.WriteFile(name, []byte("short x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readReasons(name); err == nil {
		t.Error("a line without an ID was read")
	}
}
