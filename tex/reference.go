package tex

import (
	"errors"
	"slices"

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
		e.compareInputs(ref)
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

// compareInputs compares what replaced code takes from before it: at each place,
// the register here and that of the reference must be made of the same
// parameters and special registers. Both tails were aligned before.
func (e *editor) compareInputs(ref *editor) {
	from, there := e.first(), ref.first()
	seen := map[string]bool{}
	for i, in := range e.list[from:] {
		if there+i >= len(ref.list) {
			return
		}
		other := ref.list[there+i]
		theirs := ref.flow.Reads(other)
		for n, reg := range e.flow.Reads(in) {
			if n >= len(theirs) || seen[reg] || !e.fromBefore(in, reg, from) && !ref.fromBefore(other, theirs[n], there) {
				continue
			}
			seen[reg] = true
			o, want := e.slice(in, []string{reg}, nil), ref.slice(other, []string{theirs[n]}, nil)
			if o.like(e.kernel) == want.like(ref.kernel) {
				continue
			}
			m := e.problems.at(in.Span, reg+" is used in what is replaced, and is not what it is in the reference kernel "+ref.f.Name, otherKernel)
			also(m, "it is made of %s", o)
			m.Notes = append(m.Notes, diag.Note{Where: ref.m.Where(other.Span), Text: theirs[n] + " stands here, made of " + want.String()})
		}
	}
}

// first is the index of the first instruction that a tail's replacement takes
// out.
func (e *editor) first() int {
	for i, in := range e.list {
		if !e.kept(in) {
			return i
		}
	}
	return len(e.list)
}

// fromBefore reports whether a register, as use reads it, may be set before the
// instruction from, or nowhere.
func (k *kernel) fromBefore(use *ptx.Instruction, reg string, from int) bool {
	return !k.flow.DefinedBefore(use, reg) || slices.ContainsFunc(k.flow.ReachingDefs(use, reg), func(def *ptx.Instruction) bool { return k.index[def] < from })
}

// like is what an origin has in common with that of another variant: everything
// but the names of variables.
func (o origin) like(k *kernel) string {
	for i, s := range o.symbols {
		if k.isShared(s) {
			o.symbols = slices.Clone(o.symbols)
			o.symbols[i] = "a shared array"
		}
	}
	return o.String()
}
