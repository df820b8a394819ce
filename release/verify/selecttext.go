package verify

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kmx/internal/diag"
)

// WriteJSON writes the selection as JSON (kmx.select/1).
func (s *Selection) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// WriteText writes the selection for people.
func (s *Selection) WriteText(w io.Writer) error {
	var b strings.Builder
	gpu := s.GPU
	if gpu == "" {
		gpu = "none"
	}
	fmt.Fprintf(&b, "GPU: %s; %s\n", gpu, s.GPUWhy)
	for _, n := range s.Nodes {
		switch {
		case n.GPU():
			fmt.Fprintf(&b, "  node %d: %s, %d SIMDs\n", n.Index, n.Name(), n.SIMDs)
		default:
			fmt.Fprintf(&b, "  node %d: no GPU\n", n.Index)
		}
	}
	fmt.Fprintf(&b, "asked for: %s kernels, FP8 %s\n", map[bool]string{true: "accuracy", false: "fast"}[s.Accuracy], map[bool]string{true: "on", false: "off"}[s.FP8])
	fmt.Fprintf(&b, "in %s:\n", s.Base)
	for _, c := range s.Candidates {
		verdict := "refused"
		if c.Accepted {
			verdict = "accepted"
		} else if strings.HasPrefix(c.Why, "not looked at") {
			verdict = "passed over"
		}
		fmt.Fprintf(&b, "  %s: %s, %s\n", c.Folder, verdict, c.Why)
	}
	if s.Folder != "" {
		served := 0
		for _, k := range s.Kernels {
			if k.Served {
				served++
			}
		}
		fmt.Fprintf(&b, "serves %s, %s: %d of %s\n", s.Folder, s.Mode, served, count(len(s.Kernels), "kernel"))
		for _, k := range s.Kernels {
			line := "  " + k.Name
			if !k.Served {
				line += ": not served"
			}
			if k.Why != "" {
				line += ", " + k.Why
			}
			fmt.Fprintln(&b, line)
		}
	}
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, what := range s.Wrong {
		fmt.Fprintf(&b, "wrong: %s\n", what)
	}
	_, err := io.WriteString(w, diag.Plain(b.String()))
	return err
}
