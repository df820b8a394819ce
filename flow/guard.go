package flow

import (
	"context"
	"fmt"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
)

// Guard are the choices of guard.
type Guard struct {
	Selectors, Not string
	Since          string // git revision
	JSON           bool   // kmx.guard/1 instead of lines
	Build
}

// Guard holds the objects of cells against those that the project made at a
// revision, built by the same toolchain. Other code, or other constants, are a
// failure of class Verify; other metadata and cells that only one of the two
// has are told.
func (p *Project) Guard(ctx context.Context, g Guard) error {
	if err := g.check(); err != nil {
		return err
	}
	g.Build.shows = showBuilt
	store, err := p.Cache()
	if err != nil {
		return err
	}
	d, err := p.load(g.Vars)
	if err != nil {
		return err
	}
	cells, list := d.Select(g.Selectors, g.Not)
	if list.HasErrors() {
		return &diag.Failure{Class: diag.Usage, Messages: list}
	}
	there, commit, remove, err := p.checkoutAt(ctx, g.Since)
	if err != nil {
		return err
	}
	defer remove()
	now, err := p.built(ctx, d, cells, g.Build)
	if err != nil {
		return err
	}
	was, err := g.built(ctx, there, cells)
	if err != nil {
		p.Say("that is %s (%s), not the working tree", g.Since, commit[:12])
		return err
	}
	c := &comparison{store: store, now: now, was: was, guarded: guarded{Format: guardFormat, Since: g.Since, Commit: commit}}
	if err := c.run(ctx, p); err != nil {
		return err
	}
	if g.JSON {
		err = c.writeJSON(p.Out)
	} else {
		err = c.writeText(p.Out)
	}
	if err != nil {
		return err
	}
	return c.verdict(p)
}

// builtCells are objects by address, in the order of the matrix.
type builtCells struct {
	made  *made
	order []string
	index map[string]int // in made.plan.Cells
}

func (p *Project) built(ctx context.Context, d *declared, cells []*matrix.Cell, o Build) (*builtCells, error) {
	o.code = true
	m, err := p.make(ctx, d, cells, o, false)
	if err != nil {
		return nil, err
	}
	b := &builtCells{made: m, index: map[string]int{}}
	for i, c := range m.plan.Cells {
		b.order = append(b.order, c.Address())
		b.index[c.Address()] = i
	}
	return b, nil
}

// built builds the cells at the revision: those of the working tree that were
// declared then, and whatever else the selectors meant then.
func (g Guard) built(ctx context.Context, there *Project, cells []*matrix.Cell) (*builtCells, error) {
	d, err := there.load(g.Vars)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, c := range cells {
		wanted[c.Address()] = true
	}
	then, list := d.Select(g.Selectors, g.Not)
	if !list.HasErrors() { // otherwise what they name is new
		for _, c := range then {
			wanted[c.Address()] = true
		}
	}
	var both []*matrix.Cell
	for _, c := range d.Cells {
		if wanted[c.Address()] {
			both = append(both, c)
		}
	}
	o := g.Build
	o.Again = func(string) string {
		return "mage guard " + shellWord(g.Selectors) + " " + shellWord("-since="+g.Since)
	}
	return there.built(ctx, d, both, o)
}

// object is what was built of a cell.
func (b *builtCells) object(address string) (cache.Digest, *codeobj.Object, bool) {
	i, ok := b.index[address]
	if !ok {
		return cache.Digest{}, nil, false
	}
	return b.made.result(i).Record.Outputs[0].Digest, b.made.opened[address], true
}

// comparison is the objects of two trees and what was found out about them.
type comparison struct {
	store    *cache.Cache
	now, was *builtCells
	guarded
}

// shownDisassemblies of other code are shown; the rest would be more of it.
const shownDisassemblies = 3

func (c *comparison) run(ctx context.Context, p *Project) error {
	disassembled := 0
	for _, address := range c.now.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		digest, obj, _ := c.now.object(address)
		before, old, ok := c.was.object(address)
		if !ok {
			c.OnlyNow = append(c.OnlyNow, address)
			continue
		}
		c.Compared++
		if digest == before {
			c.Identical++
			continue
		}
		diff := codeobj.Compare(old, obj)
		o := newGuardedObject(address, diff, old, obj)
		if diff.Likeness <= codeobj.MetadataOnly {
			c.MetadataOnly++
		} else {
			c.Differ++
		}
		if diff.Likeness == codeobj.Code && diff.Symbol != "" && !diff.Missing && disassembled < shownDisassemblies {
			lines, err := c.disassemble(ctx, address, diff.Symbol, before, digest)
			if err != nil {
				p.Say("%s: no disassembly: %v", address, err)
			}
			o.Instructions = lines
			disassembled++
		}
		c.Objects = append(c.Objects, o)
	}
	for _, address := range c.was.order {
		if _, _, ok := c.now.object(address); !ok {
			c.OnlyThen = append(c.OnlyThen, address)
		}
	}
	return nil
}

// verdict sums up, and is the failure where code differs.
func (c *comparison) verdict(p *Project) error {
	summary := fmt.Sprintf("%s compared with %s (%s): %d identical, %d with other metadata only, %d differ",
		count(c.Compared, "object"), c.Since, c.Commit[:12], c.Identical, c.MetadataOnly, c.Differ)
	switch {
	case c.Compared == 0:
		return diag.Failf(diag.Verify, "", "no cell is both here and at %s, so nothing is proven", c.Since)
	case c.Differ > 0:
		var addresses []string
		for _, o := range c.Objects {
			if !o.Same {
				addresses = append(addresses, o.Address)
			}
		}
		more := ""
		if len(addresses) > 8 {
			addresses, more = addresses[:8], fmt.Sprintf(" and %d more", len(addresses)-8)
		}
		return diag.Failf(diag.Verify, "", "%s: %s%s", summary, strings.Join(addresses, ", "), more)
	}
	p.Say("%s", summary)
	return nil
}
