package tex

import (
	"maps"
	"slices"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// Request is one kernel to edit.
type Request struct {
	Kernel string
	Recipe string
	Module *ptx.Module
	// Reference is the module with the kernel that the device functions were
	// written for, ReferenceKernel its name, which may be left out when the
	// module has one kernel only. Recipes that compare (Recipe.Reference) do so
	// when it is given and is another kernel.
	Reference       *ptx.Module
	ReferenceKernel string
	Options         Options
	// Counts are the declared counts: numbers, or "pairs" for round. Names are
	// those of Recipe.Counts; "stores" is the sum of its kinds. What is not
	// declared is not checked.
	Counts map[string]string
}

// Options are what a cell decides about an edit.
type Options struct {
	// Kinds are the kinds of surface stores to edit, of Kinds(); none means
	// all.
	Kinds []string
	// FP8 makes the e4m3 conversions of dec0-head calls.
	FP8 bool
}

// Result is an edited kernel.
type Result struct {
	// Text is the whole edited module.
	Text []byte
	// Counts has every name of Recipe.Counts but "stores": edits made.
	Counts map[string]int
	// Externs are the device functions that the edited kernel calls, in the
	// order of their names.
	Externs []string
	// Changes are the edits in the order of the text.
	Changes []Change
}

// Edit edits one kernel. The error is a *diag.Failure of class Cells with every
// problem found; nothing is returned beside it.
func Edit(r Request) (*Result, error) {
	e, l := newEditor(r)
	if l.HasErrors() {
		return nil, failure(l)
	}
	e.checkCounts()
	e.recipe.edit(e)
	// What is kept is known once the splice was found: then all of its problems
	// are told too.
	if spliced := e.recipe.Name != "stores"; !spliced || len(e.removed) > 0 {
		e.stores()
		e.rounding()
	}
	if !e.problems.list.HasErrors() {
		e.compareCounts()
	}
	if e.problems.list.HasErrors() {
		return nil, failure(e.problems.list)
	}
	e.declare()
	text, err := e.m.Apply(e.edits)
	if err != nil {
		e.problems.internal("the edits of this kernel overlap", err)
		return nil, failure(e.problems.list)
	}
	e.verify(text)
	if e.problems.list.HasErrors() {
		return nil, failure(e.problems.list)
	}
	slices.SortFunc(e.changes, byPlace)
	return &Result{
		Text:    text,
		Counts:  e.counts,
		Externs: slices.Sorted(maps.Keys(e.externs)),
		Changes: e.changes,
	}, nil
}

// editor is one run of Edit.
type editor struct {
	*kernel
	r        Request
	recipe   recipe
	names    *names
	problems *problems

	removed []ptx.Span // what a splice replaces
	edits   []ptx.Edit
	changes []Change
	counts  map[string]int
	externs map[string]function
}

func newEditor(r Request) (*editor, diag.List) {
	p := &problems{kernel: r.Kernel, recipe: r.Recipe, m: r.Module}
	e := &editor{r: r, problems: p, counts: map[string]int{}, externs: map[string]function{}}
	var known []string
	for _, k := range recipes() {
		known = append(known, k.Name)
		if k.Name == r.Recipe {
			e.recipe = k
		}
	}
	if e.recipe.edit == nil {
		p.nowhere("there is no recipe "+r.Recipe, orElse(diag.DidYouMean(r.Recipe, known), "recipes are "+diag.And(known)))
	}
	for _, k := range r.Options.Kinds {
		if !slices.Contains(Kinds(), k) {
			p.nowhere("there is no kind of surface store "+k, orElse(diag.DidYouMean(k, Kinds()), "kinds are "+diag.And(Kinds())))
		}
	}
	if r.Module == nil {
		p.nowhere("no module was given", "name the library that has this kernel")
		return e, p.list
	}
	e.kernel = findKernel(r.Module, r.Kernel, p)
	if p.list.HasErrors() {
		return e, p.list
	}
	e.names = newNames(r.Module.Text)
	for _, c := range e.recipe.Counts {
		if c != "stores" {
			e.counts[c] = 0
		}
	}
	return e, nil
}

func orElse(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}

// replace replaces a span by text. What is counted under what: "" for nothing.
func (e *editor) replace(what string, s ptx.Span, text string) {
	e.edits = append(e.edits, ptx.Edit{Span: s, Text: text})
	if _, counted := e.counts[what]; counted {
		e.counts[what]++
	}
	e.changes = append(e.changes, e.change(what, s, text))
}

// uses notes that the edited kernel calls f.
func (e *editor) uses(f function) { e.externs[f.name] = f }

// kept reports whether a statement survives the splice.
func (e *editor) kept(it ptx.Item) bool {
	return !slices.ContainsFunc(e.removed, func(s ptx.Span) bool { return s.Contains(it.Range()) })
}

// declare writes the declarations of the functions that are called right
// before the kernel.
func (e *editor) declare() {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(e.externs)) {
		text += e.externs[name].declaration()
	}
	if text == "" {
		return
	}
	at := ptx.Span{Start: e.f.Start, End: e.f.Start}
	e.replace("extern", at, text)
}

// verify reads the edited text again: an edit that is not PTX, or that leaves
// behind what it was to take out, is a fault of this package.
func (e *editor) verify(text []byte) {
	m, err := ptx.Parse(e.m.Name, text)
	if err != nil {
		e.problems.internal("the edited text is not PTX", err)
		return
	}
	f := m.Function(e.r.Kernel)
	if f == nil || f.Body == nil {
		e.problems.internal("the edited text has lost the kernel", nil)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(e.externs)) {
		if d := m.Function(name); d == nil || d.Body != nil {
			e.problems.internal("the edited text does not declare "+name, nil)
		}
	}
}

func failure(l diag.List) error { return &diag.Failure{Class: diag.Cells, Messages: l} }
