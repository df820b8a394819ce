package flow

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"kmx/matrix"
)

// A foldTable is the map of equal objects for people: a row for each kernel and
// mode, the GPUs of a row grouped by object.
type foldTable struct {
	rows               []*foldRow
	actions, different int
}

type foldRow struct {
	kernel, mode string
	groups       []foldGroup
	differences  []string
}

// A foldGroup is GPUs with equal objects in one row, in the order of the matrix.
type foldGroup struct {
	object  string // what is equal; "" where that is not known
	targets []string
	first   compiledCell
}

// modeOf is a cell's point without its GPU: "", "+fp8", "+accuracy".
func modeOf(c *matrix.Cell) string {
	_, point, _ := strings.Cut(c.Address(), "@")
	return strings.TrimPrefix(point, c.Target.Name)
}

func newFoldTable(cells []compiledCell) *foldTable {
	t := &foldTable{}
	premises, objects := map[string]bool{}, map[string]bool{}
	for _, c := range cells {
		object := ""
		if !c.Object.IsZero() {
			object = c.Object.String()
			objects[c.Cell.Family+"/"+c.Cell.Kernel+object] = true
		}
		premises[c.Premise.String()] = true
		t.add(c, object)
	}
	t.actions, t.different = len(premises), len(objects)
	return t
}

func (t *foldTable) add(c compiledCell, object string) {
	kernel, mode := c.Cell.Family+"/"+c.Cell.Kernel, modeOf(c.Cell)
	i := slices.IndexFunc(t.rows, func(r *foldRow) bool { return r.kernel == kernel && r.mode == mode })
	if i < 0 {
		i = len(t.rows)
		t.rows = append(t.rows, &foldRow{kernel: kernel, mode: mode})
	}
	r := t.rows[i]
	k := slices.IndexFunc(r.groups, func(g foldGroup) bool { return g.object == object && object != "" })
	if k < 0 {
		k = len(r.groups)
		r.groups = append(r.groups, foldGroup{object: object, first: c})
	}
	r.groups[k].targets = append(r.groups[k].targets, c.Cell.Target.Name)
}

// print writes the rows; those of a kernel that equal another row of it say so.
func (t *foldTable) print(w io.Writer) {
	width := 0
	for _, r := range t.rows {
		width = max(width, len(r.name()))
	}
	for i, r := range t.rows {
		var parts []string
		for _, g := range r.groups {
			text := strings.Join(g.targets, "=")
			if mode, ok := t.before(i, g.object); ok {
				text += " (as " + mode + ")"
			}
			parts = append(parts, text)
		}
		fmt.Fprintf(w, "%-*s  %s\n", width, r.name(), strings.Join(parts, "  "))
		for _, d := range r.differences {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(d, "\n", "\n    "))
		}
	}
}

// before is the mode of an earlier row of the same kernel that has the object.
func (t *foldTable) before(i int, object string) (mode string, ok bool) {
	for _, r := range t.rows[:i] {
		if r.kernel != t.rows[i].kernel || object == "" {
			continue
		}
		if slices.ContainsFunc(r.groups, func(g foldGroup) bool { return g.object == object }) {
			if r.mode == "" {
				return "plain", true
			}
			return r.mode, true
		}
	}
	return "", false
}

func (r *foldRow) name() string { return strings.TrimSpace(r.kernel + " " + r.mode) }

// tellDifferences says of the GPUs of one generation that are not equal where the
// objects differ first, each against the first of them.
func (f *folding) tellDifferences(ctx context.Context, t *foldTable) error {
	for _, r := range t.rows {
		first := map[string]compiledCell{} // by generation
		for _, g := range r.groups {
			a, known := first[g.first.Cell.Target.Generation]
			if !known {
				first[g.first.Cell.Target.Generation] = g.first
				continue
			}
			text, err := f.apart(ctx, a, g.first)
			if err != nil {
				return err
			}
			r.differences = append(r.differences, fmt.Sprintf("%s, %s: %s", a.Cell.Target.Name, g.first.Cell.Target.Name, text))
		}
	}
	return nil
}
