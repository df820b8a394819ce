package flow

import (
	"fmt"

	"kmx/internal/diag"
	"kmx/matrix"
)

// MatrixList prints the address of every cell, or of the selected ones.
func (p *Project) MatrixList(selectors, vars string) error {
	d, err := p.load(vars)
	if err != nil {
		return err
	}
	cells := d.Cells
	if selectors != "" {
		var list diag.List
		if cells, list = d.Select(selectors, ""); list.HasErrors() {
			return &diag.Failure{Class: diag.Usage, Messages: list}
		}
	}
	for _, c := range cells {
		fmt.Fprintln(p.Out, c.Address())
	}
	p.Say("%d of %d cells; %d sets", len(cells), len(d.Cells), len(d.Sets))
	return nil
}

// MatrixCheck reports every mistake in the matrix.
func (p *Project) MatrixCheck(json bool, vars string) error {
	d, err := p.load(vars)
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
		return diag.PrintJSON(p.Out, nil)
	}
	p.Say("%s is in order: %d cells, %d sets", matrixFile, len(d.Cells), len(d.Sets))
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
