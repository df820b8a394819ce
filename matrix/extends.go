package matrix

import (
	"slices"
	"strings"
)

// extender follows `extends` from family to family.
type extender struct {
	*loader
	nodes    map[string]*node
	families []*node
}

// chain is the families that n extends, farthest first, then n. A family that
// is unknown or extends itself is reported; whole is then false.
func (ex *extender) chain(n *node) (chain []*node, whole bool) {
	chain = []*node{n}
	for {
		base := ex.base(chain[0])
		if base == nil {
			return chain, chain[0].attrs["extends"] == nil
		}
		if i := slices.Index(chain, base); i >= 0 {
			ex.d.lossy = true
			if i == len(chain)-1 { // a ring that n is part of; each ring is reported once
				ex.ring(chain)
			}
			return chain[len(chain)-1:], false
		}
		chain = append([]*node{base}, chain...)
	}
}

func (ex *extender) base(n *node) *node {
	a := n.attrs["extends"]
	if a == nil {
		return nil
	}
	var names []string
	for _, f := range ex.families {
		if f != n {
			names = append(names, f.label)
		}
	}
	name, ok := reference(a.expr, "family")
	switch {
	case !ok:
		ex.errorf(a.where(), "extends must be family.NAME").didYouMean("", names)
	case ex.nodes[name] == nil:
		if !ex.lost("family", name) {
			ex.errorf(a.where(), "there is no family %s", name).didYouMean(name, names)
		}
	default:
		return ex.nodes[name]
	}
	ex.d.lossy = true
	return nil
}

// ring reports that the last of the chain extends itself through the others,
// at the family of the ring that comes first in the file.
func (ex *extender) ring(chain []*node) {
	first := chain[len(chain)-1]
	for _, n := range ex.families {
		if slices.Contains(chain, n) {
			first = n
			break
		}
	}
	var names []string
	for n := first; ; n = ex.base(n) {
		names = append(names, n.label)
		if len(names) > 1 && n == first {
			break
		}
	}
	p := ex.errorf(first.attrs["extends"].where(), "family %s extends itself: %s", first.label, strings.Join(names, " -> ")).
		hint("take one of the extends out")
	for n := ex.base(first); n != first; n = ex.base(n) {
		p.note(n.attrs["extends"].where(), "family %s extends %s here", n.label, ex.base(n).label)
	}
}
