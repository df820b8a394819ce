package tex

import (
	"fmt"
	"strings"
	"testing"

	"kmx/cuda/standin"
)

// patched applies a unified diff strictly: every line of context and every
// removed line must be there.
func patched(t *testing.T, text, diff string) string {
	t.Helper()
	old := strings.SplitAfter(text, "\n")
	var out strings.Builder
	at := 0
	for i, line := range strings.SplitAfter(diff, "\n") {
		var from, n, to, m int
		switch {
		case line == "" || strings.HasPrefix(line, "--- ") && i == 0 || strings.HasPrefix(line, "+++ ") && i == 1:
		case strings.HasPrefix(line, "@@"):
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &n, &to, &m); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
			for ; at < from-1; at++ {
				out.WriteString(old[at])
			}
			if got := strings.Count(out.String(), "\n") + 1; got != to {
				t.Fatalf("%q: the hunk begins at line %d of the edited text", line, got)
			}
		case line[0] == '+':
			out.WriteString(line[1:])
		default:
			if at >= len(old) || old[at] != line[1:] {
				t.Fatalf("line %d of the diff is not line %d of the module: %q", i+1, at+1, line)
			}
			if line[0] == ' ' {
				out.WriteString(line[1:])
			}
			at++
		}
	}
	for ; at < len(old); at++ {
		out.WriteString(old[at])
	}
	return out.String()
}

// TestDiffIsAPatch: without elision a diff makes the edited text of the module.
func TestDiffIsAPatch(t *testing.T) {
	for _, context := range []int{0, 1, 3, 50} {
		for _, c := range cases {
			m, r, err := edit(t, c.module, source(t, c.module), c.recipe, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := patched(t, string(m.Text), Diff(m, r, DiffOptions{Context: context})); got != string(r.Text) {
				t.Errorf("%s, context %d: %s", c.golden, context, firstDifference(string(r.Text), got))
			}
		}
	}
	// several statements on a line, and a statement over several lines
	text := strings.ReplaceAll(source(t, "stores"), ";\n\t@!%p2", "; @!%p2")
	text = strings.ReplaceAll(text, "{%rs1, %rs2};\n\t// end inline asm\n", "\n\t\t{%rs1,\n\t%rs2}; ")
	if m, r, err := edit(t, "lines", text, "stores", Options{}); err != nil {
		t.Error(err)
	} else if got := patched(t, text, Diff(m, r, DiffOptions{Context: 1})); got != string(r.Text) {
		t.Error(firstDifference(string(r.Text), got))
	}
	s := shelfOf(t, standin.Options{})
	lf := func(b []byte) string { return strings.ReplaceAll(string(b), "\r\n", "\n") }
	for _, k := range texture() {
		r := s.request(k, true, true)
		res, err := Edit(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := patched(t, lf(r.Module.Text), Diff(r.Module, res, DiffOptions{Context: 3})); got != lf(res.Text) {
			t.Errorf("%s: %s", k.Name, firstDifference(lf(res.Text), got))
		}
	}
}
