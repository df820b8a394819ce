package plan

import (
	"context"
	"fmt"

	"kmx/cuda/ptx"
	"kmx/matrix"
	"kmx/tex"
)

// An EditedCell is what the recipe of a cell makes of a library's code.
type EditedCell struct {
	Use    *ModuleUse
	Module *ptx.Module // as the library has it
	Result *tex.Result
}

// EditCell runs the recipe of one cell and keeps nothing. Beside an error about a
// module that was found there is a cell with Use alone.
func EditCell(ctx context.Context, c *matrix.Cell, s Source) (*EditedCell, error) {
	w := newWorkshop(s)
	w.ctx = ctx
	if !isRecipe(c) {
		return nil, fmt.Errorf("%s is built from %s, no recipe edits it", c.Address(), c.Source)
	}
	r := w.enter(c)
	if r.err != nil {
		return nil, r.err
	}
	var module, reference parsed
	request, err := w.request(r.edit, &module, &reference)
	if err != nil {
		return &EditedCell{Use: r.edit.use}, err
	}
	result, err := s.editor()(request)
	if err != nil {
		return &EditedCell{Use: r.edit.use}, fmt.Errorf("%s, %s: %w", c.Kernel, r.edit.use, err)
	}
	return &EditedCell{Use: r.edit.use, Module: request.Module, Result: result}, nil
}
