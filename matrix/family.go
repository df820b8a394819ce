package matrix

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

type familyDecl struct {
	layers    []*builtDecl // of the families it extends, farthest first, then its own
	lets      []letDecl    // of all layers, without those that a later layer says anew
	when      []*expr      // of the last layer that has one
	chain     []*node      // the blocks of the layers
	node      *node
	axes      []*axisDecl
	toolchain *expr
	bitcode   []*bitcodeDecl
	adjusts   []*adjustDecl
	axesLost  bool     // some of its axes are wrong and not here
	poor      bool     // it lacks what it should have from the family it extends
	off       *LeftOut // the rule by which it does not exist in this run
	ledger    bool     // off by a rule that leaves out what is declared
}

type groupDecl struct {
	builtDecl
	node   *node
	rows   []rowVar
	name   *expr // nil: the label
	names  []string
	axes   []*axisDecl
	twin   twinDecl
	broken bool // its names are not known: it has no cells

	rowsLost bool // some row variables are not known
}

// familyNames notes the name of every family, before any of them is read.
func (l *loader) familyNames(root *node) {
	if l.lostKind("family") {
		return
	}
	for _, n := range root.all("family") {
		l.d.familyNames = append(l.d.familyNames, n.label)
	}
}

func (l *loader) families(root *node) {
	nodes := map[string]*node{}
	var kept []*node
	twice := false
	for _, n := range root.all("family") {
		if !l.names.declare("family", n.label, n.head) {
			twice = true
			continue
		}
		if !isName(n.label) {
			l.errorf(n.head, "%q cannot name a family", n.label).hint("use letters, digits, ., - and _")
		}
		nodes[n.label] = n
		kept = append(kept, n)
	}
	ex := &extender{loader: l, nodes: nodes, families: kept}
	for _, n := range kept {
		chain, whole := ex.chain(n)
		l.family(n, chain, !whole)
	}
	l.d.lossy = l.d.lossy || twice
}

// family reads a family; chain is the families it extends, farthest first,
// then itself. It is poor when some of them are missing.
func (l *loader) family(n *node, chain []*node, poor bool) {
	d := &familyDecl{node: n, chain: chain, poor: poor}
	fam := &Family{Name: n.label, Declared: n.head, Exists: true, decl: d}
	l.d.families = append(l.d.families, fam)
	l.m.Families = append(l.m.Families, fam)
	if len(chain) > 1 {
		fam.Extends = chain[len(chain)-2].label
	}
	fam.Title = l.onceText(n, "title", l.d.file)
	fam.Licence = l.m.Project.Licence
	if from := d.last("licence"); from != nil {
		fam.Licence = l.onceText(from, "licence", l.d.file)
	}
	if from := d.last("library"); from != nil {
		fam.Library = l.library(from)
	}
	if from := d.last("requires"); from != nil {
		fam.Requires = l.requires(from)
	}
	if from := d.last("axes"); from != nil {
		var whole bool
		d.axes, whole = l.axesOf(from)
		d.axesLost = !whole
	}
	for _, ax := range d.axes {
		fam.Axes = append(fam.Axes, ax.Name)
	}
	for _, from := range chain {
		layer := &builtDecl{}
		l.built(layer, from, from.title(), from == n)
		d.layers = append(d.layers, layer)
		if layer.when != nil {
			d.when = layer.when
		}
		d.addLets(layer.lets)
		l.bitcode(d, from)
	}
	if from := d.last("toolchain"); from != nil {
		a := from.attrs["toolchain"]
		d.toolchain = newAttr(a.expr, from.title()+" toolchain")
		if name, ok := reference(a.expr, "toolchain"); ok {
			fam.Toolchain = name
		}
	} else {
		d.toolchain = &expr{bad: true}
	}
	l.adjusts(fam)
	for _, g := range n.blocks {
		if g.spec.name == "kernel" || g.spec.name == "kernels" {
			l.group(fam, g)
		}
	}
	if len(fam.Groups) == 0 {
		if !l.d.lossy {
			l.errorf(n.head, "%s has no kernels", n.title()).hint(`write kernel "NAME" { ... } or kernels "GROUP" { ... }`)
		}
		// Its own expressions are still checked, with a group of nothing.
		g := &Group{decl: &groupDecl{node: n, builtDecl: builtDecl{title: n.title()}, axes: d.axes, broken: true}}
		newInstance(l.d, l.m, fam, g, l.problems, true)
	}
}

// last is the block of the last layer that has an attribute.
func (d *familyDecl) last(name string) *node {
	for _, n := range slices.Backward(d.chain) {
		if n.attrs[name] != nil {
			return n
		}
	}
	return nil
}

// addLets adds values, replacing those of the same name.
func (d *familyDecl) addLets(lets []letDecl) {
	for _, let := range lets {
		d.lets = slices.DeleteFunc(d.lets, func(have letDecl) bool { return have.name == let.name })
		d.lets = append(d.lets, let)
	}
}

// axesOf reads a list of axis.NAME as written. It is whole when nothing is
// wrong with it.
func (l *loader) axesOf(n *node) (axes []*axisDecl, whole bool) {
	a := n.attrs["axes"]
	if a == nil {
		return nil, true
	}
	list, ok := a.expr.(*hclsyntax.TupleConsExpr)
	if !ok {
		l.d.lossy = true
		l.errorf(a.where(), "axes must be a list as written").hint("write axes = [axis.NAME, ...]")
		return nil, false
	}
	whole = true
	var names []string
	for _, ax := range l.d.axes {
		names = append(names, ax.Name)
	}
	for _, x := range list.Exprs {
		at := toRange(x.Range())
		name, ok := reference(x, "axis")
		i := slices.IndexFunc(l.d.axes, func(ax *axisDecl) bool { return ax.Name == name })
		switch {
		case !ok:
			l.errorf(at, "an element of axes must be axis.NAME").didYouMean(name, names)
		case i < 0:
			l.errorf(at, "there is no axis %s", name).didYouMean(name, names)
		case slices.Contains(axes, l.d.axes[i]):
			l.errorf(at, "axis %s is listed twice", name)
		default:
			axes = append(axes, l.d.axes[i])
			continue
		}
		l.d.lossy, whole = true, false
	}
	return axes, whole
}
