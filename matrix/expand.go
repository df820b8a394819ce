package matrix

import (
	"slices"

	"kmx/internal/diag"
)

// Expand makes every cell the matrix declares, and the sets they lie in. The
// Expansion is never nil. The list holds what evaluating found; what Load has
// already reported is not repeated. A matrix that Load found wrong expands as
// far as it can, and counts are then not checked.
func (m *Matrix) Expand() (*Expansion, diag.List) {
	x := &Expansion{matrix: m}
	ps := newProblems()
	ps.broken = m.decl.broken
	e := &expander{
		x: x, m: m, d: m.decl, problems: ps, first: map[string]*Cell{}, lossy: m.decl.lossy,
		seen: map[*pattern]hits{},
	}
	for _, fam := range m.Families {
		e.family(fam)
	}
	e.ledger()
	if !e.lossy {
		e.idleAdjusts()
		e.twins()
	}
	e.sets()
	var l diag.List
	for _, msg := range ps.messages() {
		if !m.decl.reported[problemKey{msg.Where, msg.Summary}] {
			l = append(l, msg)
		}
	}
	return x, l
}

// expander is one run of Expand.
type expander struct {
	*problems
	x     *Expansion
	m     *Matrix
	d     *declarations
	first map[string]*Cell  // by address, also what is left out
	seen  map[*pattern]hits // what adjusts and exclusions found
	lossy bool              // cells or sets may be missing: counts mean nothing
}

// family makes the cells of a family, or an entry of the ledger.
func (e *expander) family(fam *Family) {
	var off *LeftOut
	entry := len(e.x.LeftOut)
	if fam.decl.off != nil {
		rule := *fam.decl.off
		off = &rule
		e.x.LeftOut = append(e.x.LeftOut, rule)
	}
	for _, g := range fam.Groups {
		if !g.decl.broken {
			e.group(fam, g, off)
		}
	}
	if off != nil {
		e.x.LeftOut[entry] = *off
	}
}

// axesPoint is one combination of a family's axes, the same for all its cells.
type axesPoint struct {
	index         []int
	point         []AxisValue
	suffix        string
	developerOnly bool
}

// axesPoints is every combination, the last axis going fastest.
func (d *declarations) axesPoints(axes []*axisDecl) []axesPoint {
	n := 1
	for _, ax := range axes {
		n *= len(ax.values)
	}
	points := make([]axesPoint, n)
	for i := range points {
		p := axesPoint{index: make([]int, len(axes)), point: make([]AxisValue, len(axes))}
		rest := i
		for a := len(axes) - 1; a >= 0; a-- {
			k := len(axes[a].values)
			p.index[a] = rest % k
			rest /= k
			v := axes[a].at(p.index[a])
			p.point[a] = v
			p.developerOnly = p.developerOnly || !v.Default && !v.Release
		}
		p.suffix = d.spellPoint(axes, p.index)
		points[i] = p
	}
	return points
}

// group makes the cells of a group, or counts them for the rule by which its
// family does not exist.
func (e *expander) group(fam *Family, g *Group, off *LeftOut) {
	in := newInstance(e.d, e.m, fam, g, e.problems, false)
	axes := g.decl.axes
	points := e.d.axesPoints(axes)
	target := len(g.decl.rows)
	for row := range g.decl.size() {
		in.row(row)
		meant := e.meant(fam, g.decl.names[row])
		for t := range e.m.Targets {
			in.f.idx[target] = t
			for p := range points {
				copy(in.f.idx[target+1:], points[p].index)
				e.cell(in, row, &e.m.Targets[t], &points[p], meant, off)
			}
		}
	}
	e.x.evals += in.f.evals
}

// cell makes the cell where the instance stands, if there is one.
func (e *expander) cell(in *instance, row int, target *Target, p *axesPoint, meant []excluding, off *LeftOut) {
	f := in.f
	f.touched = f.touched[:0]
	c := &Cell{
		Family: in.fam.Name, Group: in.g.Name, Kernel: in.g.decl.names[row],
		Target: *target, Point: p.point, DeveloperOnly: p.developerOnly,
		Library: in.fam.Library, Licence: in.fam.Licence, Declared: in.g.decl.where(row),
		NoTwin: in.g.decl.twin.none, NoTwinReason: in.g.decl.twin.reason,
	}
	defer func() {
		for _, problem := range f.touched {
			problem.count(c)
		}
	}()
	allowed := true
	for _, s := range in.allow {
		allowed = allowed && at[bool](f, s)
	}
	exists := allowed && at[bool](f, in.when)
	waits := allowed && !exists && in.wouldExist()
	e.lossy = e.lossy || len(f.touched) > 0
	if !exists && !waits {
		return
	}
	c.address = c.Family + "/" + c.Kernel + "@" + target.Name + p.suffix
	switch {
	case off != nil:
		e.absent(in, c, meant, off)
		return
	case waits:
		e.idle(in, c, meant)
		return
	}
	if first := e.first[c.address]; first != nil {
		e.twice(first, c)
		return
	}
	e.first[c.address] = c
	for _, m := range in.matches {
		if at[bool](f, m.slot) {
			e.adjusted(m, c)
		}
	}
	if e.exclude(c, meant) {
		return
	}
	e.fill(in, c)
	e.x.Cells = append(e.x.Cells, c)
}

// fill evaluates what the cell where the instance stands is made from.
func (e *expander) fill(in *instance, c *Cell) {
	f := in.f
	if t := at[*toolchainDecl](f, in.toolchain); t != nil {
		c.Toolchain = t.Name
	}
	source, recipe := at[Token](f, in.source), at[Token](f, in.recipe)
	c.Source, c.SourceFrom = source.Text, source.From
	c.Recipe, c.RecipeFrom = recipe.Text, recipe.From
	reference := at[Token](f, in.reference)
	c.Reference, c.ReferenceFrom = reference.Text, reference.From
	c.Counts = at[[]Define](f, in.counts)
	c.Include = at[[]Token](f, in.include)
	c.Flags = at[[]Token](f, in.flags)
	c.Defines = at[[]Define](f, in.defines)
	c.Env = at[[]Define](f, in.env)
	c.Hook = at[[]HookValue](f, in.hook)
	limits := at[bounds](f, in.limits)
	c.Limits, c.Bounds = limits.Limits, limits.list
	wave, redirect := at[choice](f, in.wave64), at[choice](f, in.redirect)
	c.Wave64, c.Wave64From = wave.on, wave.from
	c.Redirect, c.RedirectFrom = redirect.on, redirect.from
	c.Bitcode = at[[]Bitcode](f, in.bitcode)
	e.checkWave(c)
}

// twice reports two declarations of one cell, once for each kernel.
func (e *expander) twice(first, c *Cell) {
	e.lossy = true
	p := e.errorf(c.Declared, "family %s has two kernels %s", c.Family, c.Kernel).
		note(first.Declared, "the first one is here").
		hint("give one of them another name, or a `when` that keeps them apart")
	if p.Detail == "" {
		p.detail("both make %s", c.address)
	}
	p.count(c)
}

// checkWave reports a wave size that the target does not have.
func (e *expander) checkWave(c *Cell) {
	size := 32
	if c.Wave64 {
		size = 64
	}
	if len(c.Target.Waves) == 0 || slices.Contains(c.Target.Waves, size) {
		return // right, or already reported
	}
	where := c.Declared
	if !c.Wave64From.Range.IsZero() {
		where = c.Wave64From.Range
	}
	p := e.errorf(where, "%s has no wave size %d", c.Target.Generation, size)
	if len(p.Notes) == 0 {
		p.note(c.Target.Declared, "%s is declared here", c.Target.Name)
	}
	p.count(c)
}
