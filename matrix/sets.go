package matrix

import (
	"fmt"
	"io/fs"
	"strings"

	"kmx/internal/diag"
)

// sets makes the sets of every release and lets the cells join them.
func (e *expander) sets() {
	paths := map[string]*ruleDecl{}
	for _, r := range e.m.Releases {
		from := len(e.x.Sets)
		for _, rule := range r.decl.rules {
			if !rule.broken {
				e.rule(r, rule, paths)
			}
		}
		e.join(r, e.x.Sets[from:])
		for _, rule := range r.decl.rules {
			e.lossy = e.lossy || rule.broken
		}
		if !e.lossy {
			e.countKernels(r, e.x.Sets[from:])
			e.together(r, e.x.Sets[from:])
		}
	}
}

func (e *expander) rule(r *Release, rule *ruleDecl, paths map[string]*ruleDecl) {
	f := newFrame(e.problems)
	s := newScope(e.d.file)
	var sizes []int
	for i := 0; i <= len(rule.axes); i++ {
		if i == rule.targetAt {
			addTarget(f, s, rule.targets)
			sizes = append(sizes, len(rule.targets))
		}
		if i < len(rule.axes) {
			ax := rule.axes[i]
			f.addCoord(s, coord{ax.Name, ax.values, ax.texts})
			sizes = append(sizes, len(rule.picks[i]))
		}
	}
	outer := newScope(s)
	addDefaults(outer, e.d.axes, rule.axes)
	allow := bindAllow(f, rule.axes, outer)
	for _, a := range allow {
		f.resolve(a)
	}
	path, marker := f.bind(rule.path, s), f.bind(rule.marker, s)
	perSet := f.bind(r.decl.perSet, s)
	for _, b := range []*bound{path, marker, perSet} {
		if b != nil {
			f.resolveBound(b)
		}
	}
	total := 1
	for _, n := range sizes {
		total = min(total*n, maxCells+1)
	}
	if total > maxCells {
		e.errorf(rule.node.head, "the rule makes more than %d sets", maxCells)
		return
	}
	made := 0
points:
	for i := range total {
		set := &Set{Release: r.Name, Markers: map[string]string{}, want: -1}
		rest := i
		for c := len(sizes) - 1; c >= 0; c-- {
			at := rest % sizes[c]
			rest /= sizes[c]
			switch {
			case c == rule.targetAt:
				f.idx[c], set.Target = at, rule.targets[at]
			case c > rule.targetAt:
				f.idx[c] = rule.picks[c-1][at]
			default:
				f.idx[c] = rule.picks[c][at]
			}
		}
		for _, a := range allow {
			if !at[bool](f, a) {
				continue points
			}
		}
		for a, ax := range rule.axes {
			c := a
			if a >= rule.targetAt {
				c++
			}
			set.Point = append(set.Point, ax.at(f.idx[c]))
		}
		made++
		if v := f.whole(perSet); perSet != nil && v.IsKnown() {
			n, ok := wholeNumber(v)
			if !ok || n < 0 {
				f.fail(perSet, diag.Message{Summary: "kernels_per_set must be a whole number from 0 up, not " + show(v)})
				n = -1
			}
			set.want = n
		}
		if e.fillSet(f, path, marker, set, rule, paths) {
			e.x.Sets = append(e.x.Sets, set)
		} else {
			e.lossy = true
		}
	}
	if rule.expect >= 0 && rule.expect != made && !e.lossy {
		var names []string
		for _, s := range e.x.Sets[max(0, len(e.x.Sets)-made):] {
			names = append(names, s.Path)
		}
		e.errorf(rule.node.attrs["expect"].where(), "the rule expects %d sets and makes %d", rule.expect, made).
			detail("they are %s", shorten(names, 32)).
			hint("correct expect, or the rule: %s", difference(rule.expect, made))
	}
}

// fillSet evaluates a set's path and markers; false when it has no path of
// its own.
func (e *expander) fillSet(f *frame, path, marker *bound, set *Set, rule *ruleDecl, paths map[string]*ruleDecl) bool {
	name, ok := f.text(path)
	if !ok || !f.validPath(path, rule.path.where(), name) {
		return false
	}
	if name == "." {
		f.fail(path, diag.Message{Where: rule.path.where(), Summary: "a set needs a folder of its own"})
		return false
	}
	set.Path = name
	if first := paths[name]; first != nil {
		p := f.fail(path, diag.Message{Where: rule.path.where(), Summary: "two sets would have one path"})
		if p.Detail == "" {
			p.detail("both are %s", name).hint("use target and every axis of `for` in path")
		}
		if first != rule {
			p.note(first.path.where(), "the first one is here")
		}
		return false
	}
	paths[name] = rule
	if marker == nil || !f.ready(marker) {
		return true
	}
	for _, m := range f.pairs(marker, marker.x.node) {
		if !m.value.IsKnown() || m.value.IsNull() {
			continue
		}
		content, ok := text(m.value)
		switch {
		case !fs.ValidPath(m.key) || strings.Contains(m.key, "/") || m.key == ".":
			f.fail(marker, diag.Message{Where: m.where, Summary: fmt.Sprintf("%q cannot be the name of a marker file", m.key)})
		case !ok:
			f.fail(marker, diag.Message{Where: m.where, Summary: "the content of a marker must be a string, not " + kindOf(m.value)})
		default:
			set.Markers[m.key] = content
		}
	}
	return true
}
