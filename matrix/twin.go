package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// numerics is the axis whose values are twins of each other.
const numerics = "numerics"

// twinDecl is what a group says about twins: that its kernels need none, and
// perhaps why.
type twinDecl struct {
	none   bool
	reason string
}

// twin reads a twin attribute: { none = "REASON" }, or "none" where the reason
// is said elsewhere.
func (l *loader) twin(n *node) twinDecl {
	a := n.attrs["twin"]
	if a == nil {
		return twinDecl{}
	}
	const how = "write twin = { none = \"why it needs none\" }"
	if object, ok := a.expr.(*hclsyntax.ObjectConsExpr); ok {
		fields := l.objectFields(object, "twin", []string{"none"}, n.title())
		if len(object.Items) == 0 {
			l.errorf(a.where(), "this says nothing about twins").hint("%s", how)
		}
		if len(fields) == 0 {
			return twinDecl{none: true} // a mistake that is reported
		}
		x := fields[0].x
		l.d.file.check(x, l.problems)
		f := newFrame(l.problems)
		reason, ok := f.text(f.bind(x, l.d.file))
		if ok && strings.TrimSpace(reason) == "" {
			l.errorf(x.where(), "the reason is empty").hint("say why these kernels need no twin")
		}
		return twinDecl{true, reason}
	}
	f, b := l.evaluate(a, l.d.file, n.title()+" twin")
	v := f.whole(b)
	switch {
	case !v.IsKnown() || v.IsNull():
	case v.Type() == cty.String && v.AsString() == "none":
		return twinDecl{none: true}
	default:
		l.errorf(a.where(), "twin can only be \"none\", not %s", show(v)).hint("%s", how)
	}
	return twinDecl{}
}

// twins checks that a kernel that exists at the default numerics exists at
// the others as well, since a release must be able to serve both.
func (e *expander) twins() {
	ax := e.d.numerics()
	if ax == nil {
		return
	}
	for _, c := range e.x.Cells {
		if !c.needsTwin() {
			continue
		}
		for i, text := range ax.texts {
			if i == ax.def || e.first[e.moved(c, ax, i)] != nil {
				continue
			}
			p := e.errorf(c.Declared, "kernel %s/%s has no %s twin", c.Family, c.Kernel, text).
				hint("make it exist there too, or say why it need not: twin = { none = \"...\" }")
			if p.Detail == "" {
				p.detail("%s exists, %s does not", c.address, e.moved(c, ax, i))
			}
			p.count(c)
		}
	}
}

// numerics is the axis of twins, nil where there is none.
func (d *declarations) numerics() *axisDecl {
	for _, ax := range d.axes {
		if ax.Name == numerics {
			return ax
		}
	}
	return nil
}

func (c *Cell) needsTwin() bool {
	v, ok := c.Axis(numerics)
	return ok && v.Default && !c.DeveloperOnly && !c.NoTwin
}

// together checks that the sets of a release that hold a cell have its twins
// in other sets of the release, or leave them out by a rule.
func (e *expander) together(r *Release, sets []*Set) {
	ax := e.d.numerics()
	if ax == nil {
		return
	}
	held := map[string]bool{}
	for _, s := range sets {
		for _, c := range slices.Concat(s.Cells, s.LeftOut) {
			held[c.address] = true
		}
	}
	var lines []string
	for _, s := range sets {
		var names []string
		for _, c := range s.Cells {
			for i := range ax.texts {
				if c.needsTwin() && i != ax.def && !held[e.moved(c, ax, i)] {
					names = append(names, c.Kernel)
					break
				}
			}
		}
		if len(names) > 0 {
			lines = append(lines, s.Path+": "+shorten(names, 8))
		}
	}
	if len(lines) == 0 {
		return
	}
	e.errorf(r.Declared, "release %s holds %s cells whose twins it does not hold", r.Name, ax.texts[ax.def]).
		detail("%s", shortenLines(lines, 20)).
		hint("let its sets run over numerics = axis.numerics, or say why a kernel needs no twin: twin = { none = \"...\" }")
}

func shortenLines(lines []string, n int) string {
	if len(lines) > n {
		lines = append(slices.Clip(lines[:n]), fmt.Sprintf("and %d more", len(lines)-n))
	}
	return strings.Join(lines, "\n")
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
