package matrix

import (
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// kind is a sort of values that are never equal to those of another sort.
type kind string

const (
	anyKind    kind = "" // not known
	stringKind kind = "a string"
	numberKind kind = "a number"
	boolKind   kind = "a boolean"
	tupleKind  kind = "a list"  // as written
	listKind   kind = "a list " // of one type: of a variable
	objectKind kind = "an object"
)

func (k kind) words() string { return strings.TrimSpace(string(k)) }

// domain is what is known of an expression's value before anything is
// evaluated. The zero domain says nothing.
type domain struct {
	kind   kind
	values []cty.Value // every value that it can have; nil: not known
	elem   *domain     // what its elements can be; nil: not known
	fixed  bool        // it is one value of the file, in every run

	name  string                   // as it is read: "numerics", "layer.id"; "" when it has none
	noun  string                   // what its values are; "": its values
	never func(word string) string // says that it is never that value
	other func(word string) string // a hint for a value that belongs somewhere else
}

func boolDomain() *domain {
	return &domain{kind: boolKind, values: []cty.Value{cty.False, cty.True}}
}

// called is the domain under a name that messages may use.
func (d *domain) called(name string, never func(word string) string) *domain {
	out := *d
	out.name, out.never = name, never
	if never == nil {
		out.never = func(word string) string { return name + " is never " + word }
	}
	return &out
}

func sortOf(t cty.Type) kind {
	switch {
	case t == cty.String:
		return stringKind
	case t == cty.Number:
		return numberKind
	case t == cty.Bool:
		return boolKind
	case t.IsTupleType():
		return tupleKind
	case t.IsListType():
		return listKind
	case t.IsObjectType():
		return objectKind
	}
	return anyKind
}

// valueDomain is the domain of one value.
func valueDomain(v cty.Value) *domain {
	if v == cty.NilVal || !v.IsWhollyKnown() {
		return &domain{}
	}
	d := &domain{kind: sortOf(v.Type()), values: []cty.Value{v}}
	if v.IsNull() {
		d.kind = anyKind
	} else if d.kind == tupleKind {
		d.elem = valuesDomain(v.AsValueSlice())
	}
	return d
}

// valuesDomain is the domain of what is one of several values.
func valuesDomain(vs []cty.Value) *domain {
	if len(vs) == 0 {
		return &domain{}
	}
	out := &domain{kind: sortOf(vs[0].Type())}
	seen := map[string]bool{}
	var elems []cty.Value
	for _, v := range vs {
		d := valueDomain(v)
		if d.values == nil {
			return &domain{}
		}
		if d.kind != out.kind {
			out.kind = anyKind
		}
		if key := show(v); !seen[key] {
			seen[key] = true
			out.values = append(out.values, v)
		}
		if d.kind == tupleKind {
			elems = append(elems, v.AsValueSlice()...)
		}
	}
	if out.kind == tupleKind {
		out.elem = valuesDomain(elems)
	}
	return out
}

// or is the domain of what is in either.
func (d *domain) or(e *domain) *domain {
	out := &domain{kind: d.kind}
	if d.kind != e.kind {
		out.kind = anyKind
	}
	if d.values != nil && e.values != nil {
		out.values = append(d.values[:len(d.values):len(d.values)], e.values...)
	}
	if d.elem != nil && e.elem != nil {
		out.elem = d.elem.or(e.elem)
	}
	return out
}

// mayEqual reports whether a value of each can be equal. null can be meant
// to be compared with anything.
func (d *domain) mayEqual(e *domain) bool {
	const most = 1 << 16
	switch {
	case d.values != nil && e.values != nil:
		if len(d.values)*len(e.values) > most {
			return true
		}
		for _, v := range d.values {
			for _, w := range e.values {
				if d.fixed && v.IsNull() || e.fixed && w.IsNull() || v.RawEquals(w) {
					return true
				}
			}
		}
		return false
	case d.values != nil:
		return e.mayEqual(d)
	case e.values != nil:
		for _, v := range e.values {
			if v.IsNull() || d.kind == anyKind || sortOf(v.Type()) == d.kind {
				return true
			}
		}
		return false
	}
	return d.kind == anyKind || e.kind == anyKind || d.kind == e.kind
}

// texts is the values as they are named in messages.
func (d *domain) texts() []string {
	var out []string
	seen := map[string]bool{}
	for _, v := range d.values {
		if word := wordOf(v); !seen[word] {
			seen[word] = true
			out = append(out, word)
		}
	}
	return out
}

// wordOf is a value as it is named in a sentence.
func wordOf(v cty.Value) string {
	if s, ok := text(v); ok && s != "" {
		if !isName("x" + s) {
			return strconv.Quote(s)
		}
		return s
	}
	return show(v)
}

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

func (d *domain) has(word string) bool {
	for _, v := range d.values {
		if s, ok := text(v); ok && s == word {
			return true
		}
	}
	return false
}

// attributeDomains is what is known of the attributes of a cell.
var attributeDomains = map[string]kind{
	"name": stringKind, "source": stringKind, "recipe": stringKind, "wave64": boolKind, "redirect": boolKind,
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

// listed joins values for a message, not too many of them.
func (d *domain) listed(join func([]string) string) string {
	texts := d.texts()
	if len(texts) > 12 {
		return shorten(texts, 12)
	}
	return join(texts)
}
