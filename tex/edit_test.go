package tex

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// cases are the modules of testdata with what is done to them.
var cases = []struct {
	golden, module, recipe string
	options                Options
}{
	{"stores", "stores", "stores", Options{}},
	{"stores-b32", "stores", "stores", Options{Kinds: []string{"b32"}}},
	{"round", "round", "stores", Options{}},
	{"enc0", "enc0", "enc0-tail", Options{}},
	{"enc0_other", "enc0_other", "enc0-tail", Options{}},
	{"dec0", "dec0", "dec0-head", Options{}},
	{"dec0-fp8", "dec0", "dec0-head", Options{FP8: true}},
	{"lenc0", "lenc0", "l-enc0-tail", Options{FP8: true}},
	{"ldec0", "ldec0", "l-dec0-block", Options{FP8: true}},
}

// TestGolden shows every recipe at work. The golden files hold the counts, the
// functions called and the difference; read them after -update.
func TestGolden(t *testing.T) {
	for _, c := range cases {
		t.Run(c.golden, func(t *testing.T) {
			m, r, err := edit(t, c.module, source(t, c.module), c.recipe, c.options)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, n := range slices.Sorted(maps.Keys(r.Counts)) {
				fmt.Fprintf(&b, "%s = %d\n", n, r.Counts[n])
			}
			fmt.Fprintf(&b, "calls %s\n%s", strings.Join(r.Externs, " "), Diff(m, r, DiffOptions{Context: 2, Elide: 4}))
			golden(t, c.golden+".golden", b.String())
		})
	}
}
