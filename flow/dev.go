package flow

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/release"
)

// Kernels are the choices of the kernels:* commands.
type Kernels struct {
	Family   string // a family, or "*"
	Targets  string // GPUs, generations or "all", comma-separated
	Numerics string
	FP8      bool // the FP8 set of a GPU that has one
	All      bool // every set of the GPUs
	Build
}

// Kernels builds one family (or all) for some GPUs into dist/dev: the sets a
// game on such a GPU would load.
func (p *Project) Kernels(ctx context.Context, k Kernels) error {
	if err := k.check(); err != nil {
		return err
	}
	d, err := p.load(k.Vars)
	if err != nil {
		return err
	}
	sets, err := k.sets(d)
	if err != nil {
		return err
	}
	var cells []*matrix.Cell
	for _, c := range cellsOf(sets) {
		if k.Family == "*" || c.Family == k.Family {
			cells = append(cells, c)
		}
	}
	if known := families(d); k.Family != "*" && !slices.Contains(known, k.Family) {
		return diag.Failf(diag.Usage, "mage build FAMILY builds any; there is "+diag.And(known), "the matrix has no family %s", k.Family)
	}
	if len(cells) == 0 {
		if why := absent(d, k.Family); why != "" {
			return diag.Failf(diag.Usage, libraryHint, "family %s is left out: %s", k.Family, why)
		}
		return diag.Failf(diag.Usage, "see what there is with: mage matrix:list", "family %s has no kernel in these sets", k.Family)
	}
	if err := p.develop(ctx, d, cells, sets, k.Build); err != nil {
		return err
	}
	p.sayLeftOut(d, sets, k.Family)
	return nil
}

// sayLeftOut tells what rules keep out of sets, of one family or of all ("*").
func (p *Project) sayLeftOut(d *declared, sets []*matrix.Set, family string) {
	missing := map[string]bool{}
	for _, s := range sets {
		for _, c := range s.LeftOut {
			if family == "*" || c.Family == family {
				missing[c.Address()] = true
			}
		}
	}
	for _, l := range d.LeftOut {
		n := 0
		for _, address := range l.Addresses {
			if missing[address] {
				n++
			}
		}
		if n > 0 {
			p.Say("  left out by %s: %s (%s)", l.Rule, l.Reason, count(n, "cell"))
		}
	}
}

// libraryHint is what helps where a library is not there.
const libraryHint = "name the library, or the folder that it lies in: D4R_DLSS_DLLS=/path/to/nvngx_dlss.dll"

// absent says why a family is left out for want of a library, "" if it is not.
func absent(d *declared, family string) string {
	for _, f := range d.Families {
		if f.Name != family || f.Lacks == "" {
			continue
		}
		for _, l := range d.Libraries {
			if l.Name == f.Lacks && len(l.Paths) > 0 {
				return fmt.Sprintf("library %s is not there: nothing is called %s in %s", l.Name, l.Match, strings.Join(l.Paths, ", "))
			}
		}
		return f.Absent
	}
	return ""
}

func families(d *declared) []string {
	var names []string
	for _, f := range d.Families {
		names = append(names, f.Name)
	}
	return names
}

// sets finds the sets that the choices mean.
func (k Kernels) sets(d *declared) ([]*matrix.Set, error) {
	if len(splitList(k.Targets)) == 0 {
		return nil, diag.Failf(diag.Usage, "write all for every GPU", "no GPU is named")
	}
	want := map[string]bool{}
	var known []string
	for _, t := range d.Targets {
		known = append(known, t.Name)
	}
	for _, t := range d.Targets {
		if !slices.Contains(known, t.Generation) {
			known = append(known, t.Generation)
		}
	}
	for _, word := range splitList(k.Targets) {
		if strings.HasPrefix(word, "-") {
			return nil, diag.Failf(diag.Usage, "choices follow the targets: mage kernels:m gfx1201 "+word, "%s stands where the targets belong", word)
		}
		if word != "all" && !slices.Contains(known, word) {
			return nil, diag.Failf(diag.Usage, diag.DidYouMean(word, known), "no GPU or generation is called %s", word)
		}
		for _, t := range d.Targets {
			if word == "all" || word == t.Name || word == t.Generation {
				want[t.Name] = true
			}
		}
	}
	var sets []*matrix.Set
	for _, s := range d.Sets {
		if !want[s.Target.Name] || !k.All && !k.chosen(s) {
			continue
		}
		sets = append(sets, s)
	}
	if len(sets) == 0 {
		return nil, diag.Failf(diag.Usage, "see the sets with: mage matrix:list -sets", "no set is for %s with numerics %s", k.Targets, k.Numerics)
	}
	return sets, nil
}

// chosen says whether a set agrees with the numerics and FP8 choices on the
// axes it has.
func (k Kernels) chosen(s *matrix.Set) bool {
	for _, v := range s.Point {
		switch v.Axis {
		case release.NumericsAxis:
			if v.Text != k.Numerics {
				return false
			}
		case "fp8":
			if (v.Text == "true") != (k.FP8 && s.Target.FP8) {
				return false
			}
		}
	}
	return true
}

// Build builds the cells that selectors name into dist/dev, in every set they
// join.
func (p *Project) Build(ctx context.Context, selectors, not string, o Build) error {
	if err := o.check(); err != nil {
		return err
	}
	if strings.TrimSpace(selectors) == "" { // most likely a variable of a script that is not set
		return diag.Failf(diag.Usage, "write '*' for every cell", "no selector is given")
	}
	if strings.HasPrefix(selectors, "-") {
		return diag.Failf(diag.Usage, "choices follow the selectors: mage build m@gfx1201 "+selectors, "%s stands where the selectors belong", selectors)
	}
	d, err := p.load(o.Vars)
	if err != nil {
		return err
	}
	cells, list := d.Select(selectors, not)
	if list.HasErrors() {
		return &diag.Failure{Class: diag.Usage, Messages: list}
	}
	return p.develop(ctx, d, cells, d.Sets, o)
}

// develop builds cells and places them into dist/dev, in those of the sets
// they join. A cell that joins none gets a folder named after its point.
func (p *Project) develop(ctx context.Context, d *declared, cells []*matrix.Cell, sets []*matrix.Set, o Build) error {
	var err error
	if o.fold, err = folds(o.Fold, os.Getenv); err != nil {
		return err
	}
	m, err := p.make(ctx, d, cells, o, false)
	if err == nil {
		err = p.folded(ctx, m)
	}
	if err != nil {
		return err
	}
	done, err := p.place(ctx, d, m, cells, sets)
	if err != nil {
		return err
	}
	for _, line := range release.DevAdvice(done) {
		p.Say("%s", line)
	}
	return nil
}

// place puts built cells into dist/dev.
func (p *Project) place(ctx context.Context, d *declared, m *made, cells []*matrix.Cell, sets []*matrix.Set) ([]release.DevSet, error) {
	objects, err := p.objects(m)
	if err != nil {
		return nil, err
	}
	wanted := map[*matrix.Cell]bool{}
	for _, c := range cells {
		wanted[c] = true
	}
	var plans []release.SetPlan
	placed := map[*matrix.Cell]bool{}
	for _, s := range sets {
		part := *s
		part.Cells = nil
		for _, c := range s.Cells {
			if wanted[c] {
				part.Cells = append(part.Cells, c)
				placed[c] = true
			}
		}
		if len(part.Cells) > 0 {
			plan := setPlan(&part, objects, d)
			plan.Declared = addresses(s.Cells) // what earlier builds put there may stay
			plans = append(plans, plan)
		}
	}
	for _, c := range cells {
		if !placed[c] {
			plans = addLoose(plans, d, c, objects[c.Address()])
		}
	}
	return release.AssembleDev(ctx, p.path("dist"), m.trial.mark(plans))
}

// addLoose puts a cell that joins no set into a folder of its own kind, such
// as gfx1101+shim12.
func addLoose(plans []release.SetPlan, d *declared, c *matrix.Cell, o release.Object) []release.SetPlan {
	_, path, _ := strings.Cut(c.Address(), "@")
	i := slices.IndexFunc(plans, func(s release.SetPlan) bool { return s.Path == path })
	if i < 0 {
		i = len(plans)
		plans = append(plans, release.SetPlan{
			Path: path, Target: c.Target.Name, Generation: c.Target.Generation, Axes: map[string]string{},
			Developer: fmt.Sprintf("%s joins no set of the matrix", path),
		})
		for _, v := range c.Point {
			plans[i].Axes[v.Axis] = v.Text
		}
		for _, other := range d.Cells {
			if strings.HasSuffix(other.Address(), "@"+path) {
				plans[i].Declared = append(plans[i].Declared, other.Address())
			}
		}
	}
	plans[i].Objects = append(plans[i].Objects, o)
	return plans
}

func addresses(cells []*matrix.Cell) []string {
	var all []string
	for _, c := range cells {
		all = append(all, c.Address())
	}
	return all
}
