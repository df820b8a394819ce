package matrix

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// What is known of the values of each name that an expression may read.

// domain is the values of an axis.
func (ax *axisDecl) domain() *domain {
	d := &domain{kind: sortOf(ax.values[0].Type())}
	if !ax.partial {
		d = valuesDomain(ax.values)
	}
	return d.called(ax.Name, func(word string) string { return "axis " + ax.Name + " has no value " + word })
}

// targetParts is what is known of target.
func (d *declarations) targetParts(targets []Target) map[string]*domain {
	named, gens := &domain{kind: stringKind}, &domain{kind: stringKind}
	if !d.targetsPartial {
		for i, t := range targets {
			named.values = append(named.values, cty.StringVal(t.Name))
			if i == 0 || targets[i-1].Generation != t.Generation {
				gens.values = append(gens.values, cty.StringVal(t.Generation))
			}
		}
	}
	named = named.called("target.name", func(word string) string { return "there is no target " + word })
	gens = gens.called("target.gen", func(word string) string { return "there is no generation " + word })
	named.noun, gens.noun = "target", "generation"
	named.other = func(word string) string {
		if gens.has(word) {
			return word + " is a generation: write target.gen"
		}
		return ""
	}
	gens.other = func(word string) string {
		if named.has(word) {
			return word + " is a target: write target.name"
		}
		return ""
	}
	waves := &domain{kind: tupleKind, elem: valuesDomain([]cty.Value{cty.NumberIntVal(32), cty.NumberIntVal(64)}).
		called("target.waves", func(word string) string { return "no target has the wave size " + word })}
	return map[string]*domain{
		"name": named, "gen": gens,
		"fp8":   boolDomain().called("target.fp8", nil),
		"waves": waves.called("target.waves", nil),
	}
}

// attributeDomains is what is known of the attributes of a cell.
var attributeDomains = map[string]kind{
	"name": stringKind, "source": stringKind, "recipe": stringKind, "reference": stringKind, "wave64": boolKind, "redirect": boolKind,
	"include": tupleKind, "flags": tupleKind, "counts": objectKind, "defines": objectKind, "hook": objectKind,
}

func attributeDomain(name string) *domain {
	k := attributeDomains[name]
	if k == boolKind {
		return boolDomain().called(name, nil)
	}
	return (&domain{kind: k}).called(name, nil)
}

// familyDomain is the names that a family can have.
func (d *declarations) familyDomain() *domain {
	out := &domain{kind: stringKind}
	for _, n := range d.familyNames {
		out.values = append(out.values, cty.StringVal(n))
	}
	out = out.called("family", func(word string) string { return "there is no family " + word })
	out.noun = "family"
	return out
}

// domains notes which values a row and its parts have; only their kinds when
// the rows come from outside the file.
func (v *rowVar) domains(outside bool) {
	known := func(vs []cty.Value) *domain {
		d := valuesDomain(vs)
		if outside {
			d.values, d.elem = nil, nil
		}
		return d
	}
	v.dom = known(v.values).called(v.name, func(word string) string { return "no row of " + v.name + " is " + word })
	if !v.table {
		return
	}
	columns := map[string][]cty.Value{}
	for _, row := range v.values {
		if row.IsNull() || !row.Type().IsObjectType() {
			return
		}
		for name, value := range row.AsValueMap() {
			columns[name] = append(columns[name], value)
		}
	}
	v.parts = map[string]*domain{}
	for name, column := range columns {
		v.parts[name] = known(column).called(v.name+"."+name, func(word string) string {
			return "no row of " + v.name + " has the " + name + " " + word
		})
	}
}

// varDomains is what is known of variables: their types, and what validations
// allow.
func (l *loader) varDomains() map[string]*domain {
	parts := map[string]*domain{}
	for _, v := range l.m.Variables {
		d := &domain{}
		switch {
		case v.Type == "bool":
			d = boolDomain()
		case v.Type == "string":
			d.kind = stringKind
		case v.Type == "number":
			d.kind = numberKind
		case strings.HasPrefix(v.Type, "list("):
			d.kind = listKind
		}
		if allowed := l.once.allowed[v.Name]; allowed != nil && d.kind != anyKind {
			d.values = allowed
		}
		parts[v.Name] = d.called("var."+v.Name, func(word string) string { return "variable " + v.Name + " is never " + word })
	}
	return parts
}

// outside reports whether an expression reads what is not in the file:
// variables, also through locals.
func (l *loader) outside(e hclsyntax.Expression, seen []*localDecl) bool {
	for _, t := range e.Variables() {
		switch {
		case t.RootName() == "var":
			return true
		case t.RootName() != "local":
			continue
		case len(t) < 2:
			return true
		}
		name, _ := stepName(t[1])
		for _, d := range l.once.locals {
			if d.name == name && !slices.Contains(seen, d) && l.outside(d.x.node, append(seen, d)) {
				return true
			}
		}
	}
	return false
}

// allowedBy is the values that a condition allows a variable, where it is
// contains([...], var.NAME) or var.NAME == ... || var.NAME == ...; nil for any
// other condition.
func allowedBy(e hclsyntax.Expression, name string) []cty.Value {
	isVar := func(e hclsyntax.Expression) bool {
		read, ok := reference(e, "var")
		return ok && read == name
	}
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return allowedBy(e.Expression, name)
	case *hclsyntax.BinaryOpExpr:
		switch {
		case e.Op == hclsyntax.OpLogicalOr:
			left, right := allowedBy(e.LHS, name), allowedBy(e.RHS, name)
			if left == nil || right == nil {
				return nil
			}
			return append(left, right...)
		case e.Op == hclsyntax.OpEqual && isVar(e.LHS):
			if v, diags := e.RHS.Value(nil); !diags.HasErrors() && !v.IsNull() {
				return []cty.Value{v}
			}
		}
	case *hclsyntax.FunctionCallExpr:
		if e.Name == "contains" && len(e.Args) == 2 && isVar(e.Args[1]) {
			if v, diags := e.Args[0].Value(nil); !diags.HasErrors() && isList(v) && v.IsWhollyKnown() {
				return v.AsValueSlice()
			}
		}
	}
	return nil
}
