package matrix

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// variables of for expressions that hide names, innermost last.
type loopVars []map[string]*domain

// domain is what is known of an expression that is read in s.
func (s *scope) domain(e hclsyntax.Expression, loops loopVars) *domain {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		d := valueDomain(e.Val)
		d.fixed = true
		return d
	case *hclsyntax.TemplateExpr:
		if e.IsStringLiteral() {
			if v, diags := e.Value(nil); !diags.HasErrors() {
				d := valueDomain(v)
				d.fixed = true
				return d
			}
		}
		return &domain{kind: stringKind}
	case *hclsyntax.ParenthesesExpr:
		return s.domain(e.Expression, loops)
	case *hclsyntax.TemplateWrapExpr:
		return s.domain(e.Wrapped, loops)
	case *hclsyntax.ConditionalExpr:
		return s.domain(e.TrueResult, loops).or(s.domain(e.FalseResult, loops))
	case *hclsyntax.UnaryOpExpr:
		if e.Op == hclsyntax.OpLogicalNot {
			return boolDomain()
		}
		if v, diags := e.Value(rootContext); len(e.Variables()) == 0 && !diags.HasErrors() {
			d := valueDomain(v)
			d.fixed = true
			return d
		}
		return &domain{kind: numberKind}
	case *hclsyntax.BinaryOpExpr:
		if e.Op.Type == cty.Bool {
			return boolDomain()
		}
		return &domain{kind: sortOf(e.Op.Type)}
	case *hclsyntax.TupleConsExpr:
		d := &domain{kind: tupleKind}
		for i, x := range e.Exprs {
			if in := s.domain(x, loops); i == 0 {
				d.elem = in
			} else {
				d.elem = d.elem.or(in)
			}
		}
		return d
	case *hclsyntax.ObjectConsExpr:
		return &domain{kind: objectKind}
	case *hclsyntax.FunctionCallExpr:
		return &domain{kind: resultKinds[e.Name]}
	case *hclsyntax.ScopeTraversalExpr:
		return s.read(e.Traversal, loops)
	}
	return &domain{}
}

// resultKinds is what functions return whatever they are given.
var resultKinds = map[string]kind{
	"contains": boolKind, "hasindex": boolKind, "tobool": boolKind,
	"abs": numberKind, "ceil": numberKind, "floor": numberKind, "max": numberKind, "min": numberKind,
	"parseint": numberKind, "signum": numberKind, "strlen": numberKind, "length": numberKind, "tonumber": numberKind,
	"chomp": stringKind, "format": stringKind, "join": stringKind, "lower": stringKind, "upper": stringKind,
	"regexreplace": stringKind, "replace": stringKind, "strrev": stringKind, "substr": stringKind, "title": stringKind,
	"trim": stringKind, "trimprefix": stringKind, "trimspace": stringKind, "trimsuffix": stringKind, "tostring": stringKind,
}

// read is the domain of a name, or of a part of what it names.
func (s *scope) read(t hcl.Traversal, loops loopVars) *domain {
	for i := len(loops) - 1; i >= 0; i-- {
		if d, hides := loops[i][t.RootName()]; hides {
			if len(t) > 1 {
				return &domain{}
			}
			return d
		}
	}
	sym := s.find(t.RootName())
	if sym == nil {
		return &domain{}
	}
	switch len(t) {
	case 1:
		return sym.whole()
	case 2:
		if name, _ := stepName(t[1]); name != "" && sym.parts[name] != nil {
			return sym.parts[name]
		}
	}
	return &domain{}
}

// whole is the domain of what a symbol names; that of a let is worked out when
// it is first asked for.
func (sym *symbol) whole() *domain {
	if sym.dom == nil {
		sym.dom = &domain{} // also for a let that needs itself
		if sym.let != nil {
			sym.dom = sym.in.domain(sym.let.node, nil).called(sym.name, nil)
		}
	}
	return sym.dom
}
