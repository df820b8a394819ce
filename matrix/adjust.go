package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kmx/internal/diag"
)

// adjustDecl is an adjust block: a change of named cells.
type adjustDecl struct {
	reason   string
	node     *node
	match    string
	where    diag.Range // of match
	patterns []*pattern // nil when match is wrong
	add      map[string]*expr
	replace  map[string]*expr
}

// mergeable is the attributes that have entries of their own: two adjusts may
// change different entries of one cell.
var mergeable = []string{"defines", "hook", "limit", "counts"}

func (l *loader) adjusts(fam *Family) {
	d := fam.decl
	var names []string
	for _, spec := range built {
		names = append(names, spec.name)
	}
	for _, n := range d.node.all("adjust") {
		if !l.names.declareIn("family "+fam.Name, "adjust", n.label, n.head) {
			continue
		}
		if strings.TrimSpace(n.label) == "" {
			l.errorf(n.head, "an adjust needs a reason").hint(`write adjust "why these cells are different" { ... }`)
		}
		adj := &adjustDecl{reason: n.label, node: n, add: map[string]*expr{}, replace: map[string]*expr{}}
		title := fmt.Sprintf("family %s adjust %q", fam.Name, n.label)
		for _, name := range names {
			if a := n.attrs[name]; a != nil {
				adj.add[name] = newAttr(a.expr, title+" "+name)
			}
		}
		if a := n.attrs["replace"]; a != nil {
			l.replacements(adj, a, names, title)
		}
		for _, part := range []map[string]*expr{adj.add, adj.replace} {
			for _, x := range part {
				x.adjust = adj.reason
			}
		}
		if len(adj.add)+len(adj.replace)+len(n.meant) == 0 && n.attrs["replace"] == nil {
			l.errorf(n.head, "the adjust changes nothing").hint("say what is different: flags = [...], defines = { ... }, limit = { ... }")
		}
		if a := n.attrs["match"]; a != nil {
			adj.match, adj.where = l.matchText(n, a), a.where()
		}
		d.adjusts = append(d.adjusts, adj)
	}
}

func (l *loader) replacements(adj *adjustDecl, a *attr, names []string, title string) {
	object, ok := a.expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		l.errorf(a.where(), "replace must be an object as written").hint("write replace = { flags = [...] }")
		return
	}
	for _, field := range l.objectFields(object, "replace", names, title) {
		if x := adj.add[field.name]; x != nil {
			l.errorf(field.where, "the adjust both replaces %s and adds to it", field.name).note(x.where(), "it is added to here")
			continue
		}
		adj.replace[field.name] = field.x
	}
}

func (d *adjustDecl) exprs() []*expr {
	var out []*expr
	for _, spec := range built {
		for _, x := range []*expr{d.add[spec.name], d.replace[spec.name]} {
			if x != nil {
				out = append(out, x)
			}
		}
	}
	return out
}

// adjustMatches reads the selectors of the adjusts, when every kernel is known.
func (l *loader) adjustMatches() {
	for _, fam := range l.m.Families {
		for _, adj := range fam.decl.adjusts {
			if adj.match == "" {
				if a := adj.node.attrs["match"]; a != nil && !l.said(a.where()) {
					l.errorf(a.where(), "match selects nothing").hint("write match = \"%s/KERNEL@TARGET\"", fam.Name)
				}
				continue
			}
			adj.patterns = l.patterns(adj.match, fmt.Sprintf("adjust %q matches nothing", adj.reason), adj.where)
			for _, p := range adj.patterns {
				if !p.wrong && !slices.Contains(p.s.families, fam) {
					p.wrong = true
					p.s.errorf("it lies in family %s and can change only its cells", fam.Name).
						hint("write match = \"%s/...\", or move it to the family it names", fam.Name)
				}
			}
		}
	}
}

// change is an adjust that changes one attribute, bound in an instance.
type change struct {
	d            *adjustDecl
	match        *slot
	add, replace *bound
}

func (c *change) bound() *bound {
	if c.replace != nil {
		return c.replace
	}
	return c.add
}

// bindMatches makes a slot for each adjust that can match a cell of the group.
func (in *instance) bindMatches() {
	for _, d := range in.fam.decl.adjusts {
		var patterns []*pattern
		for _, p := range d.patterns {
			if !p.wrong && p.matchesAny(in.fam, in.g.decl.names) {
				patterns = append(patterns, p)
			}
		}
		if len(patterns) == 0 {
			continue
		}
		s := in.newSlot("match")
		s.needs = []*slot{in.cell.syms["name"].slot}
		for v := range in.g.decl.rows {
			s.deps |= 1 << v
		}
		for i := range len(in.g.decl.axes) + 1 {
			s.deps |= 1 << (len(in.g.decl.rows) + i)
		}
		s.compute = func() any {
			for _, p := range patterns {
				if p.hasKernel(in.fam, in.name()) && p.hasTarget(in.target()) && p.s.fits(in.point()) {
					return true
				}
			}
			return false
		}
		in.matches = append(in.matches, match{d, in.fam, patterns, s})
	}
}

// match is an adjust as it concerns one group.
type match struct {
	d        *adjustDecl
	fam      *Family
	patterns []*pattern
	slot     *slot
}

// changes is the adjusts that change an attribute.
func (in *instance) changes(name string) []*change {
	var out []*change
	for _, m := range in.matches {
		add, replace := m.d.add[name], m.d.replace[name]
		if add == nil && replace == nil {
			continue
		}
		out = append(out, &change{m.d, m.slot, in.f.bind(add, in.family), in.f.bind(replace, in.family)})
	}
	return out
}

// collisions reports adjusts that change one thing of the cell where the frame
// stands. Lists are one thing, since their order matters; objects are as many
// as they have entries.
func (in *instance) collisions(name string, by []*change) {
	f := in.f
	for i, second := range by {
		for _, first := range by[:i] {
			if first.replace != nil || second.replace != nil || !slices.Contains(mergeable, name) {
				in.collide(name, first, second, first.bound().x.where(), second.bound().x.where())
				continue
			}
			if !f.ready(first.add) || !f.ready(second.add) {
				continue
			}
			have := f.pairs(first.add, first.add.x.node)
			for _, p := range f.pairs(second.add, second.add.x.node) {
				if k := indexOf(have, p.key); k >= 0 {
					in.collide(name+" "+p.key, first, second, have[k].where, p.where)
				}
			}
		}
	}
}

func (in *instance) collide(what string, first, second *change, firstAt, secondAt diag.Range) {
	p := in.f.fail(second.bound(), diag.Message{
		Where:   secondAt,
		Summary: fmt.Sprintf("adjusts %q and %q both change %s of one cell", first.d.reason, second.d.reason, what),
	})
	p.note(firstAt, "the first one changes it here").hint("narrow one of the matches, or say both changes in one adjust")
	if p.Detail == "" {
		p.detail("both match %s", in.address())
	}
}
