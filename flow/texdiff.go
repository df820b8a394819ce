package flow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/plan"
	"kmx/tex"
	"kmx/toolchains"
)

// TexDiff prints what the recipe of a cell makes of the library's code: the
// original against the edited PTX, and the edits by their kind. All shows every
// line of what is taken out.
func (p *Project) TexDiff(ctx context.Context, address string, all bool, vars string) error {
	store, err := p.Cache()
	if err != nil {
		return err
	}
	d, err := p.loadWhole(vars)
	if err != nil {
		return err
	}
	cells, list := d.Select(address, "")
	if list.HasErrors() {
		return &diag.Failure{Class: diag.Usage, Messages: list}
	}
	if len(cells) != 1 {
		return diag.Failf(diag.Usage, "name one of them, e.g. mage tex:diff "+cells[0].Address(),
			"%s selects %d cells; one is looked at at a time", address, len(cells))
	}
	e, err := plan.EditCell(ctx, cells[0], plan.Source{
		Root: p.Root, Memo: store.Memo(), Store: store, Libraries: librarySources(d), Toolchains: map[string]*toolchains.Toolchain{},
	})
	if err != nil {
		return unedited(err, e)
	}
	o := tex.DiffOptions{Context: 3, Elide: 6}
	if all {
		o.Elide = 0
	}
	fmt.Fprint(p.Out, tex.Diff(e.Module, e.Result, o))
	p.Say("%s, recipe %s: %s", e.Use, cells[0].Recipe, countsLine(e.Result.Counts))
	return nil
}

// unedited is why a cell could not be edited: each problem with its place, as the
// recipe tells it, and the module.
func unedited(err error, e *plan.EditedCell) error {
	var f *diag.Failure
	var list diag.List
	if errors.As(err, &f) {
		list = f.Messages
	} else if !errors.As(err, &list) {
		hint := ""
		if os.Getenv("D4R_DLSS_DLLS") == "" {
			hint = libraryHint
		}
		return diag.Failf(diag.Cells, hint, "%w", err)
	}
	list = slices.Clone(list)
	for i := range list {
		if e != nil {
			list[i].Values = append(slices.Clone(list[i].Values), diag.Value{Name: "made of", Text: e.Use.String()})
		}
	}
	return &diag.Failure{Class: diag.Cells, Messages: list}
}

// countsLine is the edits by kind, for people.
func countsLine(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
		}
	}
	if len(parts) == 0 {
		return "nothing is edited"
	}
	return strings.Join(parts, ", ")
}
