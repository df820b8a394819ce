package tex

import (
	"errors"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// reference is the kernel that this one is compared with, nil when there is
// none or it is this one.
func (e *editor) reference() *editor {
	r := e.r
	if r.Reference == nil {
		return nil
	}
	name := r.ReferenceKernel
	if entries := r.Reference.Entries(); name == "" && len(entries) == 1 {
		name = entries[0].Name
	}
	if name == "" {
		e.problems.nowhere("the module "+r.Reference.Name+" has several kernels, and none is named as the reference", "name it as reference in matrix.hcl")
		return nil
	}
	if r.Reference == r.Module && name == r.Kernel {
		return nil
	}
	ref, l := newEditor(Request{Kernel: name, Recipe: r.Recipe, Module: r.Reference})
	if l.HasErrors() {
		e.blame(ref)
		return nil
	}
	return ref
}

// blame takes over what is wrong with the reference kernel.
func (e *editor) blame(ref *editor) {
	for _, m := range ref.problems.list {
		m.Summary = "the reference kernel " + m.Summary
		m.Notes = append(m.Notes, diag.Note{Where: e.m.Where(e.f.NameAt), Text: "needed for " + e.f.Name})
		e.problems.add(m)
	}
}

// align compares two pieces of code that must differ in names only, and gives
// what the names of the reference are called here. A difference is a problem
// that shows both statements.
func (e *editor) align(ref *editor, theirs, ours []ptx.Item) ptx.Renaming {
	names, err := ptx.Align(e.m, ref.m, ours, theirs)
	if err == nil {
		back := ptx.Renaming{}
		for own, other := range names {
			back[other] = own
		}
		return back
	}
	var l diag.List
	if !errors.As(err, &l) {
		e.problems.internal("the comparison with "+ref.f.Name+" failed", err)
		return nil
	}
	for _, m := range l {
		if len(m.Notes) == 0 {
			here, there := e.removed[0], ref.removed[0]
			m.Notes = []diag.Note{
				{Where: e.m.Where(ptx.Span{Start: here.Start, End: here.Start}), Text: "what is replaced begins here"},
				{Where: ref.m.Where(ptx.Span{Start: there.Start, End: there.Start}), Text: "and here in the reference"},
			}
		}
		m.Summary = "what is replaced is not what it is in the reference kernel " + ref.f.Name + ": " + m.Summary
		m.Hint = "the device function was written for the reference: compare both modules (dlss:diff) before approving this one"
		e.problems.add(m)
	}
	return nil
}
