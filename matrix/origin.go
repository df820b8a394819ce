package matrix

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// newAttr is an expression that makes something of a cell: it knows what each
// of its elements reads, so that people can be told why it is there.
func newAttr(e hclsyntax.Expression, what string) *expr {
	x := newExpr(e, what)
	x.reads = map[hclsyntax.Expression][]string{}
	x.trace(e, nil)
	return x
}

// trace notes what each element of e reads: what it names itself, and what
// the conditions around it name. It follows e as list and pairs do.
func (x *expr) trace(e hclsyntax.Expression, around []string) {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		x.trace(e.Expression, around)
		return
	case *hclsyntax.ConditionalExpr:
		x.note(e, around) // as a single value
		inner := namesRead(e.Condition, around)
		x.trace(e.TrueResult, inner)
		x.trace(e.FalseResult, inner)
		return
	case *hclsyntax.TupleConsExpr:
		for _, element := range e.Exprs {
			x.note(element, around)
		}
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			x.note(item.ValueExpr, around)
		}
	case *hclsyntax.FunctionCallExpr:
		if (e.Name == "concat" || e.Name == "merge") && !e.ExpandFinal {
			for _, arg := range e.Args {
				x.trace(arg, around)
			}
		}
	}
	x.note(e, around)
}

func (x *expr) note(e hclsyntax.Expression, around []string) {
	if names := namesRead(e, around); len(names) > 0 {
		x.reads[e] = names
	}
}

// namesRead is what e names, each once, after what is named around it. The
// result may share memory with around.
func namesRead(e hclsyntax.Expression, around []string) []string {
	names := slices.Clip(around)
	for _, t := range e.Variables() {
		if name := traversalText(t); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// origin is where an element of b comes from.
func (b *bound) origin(p piece) Origin {
	return Origin{Range: p.where, What: b.x.what, Adjust: b.x.adjust, Reads: b.x.reads[p.node]}
}

// whole is where all of b comes from.
func (b *bound) whole() Origin {
	return Origin{Range: b.x.where(), What: b.x.what, Adjust: b.x.adjust, Reads: b.x.reads[b.x.node]}
}
