package flow

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"kmx/plan"
)

// diffLines are shown of one kernel's difference, unless all are wanted.
const diffLines = 24

// print tells what differs: of kernels that are the same only what is to be
// done.
func (o *libraryDiff) print(w io.Writer, all bool) error {
	var b strings.Builder
	for _, k := range o.Kernels {
		broken := slices.ContainsFunc(k.Recipes, func(r diffedRecipe) bool { return !r.Applies })
		if (k.Status == plan.KernelSame || k.Status == plan.KernelAbsent) && !broken && !all {
			continue
		}
		fmt.Fprintf(&b, "%s: %s%s\n", k.Kernel, k.Status, k.where())
		for line := range strings.SplitSeq(strings.TrimSpace(k.Error), "\n") {
			if line != "" {
				fmt.Fprintf(&b, "  %s\n", line)
			}
		}
		for _, p := range k.Parameters {
			fmt.Fprintf(&b, "  parameter %s\n", p)
		}
		for i, line := range k.Diff {
			if i == diffLines && !all && len(k.Diff) > diffLines+1 {
				fmt.Fprintf(&b, "  ... %d more lines (-all shows them)\n", len(k.Diff)-i)
				break
			}
			fmt.Fprintf(&b, "  | %s\n", line)
		}
		for _, r := range k.Recipes {
			if r.Applies {
				fmt.Fprintf(&b, "  recipe %s applies: %s\n", r.Recipe, cmp.Or(r.Edits, "nothing is edited"))
				continue
			}
			fmt.Fprintf(&b, "  recipe %s does NOT apply (%s):\n", r.Recipe, r.Cell)
			for line := range strings.SplitSeq(r.Error, "\n") {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
		if !k.Approved {
			b.WriteString("  to be approved\n")
		}
	}
	for _, part := range []struct {
		what  string
		names []string
	}{{"only in the old library", o.OnlyOld}, {"only in the new library", o.OnlyNew}} {
		if len(part.names) > 0 {
			fmt.Fprintf(&b, "%s, and not in the matrix: %s\n", part.what, strings.Join(part.names, ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (k *diffedKernel) where() string {
	side := func(m *diffedModule) string {
		if m == nil {
			return "nothing"
		}
		return fmt.Sprintf("module %d (FNV %s)", m.Number, m.FNV)
	}
	if k.Old == nil && k.New == nil {
		return ""
	}
	return ", " + side(k.Old) + " -> " + side(k.New)
}

// summary counts.
func (o *libraryDiff) summary() string {
	n := map[string]int{}
	broken := 0
	for _, k := range o.Kernels {
		n[k.Status]++
		if slices.ContainsFunc(k.Recipes, func(r diffedRecipe) bool { return !r.Applies }) {
			broken++
		}
	}
	var parts []string
	for _, status := range []string{plan.KernelSame, plan.KernelRenamed, plan.KernelChanged, plan.KernelGone, plan.KernelNew, plan.KernelAbsent, plan.KernelUnclear} {
		if n[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[status], status))
		}
	}
	text := fmt.Sprintf("%s of the matrix: %s", count(len(o.Kernels), "kernel"), strings.Join(parts, ", "))
	if broken > 0 {
		text += fmt.Sprintf("; the recipes of %d do not apply", broken)
	}
	if o.Approve > 0 {
		text += fmt.Sprintf("; the modules of %d are to be approved", o.Approve)
	}
	return text
}
