package matrix

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// node is a block that fits its schema: every attribute and block in it is
// known, labels are there.
type node struct {
	spec   *blockSpec
	label  string
	head   diag.Range // the label, or the block's type where it has none
	attrs  map[string]*attr
	order  []*attr
	blocks []*node

	meant    []string // attributes that unknown ones were probably meant to be
	included bool     // the whole of a file that another file includes
}

// attr is one attribute as written.
type attr struct {
	name string
	at   diag.Range // the name
	expr hclsyntax.Expression
}

// where is the range of the value.
func (a *attr) where() diag.Range { return toRange(a.expr.Range()) }

func (n *node) all(name string) []*node {
	var out []*node
	for _, b := range n.blocks {
		if b.spec.name == name {
			out = append(out, b)
		}
	}
	return out
}

// title is the block for people: `family "k"`, `locals`.
func (n *node) title() string {
	if n.label == "" {
		return n.spec.name
	}
	return n.spec.name + " " + quoted(n.label)
}

// quoted is a label for people: as it is when it is one word.
func quoted(label string) string {
	if isName(label) {
		return label
	}
	return strconv.Quote(label)
}

// decode fits a body into n by n's schema and reports what does not fit.
func (l *loader) decode(n *node, body *hclsyntax.Body) {
	n.meant = l.decodeAttrs(n, body)
	for _, b := range body.Blocks {
		l.decodeBlock(n, b)
	}
	if n.spec == schema && (l.broken || n.included) {
		return // what is missing may be in the broken part, or in another file
	}
	for _, a := range n.spec.attrs {
		if a.required && n.attrs[a.name] == nil && n.attrs[a.unless] == nil && !slices.Contains(n.meant, a.name) {
			l.errorf(n.head, "%s has no %s", place(n), a.name).hint("add %s = ...", a.name)
		}
	}
}

func place(n *node) string {
	if n.spec == schema {
		return "the matrix"
	}
	return n.title()
}

// decodeAttrs returns the names that unknown attributes were probably meant
// to be; those are not also reported as missing.
func (l *loader) decodeAttrs(n *node, body *hclsyntax.Body) (meant []string) {
	for _, a := range body.Attributes {
		n.order = append(n.order, &attr{a.Name, toRange(a.NameRange), a.Expr})
	}
	slices.SortFunc(n.order, func(a, b *attr) int { return a.at.Start.Byte - b.at.Start.Byte })
	known := n.order[:0]
	for _, a := range n.order {
		if n.spec.free || n.spec.attr(a.name) != nil {
			n.attrs[a.name] = a
			known = append(known, a)
			continue
		}
		l.lose(n)
		if n.spec.block(a.name) != nil {
			l.errorf(a.at, "%s is a block in %s, not an attribute", a.name, place(n)).hint("write %s { ... }", a.name)
			continue
		}
		names := append(n.spec.attrNames(), n.spec.blockNames()...)
		meant = append(meant, diag.Nearest(a.name, names)...)
		l.errorf(a.at, "%s has no attribute %s", place(n), a.name).didYouMean(a.name, names).elsewhere(n, a.name, false)
	}
	n.order = known
	return meant
}

// lose notes that something that does not fit may cost cells.
func (l *loader) lose(n *node) {
	switch n.spec.name {
	case "file", "family", "kernel", "kernels", "generation", "axis":
		l.d.lossy = true
	}
}

func (l *loader) decodeBlock(parent *node, b *hclsyntax.Block) {
	at := toRange(b.TypeRange)
	spec := parent.spec.block(b.Type)
	if spec == nil {
		l.lose(parent)
		if parent.spec.attr(b.Type) != nil {
			l.errorf(at, "%s is an attribute in %s, not a block", b.Type, place(parent)).hint("write %s = ...", b.Type)
			return
		}
		l.errorf(at, "%s has no block %s", place(parent), b.Type).
			didYouMean(b.Type, append(parent.spec.blockNames(), parent.spec.attrNames()...)).elsewhere(parent, b.Type, true)
		return
	}
	n := &node{spec: spec, head: at, attrs: map[string]*attr{}}
	switch {
	case spec.label == "" && len(b.Labels) > 0:
		l.errorf(toRange(b.LabelRanges[0]), "%s takes no name", spec.name).hint("write %s { ... }", spec.name)
	case spec.label != "" && len(b.Labels) == 0:
		l.lose(parent)
		l.errorf(at, "%s needs a %s", spec.name, spec.label).hint("write %s %q { ... }", spec.name, spec.label)
		return
	case spec.label != "":
		n.label, n.head = b.Labels[0], toRange(b.LabelRanges[0])
		if len(b.Labels) > 1 {
			l.errorf(toRange(b.LabelRanges[1]), "%s takes one name", spec.name)
		}
	}
	if spec.single {
		for _, earlier := range parent.blocks {
			if earlier.spec == spec {
				l.errorf(at, "there is a second %s block", spec.name).note(earlier.head, "the first one is here")
			}
		}
	}
	parent.blocks = append(parent.blocks, n)
	l.decode(n, b.Body)
}

// literalInt is the value of an expression that is a whole number as written.
func literalInt(e hclsyntax.Expression) (int, bool) {
	v, d := e.Value(nil)
	if d.HasErrors() {
		return 0, false
	}
	return wholeNumber(v)
}

// wholeNumber is a known number without a fraction that fits an int. The
// accuracy that big.Float reports does not tell: 1.5 converts "exactly" to 1.
func wholeNumber(v cty.Value) (int, bool) {
	if v.IsNull() || !v.IsKnown() || v.Type() != cty.Number {
		return 0, false
	}
	f := v.AsBigFloat()
	n, accuracy := f.Int64()
	if !f.IsInt() || accuracy != big.Exact || int64(int(n)) != n {
		return 0, false
	}
	return int(n), true
}
