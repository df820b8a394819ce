package matrix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzLoad holds that no file makes Load or Expand panic or run for long, and
// that what expands has addresses that select their cell.
func FuzzLoad(f *testing.F) {
	for _, path := range []string{"../matrix.hcl", "testdata/features.hcl", "testdata/head.hcl"} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	names, _ := filepath.Glob("testdata/wrong/*.txtar")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(file(txtar.Parse(data), "matrix.hcl")))
	}
	defer func(cells int) { maxCells = cells }(maxCells)
	maxCells = 5_000
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		start := time.Now()
		m, l := load(t, text, Options{})
		x, more := m.Expand()
		printed(m, append(l, more...))
		for i, c := range x.Cells {
			if i > 50 {
				break
			}
			if cells, l := x.Select(c.Address(), ""); len(cells) != 1 || cells[0] != c || l.HasErrors() {
				t.Errorf("%s selects %d cells: %v", c.Address(), len(cells), l)
			}
		}
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("took %s", d)
		}
	})
}

// FuzzSelect holds that no selector panics, and that an error and cells
// exclude each other for a single selector.
func FuzzSelect(f *testing.F) {
	_, x := good(f, "testdata/features.hcl", Options{})
	for _, s := range []string{
		"", "m", "m@gfx1201", "m+*", "*@gfx12+fp8,k", "m/rr*@gfx110?+fp8=false+variant=", "k@", "+", "@", "/", ",",
		"m@gfx1201+accuracy+numerics=fast", "odd/odd@gfx1100+folded=false+tile=16+mode=fp8", strings.Repeat("*a", 50),
	} {
		f.Add(s, "")
		f.Add("m", s)
	}
	f.Fuzz(func(t *testing.T, selectors, not string) {
		cells, l := x.Select(selectors, not)
		if !strings.Contains(selectors, ",") && not == "" && l.HasErrors() == (len(cells) > 0) {
			t.Errorf("%q: %d cells and %v", selectors, len(cells), l)
		}
	})
}
