package matrix

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kmx/internal/diag"
)

// A comparison that never holds is a slip of the pen: it would build cells by
// the other branch, and nobody would see it. It is an error, found before
// anything is evaluated.

// comparer looks for such comparisons in one expression.
type comparer struct {
	*problems
	s     *scope
	path  []hclsyntax.Node
	loops loopVars
	wrong bool
}

// compare reports every comparison in x of which both sides can never be
// equal, and marks x bad if there is one.
func (s *scope) compare(x *expr, ps *problems) {
	c := &comparer{problems: ps, s: s}
	_ = hclsyntax.Walk(x.node, c)
	x.bad = x.bad || c.wrong
}

// Enter is called before the parts of a node are visited.
func (c *comparer) Enter(n hclsyntax.Node) hcl.Diagnostics {
	switch n := n.(type) {
	case hclsyntax.ChildScope:
		hidden := map[string]*domain{}
		for name := range n.LocalNames {
			hidden[name] = &domain{}
		}
		if loop, ok := c.path[len(c.path)-1].(*hclsyntax.ForExpr); ok {
			if list := c.domain(loop.CollExpr); list.elem != nil && hidden[loop.ValVar] != nil {
				hidden[loop.ValVar] = list.elem.called(loop.ValVar, nil)
			}
		}
		c.loops = append(c.loops, hidden)
	case *hclsyntax.BinaryOpExpr:
		if n.Op == hclsyntax.OpEqual || n.Op == hclsyntax.OpNotEqual {
			c.equality(n)
		}
	case *hclsyntax.FunctionCallExpr:
		switch {
		case n.ExpandFinal:
		case n.Name == "contains" && len(n.Args) == 2:
			c.contains(n.Args[0], n.Args[1])
		case n.Name == "lookup" && len(n.Args) == 3:
			c.lookup(n.Args[0], n.Args[1])
		}
	}
	c.path = append(c.path, n)
	return nil
}

// Exit is called after the parts of a node were visited.
func (c *comparer) Exit(n hclsyntax.Node) hcl.Diagnostics {
	c.path = c.path[:len(c.path)-1]
	if _, ok := n.(hclsyntax.ChildScope); ok {
		c.loops = c.loops[:len(c.loops)-1]
	}
	return nil
}

func (c *comparer) domain(e hclsyntax.Expression) *domain { return c.s.domain(e, c.loops) }

func (c *comparer) equality(e *hclsyntax.BinaryOpExpr) {
	always := "so this is always false"
	if e.Op == hclsyntax.OpNotEqual {
		always = "so this is always true"
	}
	left, right := c.domain(e.LHS), c.domain(e.RHS)
	switch {
	case right.fixed || !left.fixed && left.name != "":
		c.check(left, right, e.RHS, always)
	default:
		c.check(right, left, e.LHS, always)
	}
}

// contains looks at each element of a list as written, or at what is looked
// for in another list.
func (c *comparer) contains(list, what hclsyntax.Expression) {
	if tuple, ok := list.(*hclsyntax.TupleConsExpr); ok {
		d := c.domain(what)
		for _, x := range tuple.Exprs {
			if e := c.domain(x); e.fixed {
				c.check(d, e, x, "so it is never found")
			}
		}
		return
	}
	in, d := c.domain(list), c.domain(what)
	if in.elem != nil {
		elem := *in.elem
		elem.fixed = in.fixed
		if elem.name == "" && in.name != "" {
			elem = *elem.called(in.name, func(word string) string { return in.name + " never holds " + word })
		}
		c.check(&elem, d, what, "so it is never found")
	}
}

// lookup looks at the keys of an object as written.
func (c *comparer) lookup(object, key hclsyntax.Expression) {
	o, ok := object.(*hclsyntax.ObjectConsExpr)
	d := c.domain(key)
	if !ok || d.kind != stringKind {
		return
	}
	for _, item := range o.Items {
		if v, diags := item.KeyExpr.Value(rootContext); !diags.HasErrors() && v.IsKnown() && !v.IsNull() && v.Type() == cty.String {
			k := valueDomain(v)
			k.fixed = true
			c.check(d, k, item.KeyExpr, "so it is never found")
		}
	}
}

// check reports that what d is about can never be equal to e, which stands at
// an expression.
func (c *comparer) check(d, e *domain, at hclsyntax.Expression, always string) {
	switch {
	case d.fixed && d.name == "" && e.fixed && e.name == "":
		return // two literals
	case d.fixed && e.fixed && (d.kind == e.kind || d.kind == anyKind || e.kind == anyKind):
		return // a switch in the file, which stands as somebody has put it
	case d.mayEqual(e):
		return
	}
	c.wrong = true
	where := toRange(at.Range())
	if d.kind != anyKind && e.kind != anyKind && d.kind != e.kind {
		c.kinds(d, e, where)
		return
	}
	if d.name == "" || len(e.values) != 1 {
		p := c.errorf(where, "the two sides are never equal")
		for _, side := range []*domain{d, e} {
			if side.name != "" && side.values != nil {
				p.detail("%s", strings.TrimPrefix(p.Detail+"\n"+side.name+" is "+side.listed(diag.Or), "\n"))
			}
		}
		return
	}
	v := e.values[0]
	word, _ := text(v)
	p := c.errorf(where, "%s", d.never(wordOf(v)))
	one, all := "its only value", "its values"
	if d.noun != "" {
		one, all = "the only "+d.noun, "the "+strings.Replace(d.noun+"s", "ys", "ies", 1)
	}
	switch values := d.listed(diag.And); {
	case len(d.values) == 1:
		p.detail("%s is %s, %s", one, values, always)
	case len(d.values) > 1:
		p.detail("%s are %s, %s", all, values, always)
	}
	if d.other != nil {
		p.hint("%s", d.other(word))
	}
	p.hint("%s", diag.DidYouMean(word, d.texts()))
}

// kinds reports two sides of different kinds.
func (c *comparer) kinds(d, e *domain, where diag.Range) {
	isList := func(k kind) bool { return k == tupleKind || k == listKind }
	if isList(d.kind) && isList(e.kind) {
		p := c.errorf(where, "%s is never equal to a list as written", c.title(d))
		p.detail("they are lists of two kinds")
		p.hint("compare length(%s), or the elements", c.title(d))
		return
	}
	first := c.title(d)
	if first == "this" {
		first = "the other side"
	}
	p := c.errorf(where, "%s is %s, and %s is %s: they are never equal", first, d.kind.words(), c.title(e), e.kind.words())
	switch {
	case isList(d.kind) && d.name != "":
		p.hint("did you mean contains(%s, %s)?", d.name, c.title(e))
	case e.fixed && len(e.values) == 1 && e.kind == stringKind && d.kind != objectKind:
		to := cty.Number
		if d.kind == boolKind {
			to = cty.Bool
		}
		if v, err := convert.Convert(e.values[0], to); err == nil && !v.IsNull() {
			p.hint("write %s, without quotes", show(v))
		}
	case e.fixed && len(e.values) == 1 && d.kind == stringKind && e.values[0].Type().IsPrimitiveType():
		s, _ := text(e.values[0])
		p.hint("%s", fmt.Sprintf("write %q, in quotes", s))
	}
	if p.Hint == "" && d.values != nil {
		p.hint("%s is %s", c.title(d), diag.Or(d.texts()))
	}
}

// title is a side of a comparison in a sentence.
func (c *comparer) title(x *domain) string {
	switch {
	case x.name != "":
		return x.name
	case len(x.values) == 1:
		return show(x.values[0])
	}
	return "this"
}
