package matrix

import (
	"slices"
	"strings"
)

const (
	maxSelectors = 4         // in the name of a group of cells
	maxVisits    = 4_000_000 // cells looked at while naming groups
)

// cover finds selectors that say which cells of an expansion are meant.
type cover struct {
	x      *Expansion
	visits int
}

// byFamily folds cells that are not in the other expansion, one Fold for each
// family and each rule that leaves cells out there.
func (v *cover) byFamily(cells []*Cell, other *Expansion) []Fold {
	rules := map[string]string{}
	for _, l := range other.LeftOut {
		for _, a := range l.Addresses {
			rules[a] = l.Rule
		}
	}
	folds := []Fold{}
	for _, part := range split(cells, func(c *Cell) string { return c.Family + " " + rules[c.address] }) {
		f := v.fold(part)
		f.Family, f.LeftOut = part[0].Family, rules[part[0].address]
		folds = append(folds, f)
	}
	return folds
}

func (v *cover) fold(cells []*Cell) Fold {
	f := Fold{Count: len(cells), Addresses: []string{}}
	for _, c := range cells {
		f.Addresses = append(f.Addresses, c.address)
	}
	if len(cells) > 1 {
		f.Selectors = v.selectors(cells)
	}
	return f
}

// selectors is a few selectors that select exactly the cells, which are in
// expansion order; nil when they would be many.
func (v *cover) selectors(cells []*Cell) []string {
	kernel := func(c *Cell) string { return c.Family + "/" + c.Kernel }
	for _, by := range []func(c *Cell) string{
		func(c *Cell) string { return c.Family },
		func(c *Cell) string { return c.Family + "@" + c.Target.Generation },
		func(c *Cell) string { return c.Family + "/" + c.Group },
		kernel,
		func(c *Cell) string { return c.Family + "@" + c.Target.Name },
		func(c *Cell) string { return kernel(c) + "@" + c.Target.Generation },
		func(c *Cell) string { return kernel(c) + "@" + c.Target.Name },
	} {
		if out := v.exact(split(cells, by)); out != nil {
			return out
		}
	}
	return nil
}

// split cuts cells into groups of one key, in the order of their first cells.
func split(cells []*Cell, key func(c *Cell) string) [][]*Cell {
	at := map[string]int{}
	var out [][]*Cell
	for _, c := range cells {
		k := key(c)
		i, known := at[k]
		if !known {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}

// exact is one selector for each part; nil when a part has none of its own.
func (v *cover) exact(parts [][]*Cell) []string {
	if len(parts) > maxSelectors {
		return nil
	}
	var out []string
	for _, p := range parts {
		i := slices.IndexFunc(v.boxes(p), func(s string) bool { return v.selects(s, p) })
		if i < 0 {
			return nil
		}
		out = append(out, v.boxes(p)[i])
	}
	return out
}

func (v *cover) selects(selector string, cells []*Cell) bool {
	if v.visits += 2 * len(v.x.Cells); v.visits > maxVisits {
		return false
	}
	got, l := v.x.Select(selector, "")
	return !l.HasErrors() && slices.Equal(got, cells)
}

// boxes is the selectors that might fit cells of one family, the shortest
// first: all of them select at least these cells.
func (v *cover) boxes(cells []*Cell) []string {
	first := cells[0]
	kernels := []string{""}
	if prefix, suffix := commonEnds(cells); prefix == first.Kernel {
		kernels = []string{"/" + first.Kernel}
	} else if prefix+suffix != "" {
		kernels = append(kernels, "/"+prefix+"*"+suffix)
	}
	target := "@" + first.Target.Name
	for _, c := range cells {
		if c.Target.Name != first.Target.Name && strings.HasPrefix(target, "@") {
			target = "@" + first.Target.Generation
		}
		if c.Target.Generation != first.Target.Generation {
			target = ""
		}
	}
	point := v.point(cells)
	var out []string
	for _, t := range slices.Compact([]string{"", target}) {
		for _, k := range kernels {
			out = append(out, first.Family+k+t+point)
		}
	}
	return out
}

// point is the values that the cells have in common, and +AXIS=* (+* for all)
// for axes on which they differ.
func (v *cover) point(cells []*Cell) string {
	var free, out []string
	named := 0
	for _, value := range cells[0].Point {
		differ := slices.ContainsFunc(cells, func(c *Cell) bool {
			w, _ := c.Axis(value.Axis)
			return w.Text != value.Text
		})
		switch {
		case differ:
			free = append(free, "+"+value.Axis+"=*")
		case !value.Default:
			out = append(out, v.x.matrix.decl.spell(value))
			named++
		}
	}
	if len(free) > 0 && len(free)+named == len(cells[0].Point) {
		free = []string{"+*"}
	}
	return strings.Join(append(out, free...), "")
}

// spell is a value as it stands in an address.
func (d *declarations) spell(v AxisValue) string {
	switch {
	case v.Bool && v.Text == "true":
		return "+" + v.Axis
	case d.alone[v.Text]:
		return "+" + v.Text
	}
	return "+" + v.Axis + "=" + v.Text
}

// commonEnds is what the kernels' names begin and end with; the whole name and
// "" when there is one.
func commonEnds(cells []*Cell) (prefix, suffix string) {
	first := cells[0].Kernel
	prefix, suffix = first, first
	for _, c := range cells {
		for !strings.HasPrefix(c.Kernel, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	if prefix == first && !slices.ContainsFunc(cells, func(c *Cell) bool { return c.Kernel != first }) {
		return first, ""
	}
	shortest := len(first)
	for _, c := range cells {
		shortest = min(shortest, len(c.Kernel))
		for !strings.HasSuffix(c.Kernel, suffix) {
			suffix = suffix[1:]
		}
	}
	for len(prefix)+len(suffix) > shortest {
		suffix = suffix[1:]
	}
	return prefix, suffix
}
