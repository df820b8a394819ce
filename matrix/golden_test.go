package matrix

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"kmx/internal/diag"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestWrong runs the wrong matrices of testdata/wrong. Each is a txtar archive:
// matrix.hcl, perhaps env and vars (NAME=VALUE lines), absent (libraries that
// are not there), now (what the clock says) and select (one line a run:
// selectors, then perhaps " not " and not-selectors), and want: every message,
// as printed. Other files that end in .hcl can be included. A matrix.hcl
// without a project block gets testdata/head.hcl at its end.
func TestWrong(t *testing.T) {
	head, err := os.ReadFile("testdata/head.hcl")
	if err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob("testdata/wrong/*.txtar")
	if len(names) < 100 {
		t.Errorf("only %d wrong matrices", len(names))
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(data)
			got, n := runWrong(t, a, string(head))
			if n == 0 {
				t.Errorf("nothing is wrong with it")
			}
			if *update {
				setFile(a, "want", got)
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(file(a, "want")); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func file(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func setFile(a *txtar.Archive, name, data string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(data)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
}

func assignments(text []byte) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			m[name] = value
		}
	}
	return m
}

// loadFiles reads a matrix from text, and what it includes from an archive.
func loadFiles(text string, a *txtar.Archive, o Options) (*Matrix, diag.List) {
	o.ReadFile = func(name string) ([]byte, error) {
		name = filepath.ToSlash(name)
		if name == "matrix.hcl" {
			return []byte(text), nil
		}
		if data := file(a, name); data != nil {
			return data, nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return Load("matrix.hcl", o)
}

// runWrong is every message of a case, and their number.
func runWrong(t *testing.T, a *txtar.Archive, head string) (string, int) {
	text := string(file(a, "matrix.hcl"))
	if !strings.Contains(text, "project ") {
		text = text + "\n" + head
	}
	env := assignments(file(a, "env"))
	o := Options{
		Vars:   assignments(file(a, "vars")),
		Getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	}
	absent := strings.Fields(string(file(a, "absent")))
	o.HasLibrary = func(l Library) bool { return !slices.Contains(absent, l.Name) }
	if now := strings.TrimSpace(string(file(a, "now"))); now != "" {
		var err error
		if o.Now, err = time.Parse(time.DateOnly, now); err != nil {
			t.Fatal(err)
		}
	}
	m, l := loadFiles(text, a, o)
	x, more := m.Expand()
	l = append(l, more...)
	var b bytes.Buffer
	b.WriteString(printed(m, l))
	n := len(l)
	for line := range strings.Lines(string(file(a, "select"))) {
		selectors, not, _ := strings.Cut(strings.TrimSpace(line), " not ")
		cells, l := x.Select(selectors, not)
		fmt.Fprintf(&b, "select %s: %d cells\n", strings.TrimSpace(line), len(cells))
		diag.Print(&b, l, diag.Style{Source: m.Source})
		n += len(l)
	}
	return b.String(), n
}
