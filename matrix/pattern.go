package matrix

import (
	"slices"
	"strings"

	"kmx/internal/diag"
)

// pattern is a selector of the matrix itself: of an adjust or an exclusion.
// It is asked about cells while they are made.
type pattern struct {
	s     *selector
	wrong bool // it is reported already
}

// patterns reads a comma-separated list of selectors. What is said when one of
// them names something unknown starts with what.
func (l *loader) patterns(list, what string, where diag.Range) []*pattern {
	var out []*pattern
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			l.errorf(where, "the selectors %q are empty between two commas", shown(list))
			continue
		}
		s := &selector{m: l.m, text: unshelled(text), what: what, ps: l.problems, where: where, values: map[string]string{}}
		p := &pattern{s: s}
		// What it names may be in a part that is wrong itself.
		if l.broken {
			s.ps = newProblems()
		}
		p.wrong = !s.parseHead()
		if l.d.lossy {
			s.ps = newProblems()
		}
		p.wrong = !s.parsePoints() || p.wrong
		p.wrong = p.wrong || !s.haveAxes() || !s.haveKernel()
		s.ps = l.problems
		out = append(out, p)
	}
	return out
}

// matchesAny reports whether one of the kernels can be meant.
func (p *pattern) matchesAny(fam *Family, kernels []string) bool {
	return slices.ContainsFunc(kernels, func(k string) bool { return p.hasKernel(fam, k) })
}

func (p *pattern) hasKernel(fam *Family, kernel string) bool {
	return slices.Contains(p.s.families, fam) && (p.s.kernel == "" || glob(p.s.kernel, kernel))
}

func (p *pattern) hasTarget(target *Target) bool {
	return p.s.targets == nil || p.s.targets[target.Name]
}
