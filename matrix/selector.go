package matrix

import (
	"fmt"
	"slices"
	"strings"

	"kmx/internal/diag"
)

// selector is one selector taken apart.
type selector struct {
	x    *Expansion
	m    *Matrix
	text string
	what string
	ps   *problems
	// where the selector stands in the matrix; zero for one that somebody typed
	where diag.Range

	family, kernel, target string
	families               []*Family
	targets                map[string]bool
	values                 map[string]string // axis -> value or *
	order                  []string          // the axes named, as written
	every                  bool              // +*
}

// unshelled reads %, which no shell expands, as the * that it stands for.
func unshelled(text string) string { return strings.ReplaceAll(text, "%", "*") }

func (s *selector) errorf(format string, args ...any) *problem {
	return s.ps.errorf(s.where, "%s: %s", s.what, fmt.Sprintf(format, args...))
}

// parse takes the text apart and looks its names up, reporting all that are
// unknown.
func (s *selector) parse() bool {
	ok := s.parseHead()
	return s.parsePoints() && ok && s.haveAxes()
}

// parseHead reads family, kernel and target.
func (s *selector) parseHead() bool {
	head, _, _ := strings.Cut(s.text, "+")
	name, target, hasTarget := strings.Cut(head, "@")
	s.family, s.kernel, _ = strings.Cut(name, "/")
	if strings.Contains(name, "/") && s.kernel == "" {
		s.errorf("no kernel after /")
		return false
	}
	if hasTarget && target == "" {
		s.errorf("no target after @")
		return false
	}
	s.target = target
	ok := s.findFamilies()
	if hasTarget {
		ok = s.findTargets() && ok
	}
	return ok
}

// parsePoints reads what follows the target.
func (s *selector) parsePoints() bool {
	ok := true
	for _, p := range strings.Split(s.text, "+")[1:] {
		ok = s.point(p) && ok
	}
	return ok
}

func (s *selector) findFamilies() bool {
	var names []string
	for _, f := range s.m.Families {
		names = append(names, f.Name)
		if glob(s.family, f.Name) {
			s.families = append(s.families, f)
		}
	}
	if len(s.families) > 0 {
		return true
	}
	p := s.errorf("there is no family %s", orNothing(s.family))
	if s.family == "" {
		p.hint("write FAMILY@TARGET, or *@TARGET for every family")
	}
	for _, f := range s.m.Families {
		for _, g := range f.Groups {
			if slices.Contains(g.Kernels, s.family) {
				p.hint("it is a kernel: write %s/%s", f.Name, s.text)
			}
		}
	}
	if s.isTarget(s.family) {
		p.hint("it is a target: write *@%s", s.text)
	}
	p.didYouMean(s.family, names)
	return false
}

func orNothing(s string) string {
	if s == "" {
		return "without a name"
	}
	return s
}

func (s *selector) isTarget(word string) bool {
	for _, t := range s.m.Targets {
		if word == t.Name || word == t.Generation {
			return true
		}
	}
	return false
}

// findTargets looks for a target of that name, then for a generation, then
// for targets that fit the pattern.
func (s *selector) findTargets() bool {
	s.targets = map[string]bool{}
	var names []string
	for _, match := range []func(t Target) bool{
		func(t Target) bool { return t.Name == s.target },
		func(t Target) bool { return t.Generation == s.target },
		func(t Target) bool { return glob(s.target, t.Name) },
	} {
		for _, t := range s.m.Targets {
			if match(t) {
				s.targets[t.Name] = true
			}
		}
		if len(s.targets) > 0 {
			return true
		}
	}
	for _, t := range s.m.Targets {
		names = append(names, t.Name)
	}
	for _, t := range s.m.Targets {
		if !slices.Contains(names, t.Generation) {
			names = append(names, t.Generation)
		}
	}
	s.errorf("there is no target or generation %s", s.target).didYouMean(s.target, names)
	return false
}

// point reads one +POINT.
func (s *selector) point(p string) bool {
	if p == "*" {
		s.every = true
		return true
	}
	axes := s.m.decl.axes
	if name, value, named := strings.Cut(p, "="); named {
		var names []string
		for _, ax := range axes {
			names = append(names, ax.Name)
			if ax.Name != name {
				continue
			}
			if value != "*" && !slices.Contains(ax.texts, value) {
				s.errorf("axis %s has no value %s", name, orNothing(value)).didYouMean(value, ax.texts)
				return false
			}
			return s.set(name, value)
		}
		s.errorf("there is no axis %s", orNothing(name)).didYouMean(name, names)
		return false
	}
	var holders []string
	for _, ax := range axes {
		if ax.Bool && ax.Name == p && slices.Contains(ax.texts, "true") {
			return s.set(ax.Name, "true")
		}
		if !ax.Bool && p != "" && slices.Contains(ax.texts, p) {
			holders = append(holders, ax.Name)
		}
	}
	switch {
	case len(holders) == 1:
		return s.set(holders[0], p)
	case len(holders) > 1:
		s.errorf("%s is a value of axes %s", p, diag.And(holders)).hint("write +%s=%s", holders[0], p)
		return false
	}
	var known []string
	for _, ax := range axes {
		if ax.Bool {
			known = append(known, ax.Name)
			continue
		}
		for _, t := range ax.texts {
			if t != "" && !slices.Contains(known, t) {
				known = append(known, t)
			}
		}
	}
	problem := s.errorf("+%s is neither a boolean axis nor a value of an axis", p)
	for _, ax := range axes {
		if ax.Name == p {
			problem.hint("%s is an axis; write +%s=VALUE with one of %s", p, p, diag.Or(ax.texts))
		}
	}
	problem.didYouMean(p, known)
	return false
}

func (s *selector) set(axis, value string) bool {
	if have, twice := s.values[axis]; twice && have != value {
		s.errorf("axis %s is given twice, as %s and %s", axis, have, value)
		return false
	}
	if _, twice := s.values[axis]; !twice {
		s.order = append(s.order, axis)
	}
	s.values[axis] = value
	return true
}

// haveAxes keeps the families that have every axis that is named.
func (s *selector) haveAxes() bool {
	var have []*Family
	for _, f := range s.families {
		if !slices.ContainsFunc(s.order, func(axis string) bool { return !slices.Contains(f.Axes, axis) }) {
			have = append(have, f)
		}
	}
	if len(have) > 0 {
		s.families = have
		return true
	}
	if len(s.families) == 1 {
		f := s.families[0]
		for _, axis := range s.order {
			if !slices.Contains(f.Axes, axis) {
				p := s.errorf("family %s has no axis %s", f.Name, axis)
				if len(f.Axes) > 0 {
					p.hint("its axes are %s; leave %s out", diag.And(f.Axes), axis)
				} else {
					p.hint("it has no axes")
				}
			}
		}
		return false
	}
	s.errorf("none of these families has the axes %s", diag.And(s.order))
	return false
}
