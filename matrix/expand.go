package matrix

import (
	"kmx/internal/diag"
)

// Expand makes every cell the matrix declares, and the sets they lie in. The
// Expansion is never nil. The list holds what evaluating found; what Load has
// already reported is not repeated. A matrix that Load found wrong expands as
// far as it can, and counts are then not checked.
func (m *Matrix) Expand() (*Expansion, diag.List) {
	x := &Expansion{matrix: m}
	ps := newProblems()
	e := &expander{x: x, m: m, d: m.decl, problems: ps, first: map[string]*Cell{}, lossy: m.decl.lossy}
	for _, fam := range m.Families {
		if !fam.Exists {
			continue
		}
		for _, g := range fam.Groups {
			if !g.decl.broken {
				e.group(fam, g)
			}
		}
	}
	if !e.lossy {
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
	first map[string]*Cell // by address
	lossy bool             // cells or sets may be missing: counts mean nothing
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

func (e *expander) group(fam *Family, g *Group) {
	in := newInstance(e.d, e.m, fam, g, e.problems, false)
	axes := fam.decl.axes
	points := e.d.axesPoints(axes)
	target := len(g.decl.rows)
	for row := range g.decl.size() {
		in.row(row)
		for t := range e.m.Targets {
			in.f.idx[target] = t
			for p := range points {
				copy(in.f.idx[target+1:], points[p].index)
				e.cell(in, row, &e.m.Targets[t], &points[p])
			}
		}
	}
}

// cell makes the cell where the instance stands, if there is one.
func (e *expander) cell(in *instance, row int, target *Target, p *axesPoint) {
	f := in.f
	f.touched = f.touched[:0]
	c := &Cell{
		Family: in.fam.Name, Group: in.g.Name, Kernel: in.g.decl.names[row],
		Target: *target, Point: p.point, DeveloperOnly: p.developerOnly,
		Library: in.fam.Library, Licence: in.fam.Licence,
		Declared: in.g.decl.where(row), NoTwin: in.g.decl.noTwin,
	}
	defer func() {
		for _, problem := range f.touched {
			problem.count(c)
		}
	}()
	exists := true
	for _, s := range in.allow {
		exists = exists && at[bool](f, s)
	}
	exists = exists && at[bool](f, in.when)
	e.lossy = e.lossy || len(f.touched) > 0
	if !exists {
		return
	}
	c.address = c.Family + "/" + c.Kernel + "@" + target.Name + p.suffix
	if first := e.first[c.address]; first != nil {
		e.twice(first, c)
		return
	}
	e.first[c.address] = c
	if t := at[*toolchainDecl](f, in.toolchain); t != nil {
		c.Toolchain = t.Name
	}
	source := at[Token](f, in.source)
	c.Source, c.SourceFrom = source.Text, source.From
	c.Include = at[[]Token](f, in.include)
	c.Flags = at[[]Token](f, in.flags)
	c.Defines = at[[]Define](f, in.defines)
	c.Env = at[[]Define](f, in.env)
	c.Hook = at[[]HookValue](f, in.hook)
	c.Limits = at[Limits](f, in.limits)
	c.Wave64 = at[bool](f, in.wave64)
	e.checkWave(in, c)
	e.x.Cells = append(e.x.Cells, c)
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
func (e *expander) checkWave(in *instance, c *Cell) {
	size := 32
	if c.Wave64 {
		size = 64
	}
	if len(c.Target.Waves) == 0 {
		return // already reported
	}
	for _, w := range c.Target.Waves {
		if w == size {
			return
		}
	}
	where := c.Declared
	if in.wave64 != nil {
		where = in.wave64.exprs[0].x.where()
	}
	p := e.errorf(where, "%s has no wave size %d", c.Target.Generation, size)
	if len(p.Notes) == 0 {
		p.note(c.Target.Declared, "%s is declared here", c.Target.Name)
	}
	p.count(c)
}
