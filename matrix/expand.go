package matrix

import (
	"fmt"

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
		Declared: in.where(row), NoTwin: in.g.decl.noTwin,
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

// numerics is the axis whose values are twins of each other.
const numerics = "numerics"

// twins checks that a kernel that exists at the default numerics exists at
// the others as well, since a release must be able to serve both.
func (e *expander) twins() {
	var ax *axisDecl
	for _, a := range e.d.axes {
		if a.Name == numerics {
			ax = a
		}
	}
	if ax == nil {
		return
	}
	exempt := map[[2]string]bool{}
	for _, fam := range e.m.Families {
		for _, g := range fam.Groups {
			exempt[[2]string{fam.Name, g.Name}] = g.decl.noTwin
		}
	}
	for _, c := range e.x.Cells {
		v, ok := c.Axis(numerics)
		if !ok || !v.Default || c.DeveloperOnly || exempt[[2]string{c.Family, c.Group}] {
			continue
		}
		for i, text := range ax.texts {
			if i == ax.def || e.first[e.moved(c, ax, i)] != nil {
				continue
			}
			p := e.errorf(c.Declared, "kernel %s/%s has no %s twin", c.Family, c.Kernel, text).
				hint("make it exist there too, or say twin = \"none\"")
			if p.Detail == "" {
				p.detail("%s exists, %s does not", c.address, e.moved(c, ax, i))
			}
			p.count(c)
		}
	}
}

// moved is the address of c with another value on one axis.
func (e *expander) moved(c *Cell, ax *axisDecl, value int) string {
	var axes []*axisDecl
	var index []int
	for _, v := range c.Point {
		for _, d := range e.d.axes {
			if d.Name != v.Axis {
				continue
			}
			axes = append(axes, d)
			i := value
			if d != ax {
				for i = range d.texts {
					if d.texts[i] == v.Text {
						break
					}
				}
			}
			index = append(index, i)
		}
	}
	return fmt.Sprintf("%s/%s@%s%s", c.Family, c.Kernel, c.Target.Name, e.d.spellPoint(axes, index))
}

// name is the name of the kernel at the present row.
func (in *instance) name() string {
	i := 0
	for v, row := range in.g.decl.rows {
		i = i*len(row.values) + in.f.idx[v]
	}
	if i < len(in.g.decl.names) {
		return in.g.decl.names[i]
	}
	return ""
}
