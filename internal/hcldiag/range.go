// Package hcldiag gives places in HCL files to package diag, which knows nothing of
// HCL so that whoever only prints messages does not carry its parser. What a file
// means, and what is wrong with it, is for the room that reads it.
package hcldiag

import (
	"github.com/hashicorp/hcl/v2"

	"kmx/internal/diag"
)

// Range is r; lines and columns, which HCL leaves 0 where it knows no place, are 1
// at least.
func Range(r hcl.Range) diag.Range {
	at := func(p hcl.Pos) diag.Pos {
		return diag.Pos{Line: max(1, p.Line), Column: max(1, p.Column), Byte: p.Byte}
	}
	return diag.Range{File: r.Filename, Start: at(r.Start), End: at(r.End)}
}
