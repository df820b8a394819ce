package flow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"kmx/amdgpu/codeobj"
	"kmx/internal/diag"
)

// A difference is where two objects differ first.
type difference struct {
	codeobj.Difference
	Byte        int       // of the files, where nothing else tells
	Instruction int       // from 1, of the symbol; 0 where it is not known
	Text        [2]string // the instruction on both sides
}

// text tells the difference of two objects with these names.
func (d difference) text(a, b string) string {
	place := d.Section
	if d.Symbol != "" {
		place = d.Symbol
	}
	switch {
	case d.Likeness == codeobj.Identical:
		return "the same bytes"
	case d.Likeness == codeobj.MetadataOnly:
		return fmt.Sprintf("%s, first at byte 0x%x of the file", d.Likeness, d.Byte)
	case d.Missing:
		return fmt.Sprintf("%s, only one of them has %s", d.Likeness, place)
	case d.Instruction > 0:
		return fmt.Sprintf("%s, first in %s at 0x%x, instruction %d:\n  %-8s  %s\n  %-8s  %s",
			d.Likeness, place, d.Offset, d.Instruction, a, d.Text[0], b, d.Text[1])
	}
	return fmt.Sprintf("%s, first in %s at 0x%x", d.Likeness, place, d.Offset)
}

// difference finds where two objects of the cell at index i of the plan differ
// first. Instructions are told where there is an llvm-objdump beside the compiler.
func (f *folding) difference(ctx context.Context, i int, a, b []byte) (difference, error) {
	var d difference
	was, err := codeobj.Read(a)
	if err != nil {
		return d, err
	}
	is, err := codeobj.Read(b)
	if err != nil {
		return d, err
	}
	d.Difference = codeobj.Compare(was, is)
	for d.Byte < len(a) && d.Byte < len(b) && a[d.Byte] == b[d.Byte] {
		d.Byte++
	}
	if d.Likeness != codeobj.Code || d.Symbol == "" || d.Missing {
		return d, nil
	}
	cell := f.made.plan.Cells[i]
	tool := f.made.toolchains[cell.Toolchain].Tools[cell.Toolchain+":bin/clang++"]
	objdump := filepath.Join(filepath.Dir(tool.Path), "llvm-objdump")
	if runtime.GOOS == "windows" {
		objdump += ".exe"
	}
	if _, err := os.Stat(objdump); errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	dir, err := os.MkdirTemp(f.store.SandboxRoot(), "fold-")
	if err != nil {
		return d, diag.Failf(diag.IO, elsewhere, "%w", err)
	}
	defer os.RemoveAll(dir)
	var texts [2][]string
	for k, data := range [][]byte{a, b} {
		name := filepath.Join(dir, fmt.Sprint(k))
		if err := os.WriteFile(name, bytes.Clone(data), 0o644); err != nil {
			return d, diag.Failf(diag.IO, elsewhere, "%w", err)
		}
		if texts[k], err = instructions(ctx, objdump, tool, d.Symbol, name); err != nil {
			return d, err
		}
	}
	at := 0
	for at < len(texts[0]) && at < len(texts[1]) && texts[0][at] == texts[1][at] {
		at++
	}
	if at == len(texts[0]) && at == len(texts[1]) {
		return d, nil // the same words for other bytes
	}
	d.Instruction = at + 1
	for k := range texts {
		d.Text[k] = "nothing more"
		if at < len(texts[k]) {
			d.Text[k] = texts[k][at]
		}
	}
	return d, nil
}
