package matrix

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// DiffFormat names the JSON form of a Difference. It changes when a field is
// removed or changes its meaning; new fields may appear under one name.
const DiffFormat = "kmx.matrix-diff/1"

// Difference is what differs between two expansions. Cells are matched by
// address; equal changes of several cells are one Change.
type Difference struct {
	Format  string          `json:"format"` // DiffFormat
	Old     Size            `json:"old"`
	New     Size            `json:"new"`
	Same    int             `json:"same"`    // cells that do not differ
	Added   []Fold          `json:"added"`   // by family, in the order of the new matrix
	Removed []Fold          `json:"removed"` // by family, in the order of the old matrix
	Changed []Change        `json:"changed"` // in the order of the new matrix
	Sets    []SetChange     `json:"sets"`
	LeftOut []LeftOutChange `json:"left_out"`
}

// Size is how much an expansion holds.
type Size struct {
	Cells int `json:"cells"`
	Sets  int `json:"sets"`
}

// Fold is cells that something is true of.
type Fold struct {
	Family    string   `json:"family,omitempty"`   // of added and removed cells
	LeftOut   string   `json:"left_out,omitempty"` // of these, the rule that leaves them out of the other matrix
	Count     int      `json:"cells"`
	Selectors []string `json:"selectors,omitempty"` // together exactly these cells, where a few say it
	Addresses []string `json:"addresses"`
}

// Change is one change that some cells have in common.
type Change struct {
	What string   `json:"what"`           // "flags", "define", "sets" ...
	Name string   `json:"name,omitempty"` // of a define, hook value, limit ...
	Op   string   `json:"op"`             // added, removed, changed or moved
	Old  []string `json:"old,omitempty"`
	New  []string `json:"new,omitempty"`
	// Where is the place that says so in the new matrix, Was in the old one:
	// file:line:column, or "".
	Where string `json:"where,omitempty"`
	Was   string `json:"was,omitempty"`
	// Adjust is the reason of the adjust that says so in the new matrix.
	Adjust string `json:"adjust,omitempty"`
	Fold
}

// SetChange is a set that is in one expansion only, or not the same in both.
type SetChange struct {
	Release string   `json:"release"`
	Path    string   `json:"path"`
	Op      string   `json:"op"`                // added, removed or changed
	Old     int      `json:"old_kernels"`       // how many it held
	New     int      `json:"new_kernels"`       // how many it holds
	Markers []string `json:"markers,omitempty"` // that differ
}

// LeftOutChange is a rule of the ledger that is in one expansion only, or
// leaves other cells out.
type LeftOutChange struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	Op     string `json:"op"`
	Old    int    `json:"old_cells"`
	New    int    `json:"new_cells"`
}

// Diff compares two expansions.
func Diff(before, after *Expansion) *Difference {
	d := &Difference{
		Format: DiffFormat,
		Old:    Size{len(before.Cells), len(before.Sets)}, New: Size{len(after.Cells), len(after.Sets)},
		Added: []Fold{}, Removed: []Fold{}, Changed: []Change{}, Sets: []SetChange{}, LeftOut: []LeftOutChange{},
	}
	oldSets, newSets := setsOf(before), setsOf(after)
	sets := aspect{what: "sets"}
	var added, removed []*Cell
	folds := map[string]int{} // index in d.Changed and changed
	var changed [][]*Cell
	for _, c := range after.Cells {
		was := before.byAddress(c.address)
		if was == nil {
			added = append(added, c)
			continue
		}
		var edits []Change
		for i := range aspects {
			a := &aspects[i]
			edits = append(edits, a.edits(a.of(was), a.of(c))...)
		}
		edits = append(edits, sets.edits(oldSets[was], newSets[c])...)
		if len(edits) == 0 {
			d.Same++
		}
		for _, e := range edits {
			key := e.key()
			i, known := folds[key]
			if !known {
				i = len(changed)
				folds[key] = i
				d.Changed = append(d.Changed, e)
				changed = append(changed, nil)
			}
			changed[i] = append(changed[i], c)
		}
	}
	for _, c := range before.Cells {
		if after.byAddress(c.address) == nil {
			removed = append(removed, c)
		}
	}
	inNew, inOld := cover{x: after}, cover{x: before}
	d.Added, d.Removed = inNew.byFamily(added, before), inOld.byFamily(removed, after)
	for i := range d.Changed {
		d.Changed[i].Fold = inNew.fold(changed[i])
	}
	d.sets(before, after)
	d.leftOut(before, after)
	return d
}

// key is the same for equal changes.
func (c *Change) key() string {
	var b strings.Builder
	for _, s := range slices.Concat([]string{c.What, c.Name, c.Op}, c.Old, []string{"->"}, c.New) {
		b.WriteString(strconv.Itoa(len(s)))
		b.WriteByte(' ')
		b.WriteString(s)
	}
	return b.String()
}

// Empty reports whether nothing differs.
func (d *Difference) Empty() bool {
	return len(d.Added) == 0 && len(d.Removed) == 0 && len(d.Changed) == 0 && len(d.Sets) == 0 && len(d.LeftOut) == 0
}

// WriteJSON writes the difference as one JSON object of format
// kmx.matrix-diff/1, with every address.
func (d *Difference) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

// setsOf is the sets that each cell lies in, as named values.
func setsOf(x *Expansion) map[*Cell][]item {
	out := map[*Cell][]item{}
	for _, s := range x.Sets {
		in := item{name: s.name(x), text: s.Path}
		for _, c := range s.Cells {
			out[c] = append(out[c], in)
		}
	}
	return out
}

// name is a set's path, with its release where there are several.
func (s *Set) name(x *Expansion) string {
	for _, other := range x.Sets {
		if other.Release != s.Release {
			return s.Release + ": " + s.Path
		}
	}
	return s.Path
}

func (d *Difference) sets(before, after *Expansion) {
	index := func(x *Expansion) map[[2]string]*Set {
		m := map[[2]string]*Set{}
		for _, s := range x.Sets {
			m[[2]string{s.Release, s.Path}] = s
		}
		return m
	}
	was, is := index(before), index(after)
	for _, s := range after.Sets {
		o := was[[2]string{s.Release, s.Path}]
		if o == nil {
			d.Sets = append(d.Sets, SetChange{Release: s.Release, Path: s.Path, Op: "added", New: len(s.Cells)})
			continue
		}
		var markers []string
		for name, content := range s.Markers {
			if old, known := o.Markers[name]; !known || old != content {
				markers = append(markers, name)
			}
		}
		for name := range o.Markers {
			if _, known := s.Markers[name]; !known {
				markers = append(markers, name)
			}
		}
		slices.Sort(markers)
		same := slices.EqualFunc(o.Cells, s.Cells, func(a, b *Cell) bool { return a.address == b.address })
		if !same || len(markers) > 0 {
			d.Sets = append(d.Sets, SetChange{s.Release, s.Path, "changed", len(o.Cells), len(s.Cells), markers})
		}
	}
	for _, s := range before.Sets {
		if is[[2]string{s.Release, s.Path}] == nil {
			d.Sets = append(d.Sets, SetChange{Release: s.Release, Path: s.Path, Op: "removed", Old: len(s.Cells)})
		}
	}
}

func (d *Difference) leftOut(before, after *Expansion) {
	type rule struct{ rule, reason string }
	was := map[rule]int{}
	for _, l := range before.LeftOut {
		was[rule{l.Rule, l.Reason}] += l.Cells
	}
	for _, l := range after.LeftOut {
		r := rule{l.Rule, l.Reason}
		cells, known := was[r]
		delete(was, r)
		switch {
		case !known:
			d.LeftOut = append(d.LeftOut, LeftOutChange{l.Rule, l.Reason, "added", 0, l.Cells})
		case cells != l.Cells:
			d.LeftOut = append(d.LeftOut, LeftOutChange{l.Rule, l.Reason, "changed", cells, l.Cells})
		}
	}
	byRule := func(a, b rule) int { return strings.Compare(a.rule+"\x00"+a.reason, b.rule+"\x00"+b.reason) }
	for _, r := range slices.SortedFunc(maps.Keys(was), byRule) {
		d.LeftOut = append(d.LeftOut, LeftOutChange{r.rule, r.reason, "removed", was[r], 0})
	}
}
