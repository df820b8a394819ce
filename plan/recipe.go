package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kmx/emit"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/tex"
)

// isRecipe tells whether a cell's object is made of a library's code.
func isRecipe(c *matrix.Cell) bool { return c.Recipe != "" && c.Source == "" }

func optionsLine(o emit.Options) string {
	text, _ := json.Marshal(o)
	return string(text)
}

// fileName is how messages about the text of the module name it.
func (u *ModuleUse) fileName() string {
	return fmt.Sprintf("%s.%d.ptx", u.File, u.Module.Number)
}

// counts are the edits that a cell's recipe must make.
func counts(c *matrix.Cell) map[string]string {
	out := map[string]string{}
	for _, d := range c.Counts {
		out[d.Name] = d.Value
	}
	return out
}

// envKinds names the kinds of surface stores that recipes edit, separated by
// commas; without it they edit all.
const envKinds = "D4R_SUST_KINDS"

// options is what a cell asks of its recipe besides the counts. The error is the
// same for every cell that has the same environment.
func options(c *matrix.Cell) (tex.Options, error) {
	n, _ := strconv.Atoi(counts(c)["e4m3"])
	o := tex.Options{FP8: n > 0}
	for _, e := range c.Env {
		if e.Name != envKinds {
			continue
		}
		for kind := range strings.SplitSeq(e.Value, ",") {
			if kind = strings.TrimSpace(kind); kind != "" {
				o.Kinds = append(o.Kinds, kind)
			}
		}
	}
	slices.Sort(o.Kinds)
	o.Kinds = slices.Compact(o.Kinds)
	known := slices.Sorted(slices.Values(tex.Kinds()))
	for _, kind := range o.Kinds {
		if !slices.Contains(known, kind) {
			return o, fmt.Errorf("%s: there is no kind of surface store %q; kinds are %s", envKinds, kind, diag.And(known))
		}
	}
	return o, nil
}

// countsOf are the edits that were made, by kind.
func countsOf(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", name, counts[name]))
		}
	}
	return strings.Join(parts, ",")
}

// line is the edits with their recipe, as approvals pin them.
func (e *edited) line() string {
	name := e.request.Recipe
	if e.request.Options.FP8 {
		name += "+fp8"
	}
	return name + ":" + e.counts
}

// recipeLine is the recipe with everything it was told.
func recipeLine(e *edited) string {
	text, _ := json.Marshal([]any{e.request.Recipe, e.request.Options, e.request.Counts})
	line := string(text)
	if e.reference != nil {
		line += " against " + e.reference.Module.FNV
	}
	return line
}
