package matrix

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

type releaseDecl struct {
	node   *node
	rules  []*ruleDecl
	perSet *expr // may read what the sets' `for` names
}

// ruleDecl is a `sets` block: the part of the axes it runs over, and what
// each set is called.
type ruleDecl struct {
	node         *node
	targets      []Target
	axes         []*axisDecl // those named in `for`, in its order
	picks        [][]int     // by axis: the values it runs over
	targetAt     int         // where target stands among them
	path, marker *expr
	expect       int
	broken       bool
}

func (l *loader) releases(root *node) {
	for _, n := range root.all("release") {
		if !l.names.declare("release", n.label, n.head) {
			continue
		}
		r := &Release{Name: n.label, Declared: n.head, KernelsPerSet: -1, decl: &releaseDecl{node: n}}
		if a := n.attrs["kernels_per_set"]; a != nil {
			r.decl.perSet = newExpr(a.expr, "kernels_per_set")
		}
		for _, b := range n.all("sets") {
			r.decl.rules = append(r.decl.rules, l.rule(b, r.decl.perSet))
		}
		if x := r.decl.perSet; x != nil && !x.bad && l.isOnce(x) {
			r.KernelsPerSet = l.onceInt(n, "kernels_per_set", l.d.file)
		}
		if len(r.decl.rules) == 0 && !l.broken {
			l.errorf(n.head, "release %s has no sets", n.label).hint("write sets { for = { target = \"*\" } path = ... }")
		}
		l.m.Releases = append(l.m.Releases, r)
	}
}

// isOnce reports whether x reads nothing that differs from set to set.
func (l *loader) isOnce(x *expr) bool {
	for _, t := range x.node.Variables() {
		if l.d.file.find(t.RootName()) == nil {
			return false
		}
	}
	return true
}

func (l *loader) rule(n *node, perSet *expr) *ruleDecl {
	r := &ruleDecl{node: n, targetAt: -1, expect: l.onceInt(n, "expect", l.d.file)}
	a := n.attrs["for"]
	table, ok := (hclsyntax.Expression)(nil), false
	if a != nil {
		table, ok = a.expr, true
	}
	object, isObject := table.(*hclsyntax.ObjectConsExpr)
	switch {
	case !ok:
		r.broken = true
	case !isObject:
		r.broken = true
		l.errorf(a.where(), "for must be an object as written, so that its order is known").
			hint(`write for = { target = "*", AXIS = axis.AXIS }`)
	default:
		for _, item := range object.Items {
			l.ruleAxis(r, item)
		}
		if r.targetAt < 0 && !r.broken {
			r.broken = true
			l.errorf(a.where(), "a set is for one target; for does not name it").hint(`add target = "*"`)
		}
	}
	s := newScope(l.d.file)
	s.explain = func(name string) (string, string) {
		for _, ax := range l.d.axes {
			if ax.Name == name {
				return name + " is not in the `for` of these sets", fmt.Sprintf("add %s = axis.%s to for", name, name)
			}
		}
		return "", ""
	}
	s.add(&symbol{name: "target", attrs: targetAttrs, value: cty.DynamicVal, parts: l.d.targetParts(l.m.Targets)})
	for _, ax := range r.axes {
		s.constant(ax.Name, cty.DynamicVal).dom = ax.domain()
	}
	get := func(name string) *expr {
		if n.attrs[name] == nil {
			return nil
		}
		x := newExpr(n.attrs[name].expr, "sets "+name)
		if !r.broken { // otherwise the names it reads are not known
			s.check(x, l.problems)
		}
		return x
	}
	r.path, r.marker = get("path"), get("marker")
	if perSet != nil && !r.broken {
		s.check(perSet, l.problems)
	}
	if r.path == nil || r.path.bad {
		r.broken = true
	}
	return r
}

// ruleAxis reads one entry of a `for`.
func (l *loader) ruleAxis(r *ruleDecl, item hclsyntax.ObjectConsItem) {
	at := toRange(item.KeyExpr.Range())
	key, diags := item.KeyExpr.Value(rootContext)
	name, ok := text(key)
	if diags.HasErrors() || !ok {
		r.broken = true
		l.errorf(at, "this must be target or the name of an axis")
		return
	}
	x := newExpr(item.ValueExpr, "for "+name)
	l.d.file.check(x, l.problems)
	if name == "target" {
		r.targetAt = len(r.axes)
		var names []string
		for _, t := range l.m.Targets {
			names = append(names, t.Name, t.Generation)
		}
		l.choices(r, x, name, names, func(word string) bool {
			found := false
			for _, t := range l.m.Targets {
				if word == "*" || word == t.Name || word == t.Generation {
					found = true
					if !slices.ContainsFunc(r.targets, func(have Target) bool { return have.Name == t.Name }) {
						r.targets = append(r.targets, t)
					}
				}
			}
			return found
		})
		return
	}
	i := slices.IndexFunc(l.d.axes, func(ax *axisDecl) bool { return ax.Name == name })
	if i < 0 {
		r.broken = true
		names := []string{"target"}
		for _, ax := range l.d.axes {
			names = append(names, ax.Name)
		}
		l.errorf(at, "there is no axis %s", name).didYouMean(name, names)
		return
	}
	ax := l.d.axes[i]
	if slices.Contains(r.axes, ax) {
		r.broken = true
		l.errorf(at, "axis %s is given twice", name)
		return
	}
	var picks []int
	l.choices(r, x, name, ax.texts, func(word string) bool {
		found := false
		for i, t := range ax.texts {
			if word == "*" || word == t {
				found = true
				if !slices.Contains(picks, i) {
					picks = append(picks, i)
				}
			}
		}
		return found
	})
	r.axes = append(r.axes, ax)
	r.picks = append(r.picks, picks)
}

// choices evaluates what a `for` runs over: "*", axis.NAME, a value or a list
// of values.
func (l *loader) choices(r *ruleDecl, x *expr, name string, known []string, pick func(string) bool) {
	f := newFrame(l.problems)
	b := f.bind(x, l.d.file)
	v := f.whole(b)
	if !v.IsKnown() {
		r.broken = true
		return
	}
	var words []piece
	if ref, ok := asRef(v); ok {
		if ref.kind != "axis" || ref.name != name {
			r.broken = true
			l.errorf(x.where(), "%s cannot run over %s.%s", name, ref.kind, ref.name)
			return
		}
		words = []piece{{value: cty.StringVal("*"), where: x.where()}}
	} else if isList(v) {
		words = f.list(b, x.node)
	} else {
		words = []piece{{value: v, where: x.where()}}
	}
	if len(words) == 0 {
		r.broken = true
		l.errorf(x.where(), "%s runs over nothing", name)
	}
	for _, w := range words {
		s, ok := text(w.value)
		if !ok {
			r.broken = true
			l.errorf(w.where, "%s must be a value, not %s", name, kindOf(w.value))
		} else if !pick(s) {
			r.broken = true
			what := "axis " + name + " has no value " + s
			if name == "target" {
				what = "there is no target or generation " + s
			}
			l.errorf(w.where, "%s", what).didYouMean(s, known)
		}
	}
}
