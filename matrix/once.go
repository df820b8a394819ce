package matrix

import (
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// onceValues is what is evaluated once: variables and locals.
type onceValues struct {
	vars   map[string]cty.Value
	locals []*localDecl
	points int // cells asked for so far, at most

	allowed map[string][]cty.Value // what validations allow a variable to be
}

type localDecl struct {
	name  string
	x     *expr
	state int8
	value cty.Value
}

// evaluate evaluates an attribute that may read what s holds.
func (l *loader) evaluate(a *attr, s *scope, what string) (*frame, *bound) {
	x := newExpr(a.expr, what)
	s.check(x, l.problems)
	f := newFrame(l.problems)
	return f, f.bind(x, s)
}

// onceText is a string attribute that is evaluated once; "" when it is absent
// or wrong.
func (l *loader) onceText(n *node, name string, s *scope) string {
	a := n.attrs[name]
	if a == nil {
		return ""
	}
	f, b := l.evaluate(a, s, n.title()+" "+name)
	text, _ := f.text(b)
	return text
}

// onceInt is a count that is evaluated once; -1 when it is absent or wrong.
func (l *loader) onceInt(n *node, name string, s *scope) int {
	a := n.attrs[name]
	if a == nil {
		return -1
	}
	f, b := l.evaluate(a, s, n.title()+" "+name)
	v := f.whole(b)
	if !v.IsKnown() {
		return -1
	}
	i, ok := wholeNumber(v)
	if !ok || i < 0 {
		l.errorf(a.where(), "%s must be a whole number from 0 up, not %s", name, show(v))
		return -1
	}
	return i
}

// onceBool is a boolean attribute that is evaluated once.
func (l *loader) onceBool(n *node, name string, s *scope, otherwise bool) bool {
	a := n.attrs[name]
	if a == nil {
		return otherwise
	}
	f, b := l.evaluate(a, s, n.title()+" "+name)
	return f.boolean(b, otherwise)
}

// onceList is a list attribute that is evaluated once.
func (l *loader) onceList(n *node, name string, s *scope) []piece {
	a := n.attrs[name]
	if a == nil {
		return nil
	}
	f, b := l.evaluate(a, s, n.title()+" "+name)
	if !f.ready(b) {
		return nil
	}
	return f.list(b, a.expr)
}

// onceTexts is a list of strings that is evaluated once.
func (l *loader) onceTexts(n *node, name string, s *scope) []Token {
	a := n.attrs[name]
	if a == nil {
		return nil
	}
	f, b := l.evaluate(a, s, n.title()+" "+name)
	return f.tokens(b)
}

// locals evaluates the locals blocks, each value after those it reads.
func (l *loader) locals(root *node) {
	byName := map[string]*localDecl{}
	for _, n := range root.all("locals") {
		for _, a := range n.order {
			if l.names.declare("local", a.name, a.at) {
				d := &localDecl{name: a.name, x: newExpr(a.expr, "local "+a.name), value: cty.DynamicVal}
				byName[a.name] = d
				l.once.locals = append(l.once.locals, d)
			}
		}
	}
	var names []string
	for _, d := range l.once.locals {
		names = append(names, d.name)
	}
	static := l.varScope()
	static.add(&symbol{name: "local", noun: "local", attrs: names, value: cty.DynamicVal})
	var stack []*localDecl
	var visit func(d *localDecl)
	visit = func(d *localDecl) {
		switch d.state {
		case resolved:
			return
		case resolving:
			l.localRing(d, stack)
			return
		}
		d.state = resolving
		stack = append(stack, d)
		static.check(d.x, l.problems)
		read := map[string]cty.Value{}
		for _, t := range d.x.node.Variables() {
			if t.RootName() != "local" || len(t) < 2 {
				continue
			}
			name, _ := stepName(t[1])
			if other := byName[name]; other != nil {
				visit(other)
				read[name] = other.value
			}
		}
		stack = stack[:len(stack)-1]
		d.state = resolved
		s := l.varScope()
		s.constant("local", object(read))
		f := newFrame(l.problems)
		d.value = f.whole(f.bind(d.x, s))
	}
	for _, d := range l.once.locals {
		visit(d)
	}
}

func (l *loader) localRing(d *localDecl, stack []*localDecl) {
	from := len(stack) - 1
	for stack[from] != d {
		from--
	}
	var names []string
	for _, r := range stack[from:] {
		names = append(names, "local."+r.name)
	}
	names = append(names, "local."+d.name)
	p := l.errorf(d.x.where(), "local.%s needs itself: %s", d.name, strings.Join(names, " -> ")).
		hint("take one of the references out")
	for i, r := range stack[from:] {
		r.x.bad = true
		if i > 0 {
			p.note(r.x.where(), "%s reads %s here", names[i], names[i+1])
		}
	}
}

func (l *loader) varScope() *scope {
	s := newScope(nil)
	var names []string
	for _, v := range l.m.Variables {
		names = append(names, v.Name)
	}
	s.add(&symbol{name: "var", noun: "variable", attrs: names, value: object(l.once.vars), parts: l.varDomains()})
	return s
}

// fileScope is what every expression but those of variables may read.
func (l *loader) fileScope() *scope {
	s := l.varScope()
	var names []string
	values, parts := map[string]cty.Value{}, map[string]*domain{}
	for _, d := range l.once.locals {
		names = append(names, d.name)
		values[d.name] = d.value
		known := valueDomain(d.value)
		if known.fixed = true; l.outside(d.x.node, nil) {
			known = &domain{kind: known.kind}
		}
		parts[d.name] = known.called("local."+d.name, nil)
	}
	s.add(&symbol{name: "local", noun: "local", attrs: names, value: object(values), parts: parts})
	holders := []struct {
		kind  string
		names []string
	}{{kind: "axis"}, {kind: "toolchain"}, {kind: "library"}}
	for _, ax := range l.d.axes {
		holders[0].names = append(holders[0].names, ax.Name)
	}
	for _, t := range l.d.toolchains {
		holders[1].names = append(holders[1].names, t.Name)
	}
	for _, lib := range l.m.Libraries {
		holders[2].names = append(holders[2].names, lib.Name)
	}
	for _, h := range holders {
		s.add(&symbol{name: h.kind, noun: h.kind, attrs: h.names, value: refs(h.kind, h.names)})
	}
	return s
}

// project reads the project block.
func (l *loader) project(root *node) {
	blocks := root.all("project")
	if len(blocks) == 0 {
		if !l.broken {
			l.errorf(root.head, "the matrix has no project block").
				hint(`write project "NAME" { version = "..." }`)
		}
		return
	}
	n := blocks[0]
	p := &l.m.Project
	p.Name, p.Declared = n.label, n.head
	if !isName(p.Name) {
		l.errorf(n.head, "%q cannot name a project: its name becomes part of paths", p.Name)
	}
	p.Licence = l.onceText(n, "licence", l.d.file)
	p.Version = l.onceText(n, "version", l.d.file)
	p.Date = l.onceText(n, "date", l.d.file)
	if a := n.attrs["version"]; a != nil && p.Version != "" && !isName("v"+p.Version) {
		problem := l.errorf(a.where(), "%q cannot be a version: it becomes part of paths", p.Version).
			hint("use letters, digits, ., - and _")
		for _, v := range l.m.Variables {
			if v.Origin != "default" && readsVar(a.expr, v.Name) {
				by := giver(v.Origin)
				if env, ok := strings.CutPrefix(v.Origin, "env "); ok {
					by = env + " in the environment"
				}
				problem.detail("it is the value of variable %s, which %s gives", v.Name, by)
			}
		}
	}
	if a := n.attrs["date"]; a != nil && p.Date != "" && !isDate(p.Date) {
		l.errorf(a.where(), "%q is no date", p.Date).hint("write it as YYYY-MM-DD")
	}
}

// readsVar says whether an expression has var.NAME in it.
func readsVar(e hclsyntax.Expression, name string) bool {
	for _, t := range e.Variables() {
		if t.RootName() == "var" && len(t) > 1 {
			if step, _ := stepName(t[1]); step == name {
				return true
			}
		}
	}
	return false
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
