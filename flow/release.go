package flow

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/release"
)

// Release builds every set of the matrix into dist/, complete or not at all.
// When nothing it would read has changed since the last one, it evaluates
// nothing and starts no process.
func (p *Project) Release(ctx context.Context, o Build) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Flags != "" {
		return diag.Failf(diag.Usage, "", "a release takes no %s; what it is built with stands in %s", tryOrigin, matrixFile)
	}
	var err error
	if o.fold, err = folds(o.Fold, os.Getenv); err != nil {
		return err
	}
	choices := foldChoices(o.Vars, o.fold)
	answer, why, ok, err := p.unchanged("release", choices)
	if err != nil {
		return err
	}
	if ok {
		_, err := p.Err.Write(answer)
		return err
	}
	p.Say("release: %s", why)
	snapshot := cache.NewSnapshot()
	d, err := p.load(o.Vars)
	if err != nil {
		return err
	}
	reader := p.libraryReader(ctx)
	libs, err := release.ReadLibrariesBy(ctx, libraryRules(d), libraryPaths(d), reader.hashes)
	if err != nil {
		return err
	}
	if libs != nil {
		if err := p.approveStamp(d, reader, o.Accept); err != nil {
			return err
		}
	}
	m, err := p.make(ctx, d, cellsOf(d.Sets), o, true)
	if err == nil {
		err = p.folded(ctx, m)
	}
	if err != nil {
		return err
	}
	plan, err := p.releasePlan(d, m)
	if err != nil {
		return err
	}
	dir, manifest, err := release.Assemble(ctx, p.path("dist"), plan, libs)
	if err != nil {
		return err
	}
	p.pin(dir, m)
	var text bytes.Buffer
	for _, line := range manifest.Advice(dir) {
		fmt.Fprintln(&text, p.words(line))
	}
	if _, err := p.Err.Write(text.Bytes()); err != nil {
		return err
	}
	p.remember(snapshot, "release", choices, d, m, dir, manifest, text.Bytes())
	return nil
}

// approveStamp holds the modules that stamp the sets against the approvals.
func (p *Project) approveStamp(d *declared, reader *libraryReader, accept string) error {
	var uses []release.Use
	for _, l := range d.Libraries {
		kernels := map[string]bool{}
		for _, c := range cellsOf(d.Sets) {
			if c.Library == l.Name {
				kernels[c.Kernel] = true
			}
		}
		more, err := reader.uses(l, kernels)
		if err != nil {
			return err
		}
		uses = append(uses, more...)
	}
	return p.approve(d.Libraries, uses, accept)
}

// cellsOf lists the cells of sets, each once, in the matrix's order.
func cellsOf(sets []*matrix.Set) []*matrix.Cell {
	var cells []*matrix.Cell
	seen := map[*matrix.Cell]bool{}
	for _, s := range sets {
		for _, c := range s.Cells {
			if !seen[c] {
				seen[c] = true
				cells = append(cells, c)
			}
		}
	}
	return cells
}

func libraryRules(d *declared) []release.LibraryRule {
	var rules []release.LibraryRule
	for _, l := range d.Libraries {
		rules = append(rules, release.LibraryRule{Name: l.Name, Match: l.Match})
	}
	return rules
}

func libraryPaths(d *declared) []string {
	var paths []string
	seen := map[string]bool{}
	for _, l := range d.Libraries {
		for _, path := range l.Paths {
			if !seen[path] {
				seen[path] = true
				paths = append(paths, path)
			}
		}
	}
	return paths
}
