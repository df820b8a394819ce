package matrix

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kmx/internal/diag"
)

// overridable is what an entry of an override can say.
var overridable = []string{"recipe", "reference", "source", "counts"}

// overrideDecl is one entry of an override: what is said for the cells where
// its condition holds.
type overrideDecl struct {
	when   *expr
	fields []fieldDecl
	where  diag.Range
}

// overrides reads a list of objects as written.
func (l *loader) overrides(a *attr, title string) []overrideDecl {
	list, ok := a.expr.(*hclsyntax.TupleConsExpr)
	if !ok {
		l.errorf(a.where(), "override must be a list as written").hint("write override = [{ when = ..., recipe = ... }]")
		return nil
	}
	var out []overrideDecl
	for _, x := range list.Exprs {
		where := toRange(x.Range())
		object, ok := x.(*hclsyntax.ObjectConsExpr)
		if !ok {
			l.errorf(where, "an element of override must be an object as written").hint("write { when = ..., recipe = ... }")
			continue
		}
		d := overrideDecl{where: where}
		for _, field := range l.objectFields(object, "override", append([]string{"when"}, overridable...), title) {
			if field.name == "when" {
				d.when = field.x
			} else {
				d.fields = append(d.fields, field)
			}
		}
		if d.when == nil {
			l.errorf(where, "an element of override has no when").hint("add when = ...; what holds for every cell needs no override")
			continue
		}
		if len(d.fields) == 0 {
			l.errorf(where, "an element of override says nothing").hint("add %s", diag.Or(overridable))
		}
		out = append(out, d)
	}
	return out
}

// objectFields reads an object as written whose keys are known words: the
// attribute called name of the block with that title.
func (l *loader) objectFields(o *hclsyntax.ObjectConsExpr, name string, known []string, title string) []fieldDecl {
	var out []fieldDecl
	for _, item := range o.Items {
		at := toRange(item.KeyExpr.Range())
		key, diags := item.KeyExpr.Value(rootContext)
		word, ok := text(key)
		earlier := slices.IndexFunc(out, func(f fieldDecl) bool { return f.name == word })
		switch {
		case diags.HasErrors() || !ok:
			l.errorf(at, "this must be one of %s", diag.Or(known))
		case !slices.Contains(known, word):
			l.errorf(at, "%s has no entry %s", name, word).didYouMean(word, known)
		case earlier >= 0:
			l.errorf(at, "%s is given twice in one object", word).note(out[earlier].where, "the first one is here")
		default:
			out = append(out, fieldDecl{word, at, newAttr(item.ValueExpr, title+" "+name+" "+word)})
		}
	}
	return out
}
