package matrix

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// piece is one element of a list or object, with the place it is written at.
type piece struct {
	key   string
	value cty.Value
	where diag.Range
	node  hclsyntax.Expression // the element, or the expression that makes it
}

// value evaluates e, a part of b, at the present point; b must be ready. An
// unknown value stands for a mistake that is already reported.
//
// Conditionals are followed here, not by HCL: only the branch that is taken
// is evaluated, and its value keeps its type, where HCL would convert both
// branches to one (true and 4 to "true" and "4").
func (f *frame) value(b *bound, e hclsyntax.Expression) cty.Value {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return e.Val
	case *hclsyntax.ParenthesesExpr:
		return f.value(b, e.Expression)
	case *hclsyntax.TemplateWrapExpr:
		return f.value(b, e.Wrapped)
	case *hclsyntax.ConditionalExpr:
		branch := f.branch(b, e)
		if branch == nil {
			return cty.DynamicVal
		}
		return f.value(b, branch)
	}
	v, diags := e.Value(b.ctx)
	if diags.HasErrors() {
		for _, d := range diags {
			if d.Severity == hcl.DiagError {
				m := fromHCL(d)
				word, known := ownWords(&m, d)
				p := f.fail(b, m)
				if word != "" {
					p.didYouMean(word, known)
				}
			}
		}
		return cty.DynamicVal
	}
	return v
}

// branch is the branch of a conditional that is taken here; nil when the
// condition is no boolean.
func (f *frame) branch(b *bound, e *hclsyntax.ConditionalExpr) hclsyntax.Expression {
	ok, known := f.condition(b, e.Condition)
	switch {
	case !known:
		return nil
	case ok:
		return e.TrueResult
	}
	return e.FalseResult
}

// condition evaluates e to a boolean; known is false when it is not one,
// which is then reported.
func (f *frame) condition(b *bound, e hclsyntax.Expression) (ok, known bool) {
	v := f.value(b, e)
	switch {
	case !v.IsKnown():
		return false, false
	case v.IsNull() || v.Type() != cty.Bool:
		f.fail(b, diag.Message{
			Where:   toRange(e.Range()),
			Summary: "a condition must be true or false, not " + kindOf(v),
		})
		return false, false
	}
	return v.True(), true
}

// whole evaluates b's expression.
func (f *frame) whole(b *bound) cty.Value {
	if !f.ready(b) {
		return cty.DynamicVal
	}
	return f.value(b, b.x.node)
}

// list evaluates e to a list, element by element where it is written out,
// also through conditionals and concat(). null elements are left out.
func (f *frame) list(b *bound, e hclsyntax.Expression) []piece {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return f.list(b, e.Expression)
	case *hclsyntax.ConditionalExpr:
		if branch := f.branch(b, e); branch != nil {
			return f.list(b, branch)
		}
		return nil
	case *hclsyntax.TupleConsExpr:
		out := make([]piece, 0, len(e.Exprs))
		for _, x := range e.Exprs {
			if v := f.value(b, x); !v.IsNull() {
				out = append(out, piece{value: v, where: toRange(x.Range()), node: x})
			}
		}
		return out
	case *hclsyntax.FunctionCallExpr:
		if e.Name == "concat" && !e.ExpandFinal {
			var out []piece
			for _, x := range e.Args {
				out = append(out, f.list(b, x)...)
			}
			return out
		}
	}
	v := f.value(b, e)
	if !v.IsKnown() || v.IsNull() {
		return nil
	}
	where := toRange(e.Range())
	if !isList(v) {
		f.fail(b, diag.Message{Where: where, Summary: "this must be a list, not " + kindOf(v)}).
			hint("write [...] around it")
		return nil
	}
	var out []piece
	for _, x := range v.AsValueSlice() {
		if !x.IsNull() {
			out = append(out, piece{value: x, where: where, node: e})
		}
	}
	return out
}

// pairs evaluates e to the entries of an object, in the order written where
// it is written out, also through conditionals and merge(); of an object that
// is computed the order is that of the sorted keys. A later entry of the same
// key replaces the value and keeps the place in the order. null values stay.
func (f *frame) pairs(b *bound, e hclsyntax.Expression) []piece {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return f.pairs(b, e.Expression)
	case *hclsyntax.ConditionalExpr:
		if branch := f.branch(b, e); branch != nil {
			return f.pairs(b, branch)
		}
		return nil
	case *hclsyntax.ObjectConsExpr:
		var out []piece
		for _, item := range e.Items {
			where := toRange(hcl.RangeBetween(item.KeyExpr.Range(), item.ValueExpr.Range()))
			key, ok := f.objectKey(b, item.KeyExpr)
			if !ok {
				continue
			}
			if i := indexOf(out, key); i >= 0 {
				f.fail(b, diag.Message{Where: toRange(item.KeyExpr.Range()), Summary: key + " is given twice in one object"}).
					note(out[i].where, "the first one is here")
				continue
			}
			out = append(out, piece{key, f.value(b, item.ValueExpr), where, item.ValueExpr})
		}
		return out
	case *hclsyntax.FunctionCallExpr:
		if e.Name == "merge" && !e.ExpandFinal {
			var out []piece
			for _, x := range e.Args {
				out = mergePieces(out, f.pairs(b, x))
			}
			return out
		}
	}
	v := f.value(b, e)
	if !v.IsKnown() || v.IsNull() {
		return nil
	}
	where := toRange(e.Range())
	if !isObject(v) {
		f.fail(b, diag.Message{Where: where, Summary: "this must be an object, not " + kindOf(v)}).
			hint("write { NAME = value }")
		return nil
	}
	var out []piece
	m := v.AsValueMap()
	for _, n := range attributeNames(v) {
		out = append(out, piece{n, m[n], where, e})
	}
	return out
}

func (f *frame) objectKey(b *bound, e hclsyntax.Expression) (string, bool) {
	v := f.value(b, e)
	if !v.IsKnown() {
		return "", false
	}
	key, ok := text(v)
	if !ok {
		f.fail(b, diag.Message{Where: toRange(e.Range()), Summary: "a key must be a name, not " + kindOf(v)})
	}
	return key, ok
}

func indexOf(ps []piece, key string) int {
	for i := range ps {
		if ps[i].key == key {
			return i
		}
	}
	return -1
}

// mergePieces lets later entries win, each at the place of the first.
func mergePieces(into, from []piece) []piece {
	for _, p := range from {
		if i := indexOf(into, p.key); i >= 0 {
			into[i] = p
		} else {
			into = append(into, p)
		}
	}
	return into
}
