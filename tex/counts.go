package tex

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// pairs is the declared count of round that asks for at least one rewrite; that
// all additions are paired is checked in any case.
const pairs = "pairs"

// checkCounts checks the declaration itself.
func (e *editor) checkCounts() {
	for _, name := range slices.Sorted(maps.Keys(e.r.Counts)) {
		value := e.r.Counts[name]
		if !slices.Contains(e.recipe.Counts, name) {
			e.problems.nowhere(fmt.Sprintf("the declared count %s = %s is of nothing that the recipe does", name, value),
				orElse(diag.DidYouMean(name, e.recipe.Counts), "it counts "+diag.And(e.recipe.Counts)))
			continue
		}
		if n, err := strconv.Atoi(value); (err != nil || n < 0) && !(name == "round" && value == pairs) {
			hint := "give a number"
			if name == "round" {
				hint = `give a number, or "pairs" for at least one`
			}
			e.problems.nowhere(fmt.Sprintf("the declared count %s = %s is no count", name, value), hint)
		}
	}
}

// compareCounts compares the declaration with what was done.
func (e *editor) compareCounts() {
	for _, name := range slices.Sorted(maps.Keys(e.r.Counts)) {
		want, got := e.r.Counts[name], 0
		for kind, n := range e.counts {
			if kind == name || name == "stores" && strings.HasPrefix(kind, "stores.") {
				got += n
			}
		}
		if want == pairs {
			if got == 0 {
				e.problems.places(e.f.NameAt, nil, "", "the kernel does not round: no roundf was found, and at least one is declared", "take the declared count of round out if the kernel is right, or approve another module")
			}
			continue
		}
		if n, err := strconv.Atoi(want); err != nil || n == got {
			continue
		}
		var places []ptx.Span
		for _, c := range e.changes {
			if c.What == name || name == "stores" && strings.HasPrefix(c.What, "stores.") {
				places = append(places, c.At)
			}
		}
		e.problems.places(e.f.NameAt, places, "counted", fmt.Sprintf("%s = %d would be edited, %s declared", name, got, want),
			"compare the module with the approved one (dlss:diff); if it is right, declare "+fmt.Sprintf("%s = %d", name, got))
	}
}
