package matrix

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// needsNoQuoting is what bash, zsh and fish take as it is, anywhere in a word
// that starts with a letter.
var needsNoQuoting = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./@+=-]*$`)

// TestAddresses holds that every address, pasted back, selects its cell and
// nothing else, in whatever order its parts are written.
func TestAddresses(t *testing.T) {
	for _, path := range []string{"testdata/example.hcl", "testdata/features.hcl", "../matrix.hcl"} {
		t.Run(path, func(t *testing.T) {
			_, x := good(t, path, Options{})
			seen := map[string]bool{}
			for i, c := range x.Cells {
				a := c.Address()
				if seen[a] {
					t.Fatalf("%s twice", a)
				}
				seen[a] = true
				if !needsNoQuoting.MatchString(a) {
					t.Errorf("%s needs quoting", a)
				}
				parts := strings.Split(a, "+")
				slices.Reverse(parts[1:])
				for _, text := range []string{a, strings.Join(parts, "+")} {
					if text != a && i%5 != 0 {
						continue
					}
					cells, l := x.Select(text, "")
					if len(l) > 0 || len(cells) != 1 || cells[0] != c {
						t.Fatalf("%s selects %d cells: %v", text, len(cells), l)
					}
				}
				if i%5 != 0 {
					continue // the scan looks at every cell
				}
				// The scan must agree with the look-up by address.
				s := &selector{x: x, m: x.matrix, text: a, ps: newProblems(), values: map[string]string{}}
				if !s.parse() {
					t.Fatal(a, s.ps.messages())
				}
				if cells := s.cells(); len(cells) != 1 || cells[0] != c {
					t.Fatalf("%s matches %d cells", a, len(cells))
				}
			}
			if path != "testdata/features.hcl" {
				return
			}
			for _, want := range []string{
				"k/dltss_pwin_enc0_layer@gfx1103+numerics=accuracy", // would be taken by mode as well
				"odd/odd@gfx1100+folded=false+tile=16+mode=fp8",
			} {
				if !seen[want] {
					t.Errorf("no cell %s", want)
				}
			}
		})
	}
}

// TestSelectors compares selectors made up from the example's cells with what
// they mean, said once more as conditions on cells.
func TestSelectors(t *testing.T) {
	m, x := good(t, "testdata/example.hcl", Options{})
	r := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		text, holds := madeUp(r, m, x.Cells[r.IntN(len(x.Cells))])
		if r.IntN(2) == 0 { // the spelling that no shell expands
			text = strings.ReplaceAll(text, "*", "%")
		}
		var want []*Cell
		for _, c := range x.Cells {
			if holds(c) {
				want = append(want, c)
			}
		}
		got, l := x.Select(text, "")
		if len(l) > 0 || !slices.Equal(got, want) {
			t.Fatalf("%s selects %d cells, want %d: %v", text, len(got), len(want), l)
		}
		// Two selectors are a union, in the order of the expansion; not- takes away.
		other, also := madeUp(r, m, x.Cells[r.IntN(len(x.Cells))])
		var both, without []*Cell
		for _, c := range x.Cells {
			if holds(c) || also(c) {
				both = append(both, c)
			}
			if holds(c) && !also(c) {
				without = append(without, c)
			}
		}
		if got, l := x.Select(text+","+other, ""); len(l) > 0 || !slices.Equal(got, both) {
			t.Fatalf("%s,%s selects %d cells, want %d: %v", text, other, len(got), len(both), l)
		}
		got, l = x.Select(text, other)
		if !slices.Equal(got, without) || l.HasErrors() != (len(without) == 0) {
			t.Fatalf("%s not %s selects %d cells, want %d: %v", text, other, len(got), len(without), l)
		}
	}
}

// madeUp is a selector that selects at least c, and what it means.
func madeUp(r *rand.Rand, m *Matrix, c *Cell) (string, func(*Cell) bool) {
	var conditions []func(*Cell) bool
	add := func(f func(*Cell) bool) { conditions = append(conditions, f) }
	family := c.Family
	if r.IntN(4) == 0 {
		family = "*"
	} else {
		add(func(o *Cell) bool { return o.Family == c.Family })
	}
	text := family
	switch r.IntN(4) {
	case 0:
		text += "/" + c.Kernel
		add(func(o *Cell) bool { return o.Kernel == c.Kernel })
	case 1:
		n := r.IntN(len(c.Kernel))
		text += "/" + c.Kernel[:n] + "*"
		add(func(o *Cell) bool { return strings.HasPrefix(o.Kernel, c.Kernel[:n]) })
	case 2:
		n := r.IntN(len(c.Kernel))
		text += "/" + strings.Repeat("?", n) + c.Kernel[n:]
		add(func(o *Cell) bool { return len(o.Kernel) == len(c.Kernel) && o.Kernel[n:] == c.Kernel[n:] })
	}
	switch r.IntN(4) {
	case 0:
		text += "@" + c.Target.Name
		add(func(o *Cell) bool { return o.Target.Name == c.Target.Name })
	case 1:
		text += "@" + c.Target.Generation
		add(func(o *Cell) bool { return o.Target.Generation == c.Target.Generation })
	case 2:
		text += "@*" + c.Target.Name[5:]
		add(func(o *Cell) bool { return strings.HasSuffix(o.Target.Name, c.Target.Name[5:]) })
	}
	every := r.IntN(3) == 0
	named := map[string]string{}
	points := []string{}
	for _, ax := range m.Axes {
		v, has := c.Axis(ax.Name)
		if !has || v.Default && r.IntN(2) == 0 {
			continue
		}
		if !v.Default && every && r.IntN(2) == 0 {
			continue
		}
		named[ax.Name] = v.Text
		switch {
		case r.IntN(5) == 0:
			named[ax.Name] = "*"
			points = append(points, "+"+ax.Name+"=*")
		case ax.Bool && v.Text == "true":
			points = append(points, "+"+ax.Name)
		case ax.Bool || v.Text == "" || r.IntN(3) == 0:
			points = append(points, "+"+ax.Name+"="+v.Text)
		default:
			points = append(points, "+"+v.Text)
		}
	}
	if every {
		points = append(points, "+*")
	}
	r.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	add(func(o *Cell) bool {
		for name := range named {
			if _, has := o.Axis(name); !has {
				return false
			}
		}
		for _, v := range o.Point {
			want, isNamed := named[v.Axis]
			if isNamed && want != "*" && want != v.Text || !isNamed && !every && !v.Default {
				return false
			}
		}
		return true
	})
	return text + strings.Join(points, ""), func(o *Cell) bool {
		return !slices.ContainsFunc(conditions, func(f func(*Cell) bool) bool { return !f(o) })
	}
}

// TestLeftOutAddresses holds that an address that the ledger prints says, when
// it is pasted back, which rule leaves the cell out.
func TestLeftOutAddresses(t *testing.T) {
	_, x := good(t, "testdata/example.hcl", Options{HasLibrary: func(Library) bool { return false }})
	n := 0
	for _, rule := range x.LeftOut {
		for _, a := range rule.Addresses {
			if n++; n%7 != 0 {
				continue
			}
			cells, l := x.Select(a, "")
			if len(cells) != 0 || len(l) != 1 || !strings.Contains(l[0].Summary, a+" is left out by "+rule.Rule) {
				t.Fatalf("%s: %d cells, %v", a, len(cells), l)
			}
		}
	}
	if want := (41 + 13) * 16; n < want {
		t.Errorf("%d addresses, want at least %d", n, want)
	}
	for _, s := range x.Sets {
		if len(s.Cells) != 16 || len(s.LeftOut) != 54 {
			t.Errorf("%s holds %d cells and leaves out %d", s.Path, len(s.Cells), len(s.LeftOut))
		}
	}
}

func TestSelect(t *testing.T) {
	_, x := good(t, "testdata/features.hcl", Options{})
	for _, c := range []struct {
		selectors, not string
		want           int
	}{
		{"", "", len(x.Cells)},
		{"m", "", 12},
		{"m@gfx1201", "", 2},
		{"m@gfx12", "", 4},
		{"m@gfx12*", "", 4},
		{"m@gfx120?+fp8", "", 4},
		{"m@gfx12+fp8+numerics=accuracy", "", 4},
		{"m@gfx1201+*", "", 2 * 2 * (1 + 4)},
		{"m@gfx1201+fp8+*", "", 2 * 2 * 4},
		{"m@gfx1201+*+fp8=false", "", 2 * 2},
		{"m@gfx1201+variant=*+fp8", "", 2 * 4},
		{"m/*enc1*@gfx1201, k@gfx1100", "", 1 + 3},
		{"*@gfx1201", "", 3 + 2 + 33 + 1},
		{"*@gfx1201+fp8", "", 2 + 33},
		{"m@gfx1201,m@gfx1201", "", 2},
		{"m", "m@gfx11", 4},
		{"tex/hiluma_*@gfx1201", "tex/*_v1_*", 16},
	} {
		cells, l := x.Select(c.selectors, c.not)
		if len(l) > 0 || len(cells) != c.want {
			t.Errorf("%q not %q: %d cells, want %d: %v", c.selectors, c.not, len(cells), c.want, l)
		}
		if !slices.IsSortedFunc(cells, func(a, b *Cell) int { return slices.Index(x.Cells, a) - slices.Index(x.Cells, b) }) {
			t.Errorf("%q: not in order", c.selectors)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "abc", true}, {"a*c", "abbc", true},
		{"a*c", "abbd", false}, {"?b?", "abc", true}, {"?", "", false}, {"a**b*", "axxbyy", true},
		{strings.Repeat("*a", 30), strings.Repeat("a", 200) + "b", false},
	} {
		if got := glob(c.pattern, c.name); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}
