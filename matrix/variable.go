package matrix

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kmx/internal/diag"
)

// variables reads the variable blocks. A value given on the command line wins
// over the environment, which wins over the default. An environment variable
// that is set to nothing counts as not set.
func (l *loader) variables(root *node) {
	l.once.vars, l.once.allowed = map[string]cty.Value{}, map[string][]cty.Value{}
	nodes := root.all("variable")
	var kept []*node
	for _, n := range nodes {
		if !l.names.declare("variable", n.label, n.head) {
			continue
		}
		if !hclsyntax.ValidIdentifier(n.label) {
			l.errorf(n.head, "%q cannot name a variable", n.label)
			continue
		}
		kept = append(kept, n)
		l.variable(n)
	}
	for _, n := range kept {
		for _, v := range n.all("validation") {
			l.validation(n, v)
		}
	}
}

func (l *loader) variable(n *node) {
	nothing := newScope(nil)
	v := Variable{Name: n.label, Declared: n.head}
	v.Description = l.onceText(n, "description", nothing)
	v.EnvName = l.onceText(n, "env", nothing)
	v.Machine = l.onceBool(n, "machine", nothing, false)
	v.Developer = l.onceBool(n, "developer", nothing, false)
	separator := l.onceText(n, "separator", nothing)
	if separator == "" {
		separator = string(os.PathListSeparator)
	}

	typ := cty.String
	known := true
	if a := n.attrs["type"]; a != nil {
		if typ, known = l.typeOf(a.expr); !known {
			typ = cty.DynamicPseudoType
		}
	}
	value, origin := cty.DynamicVal, "default"
	if a := n.attrs["default"]; a != nil {
		f, b := l.evaluate(a, nothing, n.title()+" default")
		given := f.whole(b)
		if n.attrs["type"] == nil && given.IsKnown() && !given.IsNull() && given.Type().IsPrimitiveType() {
			typ = given.Type()
		}
		converted, err := convert.Convert(given, typ)
		switch {
		case err == nil:
			value = converted
			v.Default = show(value)
		case given.IsKnown():
			l.errorf(a.where(), "the default of variable %s must be %s, not %s", n.label, typeName(typ), kindOf(given)).
				detail("%s", err)
		}
	}
	v.Type = typeName(typ)
	parse := func(text, from string) {
		if got, err := fromText(text, typ, separator); err != nil {
			l.errorf(n.head, "variable %s must be %s, and %s gives %q", n.label, typeName(typ), giver(from), text).
				detail("%s", err)
			value = cty.DynamicVal
		} else {
			value, origin = got, from
		}
	}
	if v.EnvName != "" {
		text, set := l.o.Getenv(v.EnvName)
		l.m.Env = append(l.m.Env, EnvRead{v.EnvName, text, set})
		if _, given := l.o.Vars[n.label]; set && text != "" && known && !given {
			parse(text, "env "+v.EnvName)
		}
	}
	if text, given := l.o.Vars[n.label]; given && known {
		parse(text, "-var")
	} else if origin == "default" && n.attrs["default"] == nil && known {
		p := l.errorf(n.head, "variable %s has no value", n.label)
		if v.EnvName != "" {
			p.hint("set %s, pass -vars=%s=..., or give it a default", v.EnvName, n.label)
		} else {
			p.hint("pass -vars=%s=..., or give it a default", n.label)
		}
	}
	v.Value, v.Origin = show(value), origin
	v.Differs = v.Value != v.Default
	l.once.vars[n.label] = value
	l.m.Variables = append(l.m.Variables, v)
}

// typeOf reads a type: string, bool, number, or list(...) of one of these.
func (l *loader) typeOf(e hclsyntax.Expression) (cty.Type, bool) {
	words := []string{"string", "bool", "number", "list"}
	switch word := hcl.ExprAsKeyword(e); word {
	case "string":
		return cty.String, true
	case "bool":
		return cty.Bool, true
	case "number":
		return cty.Number, true
	case "list":
		l.errorf(toRange(e.Range()), "a list needs the type of its elements").hint("write list(string)")
		return cty.NilType, false
	case "":
	default:
		l.errorf(toRange(e.Range()), "there is no type %s", word).didYouMean(word, words)
		return cty.NilType, false
	}
	if call, ok := e.(*hclsyntax.FunctionCallExpr); ok {
		if call.Name == "list" && len(call.Args) == 1 {
			of, ok := l.typeOf(call.Args[0])
			if ok && !of.IsPrimitiveType() {
				l.errorf(toRange(call.Args[0].Range()), "a list can hold string, bool or number")
				return cty.NilType, false
			}
			if !ok {
				return cty.NilType, false
			}
			return cty.List(of), true
		}
		if call.Name != "list" {
			l.errorf(toRange(call.NameRange), "there is no type %s", call.Name).didYouMean(call.Name, words)
			return cty.NilType, false
		}
	}
	l.errorf(toRange(e.Range()), "this is no type").hint("types are string, bool, number and list(...)")
	return cty.NilType, false
}

func typeName(t cty.Type) string {
	if t.IsListType() {
		return "list(" + typeName(t.ElementType()) + ")"
	}
	return t.FriendlyName()
}

// fromText reads a value given as text, by the environment or -vars.
func fromText(text string, typ cty.Type, separator string) (cty.Value, error) {
	switch {
	case typ == cty.Bool:
		switch strings.ToLower(text) {
		case "1", "true", "yes", "on":
			return cty.True, nil
		case "0", "false", "no", "off":
			return cty.False, nil
		}
		return cty.NilVal, fmt.Errorf("a bool is written as true, false, 1, 0, yes, no, on or off")
	case typ == cty.Number:
		if len(text) > 40 || strings.ContainsAny(text, "eEpPxX_") {
			return cty.NilVal, fmt.Errorf("write the number in decimal digits")
		}
		n, err := cty.ParseNumberVal(text)
		if err != nil {
			return cty.NilVal, fmt.Errorf("write the number in decimal digits")
		}
		return n, nil
	case typ.IsListType():
		var elements []cty.Value
		for part := range strings.SplitSeq(text, separator) {
			if strings.TrimSpace(part) == "" {
				continue
			}
			v, err := fromText(part, typ.ElementType(), separator)
			if err != nil {
				return cty.NilVal, err
			}
			elements = append(elements, v)
		}
		if len(elements) == 0 {
			return cty.ListValEmpty(typ.ElementType()), nil
		}
		return cty.ListVal(elements), nil
	}
	return cty.StringVal(text), nil
}

// validation checks one condition on a variable's value.
func (l *loader) validation(n, v *node) {
	condition, message := v.attrs["condition"], v.attrs["error_message"]
	if condition == nil || message == nil {
		return
	}
	f, b := l.evaluate(condition, l.varScope(), n.title()+" validation")
	if !f.ready(b) {
		return
	}
	ok, known := f.condition(b, condition.expr)
	if allowed := allowedBy(condition.expr, n.label); known && allowed != nil && l.once.allowed[n.label] == nil {
		l.once.allowed[n.label] = allowed
	}
	f, b = l.evaluate(message, l.varScope(), n.title()+" validation")
	words, _ := f.text(b)
	if !known || ok {
		return
	}
	p := l.errorf(n.head, "variable %s: %s", n.label, words).note(condition.where(), "this must hold")
	for _, known := range l.m.Variables {
		if known.Name == n.label {
			p.Values = []diag.Value{{Name: "var." + n.label, Text: known.Value}, {Name: "origin", Text: giver(known.Origin)}}
		}
	}
}

// giver is an origin as people type it.
func giver(origin string) string {
	if origin == "-var" {
		return "-vars"
	}
	return origin
}

// unknownVars reports values given for variables that do not exist.
func (l *loader) unknownVars() {
	var names, wrong []string
	for _, v := range l.m.Variables {
		names = append(names, v.Name)
	}
	for name := range l.o.Vars {
		if !slices.Contains(names, name) {
			wrong = append(wrong, name)
		}
	}
	slices.Sort(wrong)
	for _, name := range wrong {
		if !l.broken {
			p := l.errorf(diag.Range{}, "-vars=%s=%s: there is no variable %s", name, l.o.Vars[name], name).didYouMean(name, names)
			if len(names) == 0 {
				p.hint("no variable is declared")
			}
			p.hint("kmx matrix:list -variables lists them")
		}
	}
}
