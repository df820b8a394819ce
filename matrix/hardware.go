package matrix

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// axisDecl is an axis with its values and conditions.
type axisDecl struct {
	Axis
	values  []cty.Value
	texts   []string
	def     int
	allow   *expr         // one condition for every value
	allowBy map[int]*expr // or one for some values
	partial bool          // it may have other values: some are wrong, or come from outside
}

// at returns where the axis stands at value i.
func (ax *axisDecl) at(i int) AxisValue {
	return AxisValue{Axis: ax.Name, Text: ax.texts[i], Bool: ax.Bool, Default: i == ax.def, Release: ax.Release}
}

func (l *loader) axesAndTargets(root *node) {
	once := l.fileScope()
	l.d.targetsPartial = l.lostKind("generation")
	for _, n := range root.all("generation") {
		l.generation(n, once)
	}
	if len(l.m.Targets) == 0 && !l.broken && len(root.all("generation")) == 0 {
		l.errorf(root.head, "the matrix has no targets").
			hint(`write generation "NAME" { targets = [...] waves = [...] }`)
	}
	for _, n := range root.all("axis") {
		if l.names.declare("axis", n.label, n.head) {
			l.axis(n, once)
		}
	}
	l.spellings()
}

func (l *loader) generation(n *node, once *scope) {
	if !l.names.declare("generation", n.label, n.head) {
		l.d.lossy = true
		return
	}
	if !isName(n.label) {
		l.errorf(n.head, "%q cannot name a generation", n.label).hint("use letters, digits, ., - and _")
	}
	fp8 := l.onceBool(n, "fp8", once, false)
	var waves []int
	for _, p := range l.onceList(n, "waves", once) {
		if !p.value.IsKnown() {
			continue
		}
		if w, ok := wholeNumber(p.value); ok && (w == 32 || w == 64) {
			waves = append(waves, w)
			continue
		}
		l.errorf(p.where, "a wave size is 32 or 64, not %s", show(p.value))
	}
	targets := l.onceTexts(n, "targets", once)
	if a := n.attrs["targets"]; a != nil && len(targets) == 0 {
		l.d.lossy = true
	}
	l.d.targetsPartial = l.d.targetsPartial || len(targets) == 0 || l.outside(n.attrs["targets"].expr, nil)
	for _, t := range targets {
		if !isGPU(t.Text) {
			l.noGPU(t, targets)
		}
		if !isName(t.Text) {
			continue
		}
		if l.names.declare("target", t.Text, t.From.Range) {
			l.m.Targets = append(l.m.Targets, Target{t.Text, n.label, waves, fp8, t.From.Range})
		}
	}
}

// value is the target as expressions see it.
func (t Target) value() cty.Value {
	var waves []cty.Value
	for _, w := range t.Waves {
		waves = append(waves, cty.NumberIntVal(int64(w)))
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name":  cty.StringVal(t.Name),
		"gen":   cty.StringVal(t.Generation),
		"fp8":   cty.BoolVal(t.FP8),
		"waves": tuple(waves),
	})
}

var targetAttrs = []string{"name", "gen", "fp8", "waves"}

func (l *loader) axis(n *node, once *scope) {
	ax := &axisDecl{Axis: Axis{Name: n.label, Declared: n.head}}
	if !hclsyntax.ValidIdentifier(n.label) || !isName(n.label) {
		l.errorf(n.head, "%q cannot name an axis", n.label).hint("an axis is read by its name in expressions; use letters, digits and _")
		l.d.lossy = true
		return
	}
	if why := l.reserved(n.label); why != "" {
		l.errorf(n.head, "an axis cannot be called %s: %s", n.label, why)
	}
	ax.Release = l.onceBool(n, "release", once, true)
	before := len(l.problems.list)
	ax.partial = n.attrs["values"] != nil && l.outside(n.attrs["values"].expr, nil)
	for _, p := range l.onceList(n, "values", once) {
		if !p.value.IsKnown() {
			ax.partial = true
			continue
		}
		s, ok := text(p.value)
		switch {
		case !ok:
			l.errorf(p.where, "a value of an axis is a string, a boolean or a number, not %s", kindOf(p.value))
		case !isValueText(s):
			l.errorf(p.where, "%q cannot be a value of an axis: it becomes part of addresses", s).
				hint("use letters, digits, ., - and _")
		case slices.Contains(ax.texts, s):
			l.errorf(p.where, "axis %s has the value %s twice", n.label, show(p.value))
		case len(ax.values) > 0 && ax.values[0].Type() != p.value.Type():
			l.errorf(p.where, "axis %s mixes kinds of values: %s and %s", n.label, kindOf(ax.values[0]), kindOf(p.value))
		default:
			ax.values = append(ax.values, p.value)
			ax.texts = append(ax.texts, s)
			continue
		}
		l.d.lossy, ax.partial = true, true
	}
	if len(ax.values) == 0 {
		if a := n.attrs["values"]; a != nil && len(l.problems.list) == before {
			l.errorf(a.where(), "axis %s has no values", n.label)
		}
		l.d.lossy = true
		// Keep the axis, so that what reads it is not wrong as well.
		ax.partial = true
		ax.values, ax.texts = []cty.Value{cty.DynamicVal}, []string{""}
	}
	ax.Bool = ax.values[0].Type() == cty.Bool
	if a := n.attrs["default"]; a != nil {
		f, b := l.evaluate(a, once, n.title()+" default")
		if v := f.whole(b); v.IsKnown() {
			s, ok := text(v)
			ax.def = slices.Index(ax.texts, s)
			if !ok || ax.def < 0 || v.Type() != ax.values[0].Type() {
				l.errorf(a.where(), "the default of axis %s is none of its values: %s", n.label, show(v)).
					didYouMean(s, ax.texts)
				ax.def = 0
				l.d.lossy = true
			}
		}
	}
	ax.Values, ax.Default = ax.texts, ax.texts[ax.def]
	l.d.axes = append(l.d.axes, ax)
	l.m.Axes = append(l.m.Axes, ax.Axis)
	if a := n.attrs["allow"]; a != nil {
		l.allow(ax, a)
	}
}

// allow reads the condition of an axis, or its conditions by value.
func (l *loader) allow(ax *axisDecl, a *attr) {
	table, ok := a.expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		ax.allow = newExpr(a.expr, "axis "+ax.Name+" allow")
		return
	}
	ax.allowBy = map[int]*expr{}
	for _, item := range table.Items {
		key, diags := item.KeyExpr.Value(rootContext)
		s, ok := text(key)
		i := slices.Index(ax.texts, s)
		switch {
		case diags.HasErrors() || !ok:
			l.errorf(toRange(item.KeyExpr.Range()), "this must be a value of axis %s", ax.Name)
		case i < 0:
			l.errorf(toRange(item.KeyExpr.Range()), "axis %s has no value %s", ax.Name, s).didYouMean(s, ax.texts)
		default:
			ax.allowBy[i] = newExpr(item.ValueExpr, "axis "+ax.Name+" allow")
			continue
		}
		l.d.lossy = true
	}
}

// spellings finds the values that an address may write without their axis.
func (l *loader) spellings() {
	count := map[string]int{}
	for _, ax := range l.d.axes {
		for _, t := range ax.texts {
			count[t]++
		}
	}
	for _, ax := range l.d.axes {
		if ax.Bool {
			count[ax.Name] += 2 // +fp8 is the axis, not a value of that name
		}
	}
	for t, n := range count {
		if n == 1 && isName(t) {
			l.d.alone[t] = true
		}
	}
}

// checkAxes checks the names that conditions read.
func (l *loader) checkAxes() {
	s := l.checkScope(l.d.file)
	for _, ax := range l.d.axes {
		s.check(ax.allow, l.problems)
		for i := range ax.texts {
			s.check(ax.allowBy[i], l.problems)
		}
	}
}

// checkScope is what conditions of axes read, without values.
func (l *loader) checkScope(parent *scope) *scope {
	s := newScope(parent)
	s.add(&symbol{name: "target", attrs: targetAttrs, value: cty.DynamicVal, parts: l.d.targetParts(l.m.Targets)})
	for _, ax := range l.d.axes {
		s.constant(ax.Name, cty.DynamicVal).dom = ax.domain()
	}
	return s
}

// readable is the attributes of a cell that expressions can read by name.
var readable = []string{"source", "recipe", "reference", "counts", "include", "flags", "defines", "hook", "wave64", "redirect"}

// reserved says why a name cannot be given to an axis, let or row variable;
// "" when it can.
func (l *loader) reserved(name string) string {
	switch name {
	case "var", "local", "axis", "toolchain", "library", "family", "name", "target":
		return "the name has a meaning of its own"
	}
	if slices.Contains(readable, name) {
		return fmt.Sprintf("%s is an attribute of the cell", name)
	}
	return ""
}
