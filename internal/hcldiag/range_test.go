package hcldiag

import (
	"testing"

	"github.com/hashicorp/hcl/v2"

	"kmx/internal/diag"
)

func TestRange(t *testing.T) {
	for _, c := range []struct {
		in   hcl.Range
		want diag.Range
	}{
		{hcl.Range{Filename: "a.hcl", Start: hcl.Pos{Line: 2, Column: 3, Byte: 9}, End: hcl.Pos{Line: 4, Column: 5, Byte: 30}},
			diag.Range{File: "a.hcl", Start: diag.Pos{Line: 2, Column: 3, Byte: 9}, End: diag.Pos{Line: 4, Column: 5, Byte: 30}}},
		{hcl.Range{}, diag.Range{Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Line: 1, Column: 1}}},
	} {
		if got := Range(c.in); got != c.want {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
}
