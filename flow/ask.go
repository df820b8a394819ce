package flow

import (
	"fmt"
	"io"
	"strings"
	"time"

	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
)

// MatrixView are the choices of matrix:list. Without any the addresses of all
// cells are listed.
type MatrixView struct {
	Selectors string   // the addresses of these cells
	Parts     []string // headings of the description: families, axes, targets, variables, sets ...
	JSON      bool     // the whole description
	Vars      string
}

// MatrixList prints the address of every cell, or of the selected ones, or
// parts of the description.
func (p *Project) MatrixList(v MatrixView) error {
	d, err := p.load(v.Vars)
	if err != nil {
		return err
	}
	if v.JSON {
		return d.Describe(d.Expansion).WriteJSON(p.Out)
	}
	if len(v.Parts) > 0 {
		return writeParts(p.Out, d.Describe(d.Expansion), v.Parts)
	}
	cells := d.Cells
	if v.Selectors != "" {
		var list diag.List
		if cells, list = d.Select(v.Selectors, ""); list.HasErrors() {
			return &diag.Failure{Class: diag.Usage, Messages: list}
		}
	}
	for _, c := range cells {
		fmt.Fprintln(p.Out, c.Address())
	}
	p.Say("%d of %d cells; %d sets", len(cells), len(d.Cells), len(d.Sets))
	return nil
}

// MatrixShow prints everything there is, for people.
func (p *Project) MatrixShow(vars string) error {
	d, err := p.load(vars)
	if err != nil {
		return err
	}
	return d.Describe(d.Expansion).WriteText(p.Out)
}

// writeParts writes the sections of a description whose headings start with
// the given words.
func writeParts(w io.Writer, d *matrix.Description, parts []string) error {
	var text strings.Builder
	if err := d.WriteText(&text); err != nil {
		return err
	}
	first := true
	for section := range strings.SplitSeq(text.String(), "\n\n") {
		heading, _, _ := strings.Cut(section, "\n")
		for _, part := range parts {
			if !strings.HasPrefix(heading, part) {
				continue
			}
			if !first {
				fmt.Fprintln(w)
			}
			first = false
			fmt.Fprintln(w, strings.TrimSuffix(section, "\n"))
		}
	}
	return nil
}

// MatrixCheck reports every mistake in the matrix.
func (p *Project) MatrixCheck(json bool, vars string) error {
	// The whole language is looked at: families whose library is not here
	// too, and exclusions that have run out by the clock.
	d, err := p.loadFile(matrixFile, vars, matrix.Options{Now: time.Now()})
	if err == nil {
		err = p.checkSources(d)
	}
	if f, ok := err.(*diag.Failure); ok && f.Class == diag.Matrix {
		f.Rerun = ""
		if json {
			if err := diag.PrintJSON(p.Out, f.Messages); err != nil {
				return err
			}
			f.Messages = nil
		}
		return f
	}
	if err != nil {
		return err
	}
	if json {
		return diag.PrintJSON(p.Out, d.warnings)
	}
	p.Say("%s is in order: %d cells, %d sets", matrixFile, len(d.Cells), len(d.Sets))
	return nil
}

// checkSources looks for what the matrix refers to outside itself.
func (p *Project) checkSources(d *declared) error {
	store, err := p.Cache()
	if err != nil {
		return err
	}
	list := plan.Problems(d.Cells, plan.Source{Root: p.Root, Memo: store.Memo()})
	if list.HasErrors() {
		return &diag.Failure{Class: diag.Matrix, Messages: list}
	}
	return nil
}

// CacheStats prints what the cache holds and where it is.
func (p *Project) CacheStats() error {
	store, err := p.Cache()
	if err != nil {
		return err
	}
	stats, err := store.Stats()
	if err != nil {
		return diag.Failf(diag.IO, "", "the cache cannot be counted: %v", err)
	}
	fmt.Fprintln(p.Out, stats)
	return nil
}

// pick gives the selected cells, or those of the release.
func pick(d *declared, selectors string) ([]*matrix.Cell, error) {
	if selectors == "" {
		return cellsOf(d.Sets), nil
	}
	cells, list := d.Select(selectors, "")
	if list.HasErrors() {
		return nil, &diag.Failure{Class: diag.Usage, Messages: list}
	}
	return cells, nil
}
