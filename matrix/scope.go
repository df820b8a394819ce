package matrix

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// symbol is a name that an expression may read. Exactly one of value, coord
// and slot says where its value comes from.
type symbol struct {
	name  string
	value cty.Value // a constant
	coord int       // index into the frame's coordinates, when isCoord
	slot  *slot     // evaluated when first needed

	isCoord bool
	noun    string     // what one of its attributes is: "variable", "axis"
	attrs   []string   // its attributes, where they are known; nil: anything
	rows    []tableRow // of a row variable whose rows are objects

	dom   *domain            // what is known of its value; nil: nothing, or see let
	parts map[string]*domain // of its attributes
	let   *expr              // of a let, with what it reads
	in    *scope
}

// tableRow is one row of a table, for messages.
type tableRow struct {
	where diag.Range
	value cty.Value
}

// scope is the names an expression may read, innermost first.
type scope struct {
	parent *scope
	syms   map[string]*symbol
	names  []string
	// explain says why a name that exists elsewhere cannot be read here; ""
	// when there is nothing special to say.
	explain func(name string) (why, hint string)
	hush    bool // names are missing here for a reason that is already reported
	// lost reports whether one name is missing here for such a reason.
	lost func(name string) bool
}

func newScope(parent *scope) *scope { return &scope{parent: parent, syms: map[string]*symbol{}} }

func (s *scope) add(sym *symbol) *symbol {
	if s.syms[sym.name] == nil {
		s.names = append(s.names, sym.name)
	}
	s.syms[sym.name] = sym
	return sym
}

func (s *scope) constant(name string, v cty.Value) *symbol {
	return s.add(&symbol{name: name, value: v})
}

func (s *scope) find(name string) *symbol {
	for ; s != nil; s = s.parent {
		if sym := s.syms[name]; sym != nil {
			return sym
		}
	}
	return nil
}

// all is every name in scope, outermost first.
func (s *scope) all() []string {
	if s == nil {
		return nil
	}
	return append(s.parent.all(), s.names...)
}

// expr is an expression of the file.
type expr struct {
	node hclsyntax.Expression
	what string // "family k defines"
	bad  bool   // a mistake in it is already reported: its value is unknown

	adjust string                            // the reason of the adjust it stands in, or ""
	reads  map[hclsyntax.Expression][]string // by element
}

func newExpr(e hclsyntax.Expression, what string) *expr { return &expr{node: e, what: what} }

func (x *expr) where() diag.Range { return toRange(x.node.Range()) }

// check reports every name in x that s does not know, every function that
// does not exist and every comparison that never holds, and marks x bad if
// there is one.
func (s *scope) check(x *expr, ps *problems) {
	if x == nil || x.bad {
		return
	}
	for _, t := range x.node.Variables() {
		if !s.checkName(t, ps) {
			x.bad = true
		}
	}
	_ = hclsyntax.VisitAll(x.node, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.FunctionCallExpr:
			if _, ok := functions[n.Name]; !ok {
				x.bad = true
				ps.errorf(toRange(n.NameRange), "there is no function %s", n.Name).didYouMean(n.Name, functionNames)
			}
		case *hclsyntax.ExprSyntaxError:
			x.bad = true
		}
		return nil
	})
	s.compare(x, ps)
}

func (s *scope) checkName(t hcl.Traversal, ps *problems) bool {
	root, ok := t[0].(hcl.TraverseRoot)
	if !ok {
		return true
	}
	sym := s.find(root.Name)
	if sym == nil {
		s.unknown(root.Name, toRange(root.SrcRange), ps)
		return false
	}
	if len(t) < 2 {
		if sym.noun != "" {
			ps.errorf(toRange(root.SrcRange), "%s alone is nothing; name the %s", root.Name, sym.noun).
				hint("write %s.NAME", root.Name)
			return false
		}
		return true
	}
	name, at := stepName(t[1])
	if name == "" {
		return true
	}
	if sym.rows != nil {
		return sym.checkRows(name, at, ps)
	}
	if sym.attrs == nil && sym.noun == "" {
		return true
	}
	for _, a := range sym.attrs {
		if a == name {
			return true
		}
	}
	noun := sym.noun
	if noun == "" {
		p := ps.errorf(at, "%s has no attribute %s", root.Name, name)
		if root.Name == "target" && name == "generation" {
			p.hint("the generation of a target is target.gen")
		}
		p.didYouMean(name, sym.attrs)
		return false
	}
	if ps.lost(noun, name) {
		return false
	}
	p := ps.errorf(at, "there is no %s %s", noun, name).didYouMean(name, sym.attrs)
	if len(sym.attrs) == 0 {
		p.hint("no %s is declared", noun)
	}
	return false
}

// stepName is the attribute a step of a traversal names, as .name or ["name"].
func stepName(step hcl.Traverser) (string, diag.Range) {
	switch step := step.(type) {
	case hcl.TraverseAttr:
		r := toRange(step.SrcRange)
		if r.End.Byte-r.Start.Byte == len(step.Name)+1 { // with the dot
			r.Start.Byte++
			r.Start.Column++
		}
		return step.Name, r
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String && step.Key.IsKnown() && !step.Key.IsNull() {
			return step.Key.AsString(), toRange(step.SrcRange)
		}
	}
	return "", diag.Range{}
}

func (sym *symbol) checkRows(name string, at diag.Range, ps *problems) bool {
	var names []string
	seen := map[string]bool{}
	var without []tableRow
	for _, r := range sym.rows {
		if !r.value.Type().IsObjectType() {
			return true
		}
		if !r.value.Type().HasAttribute(name) {
			without = append(without, r)
		}
		for _, n := range attributeNames(r.value) {
			if !seen[n] {
				seen[n] = true
				names = append(names, n)
			}
		}
	}
	switch {
	case len(without) == 0:
		return true
	case len(without) == len(sym.rows):
		ps.errorf(at, "the rows of %s have no %s", sym.name, name).didYouMean(name, names)
	default:
		for _, r := range without {
			ps.errorf(r.where, "this row of %s has no %s", sym.name, name).note(at, "it is read here").
				didYouMean(name, attributeNames(r.value))
		}
	}
	return false
}

func (s *scope) unknown(name string, at diag.Range, ps *problems) {
	for in := s; in != nil; in = in.parent {
		if in.hush || in.lost != nil && in.lost(name) {
			return
		}
		if in.explain == nil {
			continue
		}
		if why, hint := in.explain(name); why != "" {
			ps.errorf(at, "%s", why).hint("%s", hint)
			return
		}
	}
	known := s.all()
	p := ps.errorf(at, "there is no %s here", name)
	for _, holder := range []string{"var", "local", "axis", "toolchain", "library"} {
		if sym := s.find(holder); sym != nil {
			for _, a := range sym.attrs {
				if a == name {
					p.hint("did you mean %s.%s?", holder, name)
					return
				}
			}
		}
	}
	if near := diag.DidYouMean(name, known); near != "" {
		p.hint("%s", near)
		return
	}
	p.hint("names known here: %s", strings.Join(known, ", "))
}

// reference reads an expression that must be exactly HOLDER.NAME.
func reference(e hclsyntax.Expression, holder string) (string, bool) {
	t, d := hcl.AbsTraversalForExpr(e)
	if d.HasErrors() || len(t) != 2 || t.RootName() != holder {
		return "", false
	}
	name, _ := stepName(t[1])
	return name, name != ""
}
