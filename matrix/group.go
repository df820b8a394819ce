package matrix

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"kmx/internal/diag"
)

// maxCells bounds the points that are looked at; a file that asks for more is
// a slip in a `for`. A variable only for the fuzzers, which lower it.
var maxCells = 1_000_000

func (l *loader) group(fam *Family, n *node) {
	d := &groupDecl{node: n}
	g := &Group{Name: n.label, Declared: n.head, decl: d}
	if !l.names.declareIn("family "+fam.Name, "group", n.label, n.head) {
		l.d.lossy = true
		return
	}
	fam.Groups = append(fam.Groups, g)
	title := "family " + fam.Name + " " + n.title()
	d.twin = l.twin(n)
	d.axes = l.groupAxes(fam, n)
	if n.spec.name == "kernels" {
		l.rows(d)
		if a := n.attrs["name"]; a != nil {
			d.name = newExpr(a.expr, title+" name")
		} else {
			d.broken = true
		}
	} else if !isIdentifier(n.label) {
		l.errorf(n.head, "%q cannot be the name of a kernel", n.label).hint("it is the name of a symbol: letters, digits and _")
		d.broken = true
	}
	l.built(&d.builtDecl, n, title, true)
	for _, let := range d.lets {
		for _, row := range d.rows {
			if row.name == let.name {
				l.errorf(let.x.where(), "%s is both a let and a row variable", let.name).hint("rename one of them")
			}
		}
	}
	in := newInstance(l.d, l.m, fam, g, l.problems, true)
	in.checkUse(l)
	in.names(l)
	if d.broken {
		l.d.lossy = true
	} else if want := l.onceInt(n, "expect", l.d.file); want >= 0 && want != len(g.Kernels) {
		l.errorf(n.attrs["expect"].where(), "kernels %s expects %d kernels, its rows make %d", n.label, want, len(g.Kernels)).
			detail("they are %s", shorten(g.Kernels, 24)).
			hint("correct expect, or the rows: %s", difference(want, len(g.Kernels)))
	}
	in.familyWhen(l)
}

// groupAxes is the axes of a group: its own choice of its family's, or all.
func (l *loader) groupAxes(fam *Family, n *node) []*axisDecl {
	if n.attrs["axes"] == nil {
		return fam.decl.axes
	}
	axes, _ := l.axesOf(n)
	for i := 0; i < len(axes); i++ {
		if slices.Contains(fam.decl.axes, axes[i]) {
			continue
		}
		if !fam.decl.poor && !fam.decl.axesLost {
			l.errorf(n.attrs["axes"].where(), "family %s does not list axis %s; a group can only have fewer axes", fam.Name, axes[i].Name).
				hint("add axis.%s to the axes of the family", axes[i].Name)
		}
		l.d.lossy = true
		axes = slices.Delete(axes, i, i+1)
		i--
	}
	return axes
}

func difference(want, got int) string {
	switch {
	case got == want-1:
		return "one is missing"
	case got < want:
		return fmt.Sprintf("%d are missing", want-got)
	case got == want+1:
		return "one is too many"
	}
	return fmt.Sprintf("%d are too many", got-want)
}

// shorten joins names, at most n of them.
func shorten(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

// names evaluates the names of a group's kernels.
func (in *instance) names(l *loader) {
	d := in.g.decl
	points := d.size() * max(1, len(l.m.Targets))
	for _, ax := range d.axes {
		points = min(points*len(ax.values), maxCells+1)
	}
	before := l.once.points
	if l.once.points = min(before+points, maxCells+1); l.once.points > maxCells {
		d.broken = true
		if before <= maxCells {
			l.errorf(in.g.Declared, "with %s the matrix has more than %d cells", d.title, maxCells)
		}
	}
	if d.broken {
		return
	}
	if d.name == nil {
		d.names = []string{in.g.Name}
		in.g.Kernels = d.names
		return
	}
	if beyond := in.nameBound.deps >> len(d.rows); beyond != 0 {
		c := in.f.coords[len(d.rows)+bits.TrailingZeros64(beyond)]
		l.errorf(d.name.where(), "the name of a kernel cannot depend on %s", c.name).
			hint("a kernel has one name; its cells differ by target and axes")
		d.broken = true
		return
	}
	first := map[string]int{}
	for i := range d.size() {
		in.row(i)
		name, ok := in.f.text(in.nameBound)
		switch {
		case !ok:
			d.broken = true
		case !isIdentifier(name):
			in.f.fail(in.nameBound, diag.Message{Summary: fmt.Sprintf("%q cannot be the name of a kernel", name)}).
				hint("it is the name of a symbol: letters, digits and _")
			d.broken = true
		default:
			if j, twice := first[name]; twice {
				d.broken = true
				l.twoRows(in, name, j, i)
			} else {
				first[name] = i
			}
		}
		d.names = append(d.names, name)
	}
	if !d.broken {
		in.g.Kernels = d.names
	}
}
