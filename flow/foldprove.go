package flow

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
)

// FoldProve are the choices of fold:prove.
type FoldProve struct {
	Selectors   string // the cells to compile and compare; those of a release if empty
	Differences bool   // where objects of a generation that are not equal differ first
	Build
}

// FoldProve compiles cells, compares the objects of each kernel byte for byte and
// writes down which are equal but for the name of their GPU.
func (p *Project) FoldProve(ctx context.Context, o FoldProve) error {
	if err := o.check(); err != nil {
		return err
	}
	d, err := p.load(o.Vars)
	if err != nil {
		return err
	}
	cells, err := foldable(d, o.Selectors)
	if err != nil {
		return err
	}
	proofs, err := p.proofs()
	if err != nil {
		return err
	}
	before := proofs.Holds()
	o.Again = func(string) string {
		return strings.TrimSpace("mage fold:prove " + selectorsWord(o.Selectors))
	}
	o.shows = showBuilt
	m, err := p.make(ctx, d, cells, o.Build, false)
	if err != nil {
		return err
	}
	store, err := p.Cache()
	if err != nil {
		return err
	}
	f := &folding{p: p, store: store, made: m}
	classes, err := f.classes()
	if err != nil {
		return err
	}
	lost, err := f.lost(ctx, proofs, classes)
	if err != nil {
		return err
	}
	found := map[string][]plan.Compiled{} // by toolchain
	for _, c := range classes {
		found[c.Cell.Toolchain] = append(found[c.Cell.Toolchain], c.Compiled)
	}
	for name, list := range found {
		proofs.Update(m.toolchains[name], list)
	}
	if err := proofs.Write(p.path(plan.ProofsName)); err != nil {
		return diag.Failf(diag.IO, "", "%s cannot be written: %w", plan.ProofsName, err)
	}
	t := newFoldTable(classes)
	if o.Differences {
		if err := f.tellDifferences(ctx, t); err != nil {
			return err
		}
	}
	t.print(p.Out)
	for _, text := range lost {
		p.Say("no longer equal: %s", text)
	}
	p.Say("%s compiled, %d different: %d of %d could be derived; %s holds %s, held %d; commit it",
		count(t.actions, "object"), t.different, t.actions-t.different, t.actions, plan.ProofsName, count(proofs.Holds(), "cell"), before)
	return nil
}

func selectorsWord(selectors string) string {
	if selectors == "" {
		return ""
	}
	return shellWord("-selectors=" + selectors)
}

// foldable gives the cells that could be folded: those with a source of their
// own.
func foldable(d *declared, selectors string) ([]*matrix.Cell, error) {
	cells, err := pick(d, selectors)
	if err != nil {
		return nil, err
	}
	all := len(cells)
	cells = slices.DeleteFunc(cells, func(c *matrix.Cell) bool { return c.Recipe != "" })
	if len(cells) == 0 {
		return nil, diag.Failf(diag.Usage, "", "%s selected, none of them has a source of its own: what is made of a library's code is not folded", count(all, "cell"))
	}
	return cells, nil
}

// A compiledCell is a cell with its object.
type compiledCell struct {
	plan.Compiled
	index  int // in the plan
	digest cache.Digest
}

// classes gives every cell with what its object is without its GPU. That two with
// the same are what is derived from each other is looked at byte for byte.
func (f *folding) classes() ([]compiledCell, error) {
	pl := f.made.plan
	var out []compiledCell
	first := map[string]int{} // in out, by kernel and object
	for i, c := range pl.Cells {
		data, digest, err := f.object(pl.Node[i])
		if err != nil {
			return nil, err
		}
		bare, err := codeobj.Untargeted(data)
		if err != nil {
			f.p.Warn(fmt.Sprintf("%s is equal to nothing: %v", c.Address(), err))
			continue
		}
		one := compiledCell{index: i, digest: digest, Compiled: plan.Compiled{
			Cell: c, Object: cache.Sum(bare), Premise: plan.Premise(pl.Graph.Nodes[pl.Node[i]].Action, f.made.toolchains[c.Toolchain]),
		}}
		class := c.Family + "/" + c.Kernel + " " + one.Object.String()
		leader, more := first[class]
		if !more {
			first[class] = len(out)
		} else if err := f.derives(out[leader], data, c); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// derives proves that an object is what is derived for its GPU from another.
func (f *folding) derives(leader compiledCell, want []byte, c *matrix.Cell) error {
	data, _, err := f.object(f.made.plan.Node[leader.index])
	if err != nil {
		return err
	}
	got, err := codeobj.Retarget(data, c.Target.Name)
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("the bytes are others")
	}
	if err != nil {
		return diag.Failf(diag.Verify, "this is a mistake in kmx", "%s cannot be derived from %s, though nothing but their GPUs differs: %w", c.Address(), leader.Cell.Address(), err)
	}
	return nil
}

// lost tells which cells were equal by the map and are not any more, with the
// first instruction that differs.
func (f *folding) lost(ctx context.Context, proofs *plan.Proofs, now []compiledCell) ([]string, error) {
	by := map[string]compiledCell{}
	for _, c := range now {
		by[c.Cell.Address()] = c
	}
	var texts []string
	told := map[string]bool{}
	for _, compiler := range proofs.Compilers {
		for _, e := range compiler.Equal {
			var first *compiledCell
			for _, point := range plan.Points(e) {
				c, ok := by[e.Kernel+"@"+point]
				if !ok || f.made.toolchains[c.Cell.Toolchain].Core != compiler.Core {
					continue
				}
				if first == nil {
					first = &c
					continue
				}
				pair := first.Cell.Address() + " and " + c.Cell.Address()
				if first.Object == c.Object || told[pair] {
					continue
				}
				told[pair] = true
				text, err := f.apart(ctx, *first, c)
				if err != nil {
					return nil, err
				}
				texts = append(texts, pair+": "+text)
			}
		}
	}
	return texts, nil
}

// apart says where two cells differ first.
func (f *folding) apart(ctx context.Context, a, b compiledCell) (string, error) {
	was, _, err := f.object(f.made.plan.Node[a.index])
	if err != nil {
		return "", err
	}
	is, _, err := f.object(f.made.plan.Node[b.index])
	if err != nil {
		return "", err
	}
	d, err := f.difference(ctx, a.index, was, is)
	if err != nil {
		return "", err
	}
	return d.text(a.place(), b.place()), nil
}

// place is the part of the address behind @.
func (c compiledCell) place() string {
	_, point, _ := strings.Cut(c.Cell.Address(), "@")
	return point
}
