//go:build linux

package main

import (
	"encoding/json"
	"os"
	"testing"
)

// TestKeptResults reads what was found on a GPU and committed.
func TestKeptResults(t *testing.T) {
	text, err := os.ReadFile("testdata/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var r results
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if r.Format != resultsFormat || r.Machine.GPU == "" || r.Machine.Driver == "" {
		t.Errorf("%q of %+v", r.Format, r.Machine)
	}
	if n := r.failed(); n != 0 {
		t.Errorf("%d failures were kept", n)
	}
	atLeast := map[string]uint64{
		"kernels that ptxas takes":                            110,
		"kernels that run twice to the same end":              110,
		"f32 for which roundf_and_or and its rewrite agree":   1 << 32,
		"f32 for which roundf_copysign and its rewrite agree": 1 << 32,
		"kernels that their recipes edit":                     57,
		"original modules that ptxas takes":                   15,
		"edited modules that ptxas takes":                     57,
		"edited kernels that link with their functions":       57,
		"kernels compiled":                                    44,
		"wrong rewrites that are found out":                   1,
		"wrong functions that are found out":                  1,
	}
	for _, p := range r.Parts {
		if p.Done < atLeast[p.What] {
			t.Errorf("%s: %d, wanted %d at least", p.What, p.Done, atLeast[p.What])
		}
		delete(atLeast, p.What)
	}
	for what := range atLeast {
		t.Errorf("nothing is kept of: %s", what)
	}
}
