package matrix

import (
	"fmt"
	"slices"
	"strings"

	"kmx/internal/diag"
)

// likely is the blocks that people mean first when an attribute may stand in
// several.
var likely = []string{"family", "kernels", "kernel", "adjust", "toolchain"}

// elsewhere hints at the blocks that do have the attribute or block that
// stands in the wrong one.
func (p *problem) elsewhere(in *node, name string, block bool) *problem {
	condition := ""
	if slices.ContainsFunc(built, func(a attrSpec) bool { return a.name == name }) {
		switch in.spec.name {
		case "generation":
			condition = fmt.Sprintf("target.gen == %q", in.label)
		case "axis":
			condition = in.label + " == VALUE"
		}
	}
	if condition == "" && strings.HasPrefix(p.Hint, "did you mean") {
		return p
	}
	places := placesOf(name, block)
	if len(places) == 0 {
		places = placesOf(name, !block)
	}
	if len(places) == 0 {
		return p
	}
	where := fmt.Sprintf("%s may stand in %s", name, diag.Or(places))
	if len(places) == 1 {
		where = fmt.Sprintf("%s belongs into %s", name, places[0])
	}
	if condition != "" {
		where += fmt.Sprintf("; in a family it can have a condition: %s = %s", name, conditional(name, condition))
	}
	p.Hint = where
	return p
}

// conditional is how an attribute is written that has a value only under a
// condition.
func conditional(name, condition string) string {
	switch name {
	case "wave64", "redirect":
		return condition
	case "include", "flags":
		return condition + " ? [...] : []"
	case "source", "recipe", "reference":
		return condition + ` ? "..." : "..."`
	}
	return condition + " ? { ... } : {}"
}

// placesOf is the blocks that an attribute, or a block, may stand in, the
// likeliest first.
func placesOf(name string, block bool) []string {
	var places []string
	has := func(b *blockSpec) bool {
		if block {
			return b.block(name) != nil
		}
		return b.attr(name) != nil
	}
	var find func(b *blockSpec)
	find = func(b *blockSpec) {
		if b != schema && has(b) && !slices.Contains(places, b.name) {
			places = append(places, b.name)
		}
		for _, s := range b.blocks {
			find(s)
		}
	}
	find(schema)
	if has(schema) {
		places = append(places, "the file itself")
	}
	rank := func(place string) int {
		if i := slices.Index(likely, place); i >= 0 {
			return i
		}
		return len(likely)
	}
	slices.SortStableFunc(places, func(a, b string) int { return rank(a) - rank(b) })
	return places
}
