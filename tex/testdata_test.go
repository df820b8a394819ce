package tex

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"kmx/cuda/ptx"
)

var update = flag.Bool("update", false, "write the golden files anew")

// counted is what source puts in the place of <i>, <140+i> or <100+4i>.
var counted = regexp.MustCompile(`<(?:(\d+)\+)?(\d*)i>`)

// source reads a module of testdata. Lines between "//repeat N" and "//end" are
// written N times, with i from 0.
func source(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".ptx"))
	if err != nil {
		t.Fatal(err)
	}
	var out, body strings.Builder
	n, to := 0, &out
	for line := range strings.Lines(string(raw)) {
		word := strings.Fields(line + " .")
		switch {
		case word[0] == "//repeat":
			if n, err = strconv.Atoi(word[1]); err != nil {
				t.Fatal(err)
			}
			body.Reset()
			to = &body
		case word[0] == "//end":
			for i := range n {
				out.WriteString(counted.ReplaceAllStringFunc(body.String(), func(s string) string {
					m := counted.FindStringSubmatch(s)
					add, _ := strconv.Atoi(m[1])
					factor, err := strconv.Atoi(m[2])
					if err != nil {
						factor = 1
					}
					return strconv.Itoa(add + factor*i)
				}))
			}
			to = &out
		default:
			to.WriteString(line)
		}
	}
	return out.String()
}

func parse(t testing.TB, name, text string) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse(name+".ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// kernelOf is the only kernel of a module.
func kernelOf(t testing.TB, m *ptx.Module) string {
	t.Helper()
	if n := len(m.Entries()); n != 1 {
		t.Fatalf("%s has %d entries", m.Name, n)
	}
	return m.Entries()[0].Name
}

// edit edits the only kernel of a text.
func edit(t testing.TB, name, text, recipe string, o Options) (*ptx.Module, *Result, error) {
	t.Helper()
	m := parse(t, name, text)
	r := Request{Kernel: kernelOf(t, m), Recipe: recipe, Module: m, Options: o}
	if strings.HasPrefix(name, "enc0") {
		r.Reference = parse(t, "enc0", source(t, "enc0"))
	}
	res, err := Edit(r)
	return m, res, err
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")), []byte(got)) {
		t.Errorf("%s differs from what is made now (-update writes it anew):\n%s", path, firstDifference(string(want), got))
	}
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\n- %s\n+ %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, now %d", len(a), len(b))
}
