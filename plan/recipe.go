package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"kmx/cache"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/matrix"
	"kmx/tex"
	"kmx/toolchains"
)

// The steps between a library and an action run inside of this program: they
// are pure functions of bytes, and what they give is kept in the store under
// what it was made from. Downstream the digests of their results count, not
// where these came from.

// LibrarySource is where the files of a library lie.
type LibrarySource struct {
	Files []string // paths; none: it is not here
	Match string   // the name it is looked for by
}

// made is an input that the steps made for a cell.
type made struct {
	name   string // in the sandbox
	digest cache.Digest
	module *ModuleUse
	edits  string // RECIPE:KIND=N,KIND=N
	recipe string // with its options and counts, as one line
	// options is how it was lowered; "" of PTX.
	options string
}

// workshop runs the steps for the cells of one plan.
type workshop struct {
	s     Source
	ctx   context.Context
	opens map[string]*opened      // by library name
	uses  map[string]*ModuleUse   // by library and kernel
	fails map[string]error        // the same, where none was found
	edits map[string]*edited      // by what they are made from
	lower map[string]*lowered     // by what they are made from
	cells map[*matrix.Cell]result // of this plan
}

// opened is the files of one library.
type opened struct {
	files []*Library
	err   error
}

// edited is the PTX of one kernel, edited in one way.
type edited struct {
	use, reference *ModuleUse
	request        tex.Request // without modules
	digest         cache.Digest
	counts         string // edits by kind, "KIND=N,KIND=N"; those that are none left out
	err            error
	lowered        []*lowered
}

// lowered is the IR of one edited kernel for one way of compiling it.
type lowered struct {
	of      *edited
	options emit.Options
	digest  cache.Digest
	err     error
}

// result is where a cell's input is found once all steps are done.
type result struct {
	edit *edited
	ir   *lowered // nil for an emitter that takes PTX
	err  error
}

func newWorkshop(s Source) *workshop {
	return &workshop{
		s: s, ctx: context.Background(), opens: map[string]*opened{}, uses: map[string]*ModuleUse{}, fails: map[string]error{},
		edits: map[string]*edited{}, lower: map[string]*lowered{}, cells: map[*matrix.Cell]result{},
	}
}

// isRecipe tells whether a cell's object is made of a library's code.
func isRecipe(c *matrix.Cell) bool { return c.Recipe != "" && c.Source == "" }

// prepare runs all steps for some cells. What goes wrong with one is found with
// it by made.
func (w *workshop) prepare(cells []*matrix.Cell) {
	for _, c := range cells {
		if isRecipe(c) {
			w.cells[c] = w.enter(c)
		}
	}
	g := errgroup.Group{}
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, batch := range w.batches() {
		g.Go(func() error {
			w.run(batch)
			return nil
		})
	}
	_ = g.Wait() // each edit has its own error
}

// made gives the input of a cell after prepare.
func (w *workshop) made(c *matrix.Cell) (made, error) {
	r := w.cells[c]
	if err := cmp.Or(r.err, errOf(r.edit), errOfIR(r.ir)); err != nil {
		return made{}, err
	}
	m := made{name: c.Kernel + ".ptx", digest: r.edit.digest, module: r.edit.use, edits: r.edit.line(), recipe: recipeLine(r.edit)}
	if r.ir != nil {
		m.name, m.digest, m.options = c.Kernel+".ll", r.ir.digest, optionsLine(r.ir.options)
	}
	return m, nil
}

func errOf(e *edited) error {
	if e == nil {
		return nil
	}
	return e.err
}

func errOfIR(l *lowered) error {
	if l == nil {
		return nil
	}
	return l.err
}

// enter notes what a cell asks for.
func (w *workshop) enter(c *matrix.Cell) result {
	use, err := w.defining(c.Library, c.Kernel)
	if err != nil {
		return result{err: err}
	}
	e := &edited{use: use, request: tex.Request{Kernel: c.Kernel, Recipe: c.Recipe, Options: options(c), Counts: counts(c)}}
	if c.Reference != "" {
		e.request.ReferenceKernel = c.Reference
		if e.reference, err = w.defining(c.Library, c.Reference); err != nil {
			return result{err: fmt.Errorf("the reference of %s: %w", c.Kernel, err)}
		}
	}
	key := w.editKey(e).String()
	if have := w.edits[key]; have != nil {
		e = have
	} else {
		w.edits[key] = e
	}
	r := result{edit: e}
	tc := w.s.Toolchains[c.Toolchain]
	if tc == nil || tc.Emitter != toolchains.EmitterOwn {
		return r
	}
	o := emitOptions(c)
	id := fmt.Sprintf("%s %s", key, optionsLine(o))
	if r.ir = w.lower[id]; r.ir == nil {
		r.ir = &lowered{of: e, options: o}
		w.lower[id] = r.ir
		e.lowered = append(e.lowered, r.ir)
	}
	return r
}

// defining finds the module of a kernel, once.
func (w *workshop) defining(library, kernel string) (*ModuleUse, error) {
	id := library + " " + kernel
	if u, err := w.uses[id], w.fails[id]; u != nil || err != nil {
		return u, err
	}
	files, err := w.open(library)
	if err == nil {
		w.uses[id], err = Defining(files, library, kernel)
	}
	w.fails[id] = err
	return w.uses[id], err
}

// open opens the files of a library, once.
func (w *workshop) open(name string) ([]*Library, error) {
	o := w.opens[name]
	if o == nil {
		o = &opened{}
		w.opens[name] = o
		src, declared := w.s.Libraries[name]
		switch {
		case !declared || name == "":
			o.err = errors.New("its family names no library, so there is no code to edit")
		case len(src.Files) == 0:
			o.err = fmt.Errorf("library %s (%s) is not here", name, src.Match)
		}
		for _, path := range src.Files {
			lib, err := OpenLibrary(w.ctx, path, w.s.Store)
			if err != nil {
				o.err = &LibraryError{name, err}
				break
			}
			o.files = append(o.files, lib)
		}
	}
	return o.files, o.err
}

// A LibraryError is about a library file as a whole: no kernel of it can be
// built.
type LibraryError struct {
	Name string // in the matrix
	Err  error
}

func (e *LibraryError) Error() string { return e.Err.Error() }
func (e *LibraryError) Unwrap() error { return e.Err }

// batches groups edits by their module, so that each is read and parsed once
// and few are in memory at a time. The order is that of the libraries.
func (w *workshop) batches() [][]*edited {
	by := map[cache.Digest][]*edited{}
	var order []*ModuleUse
	for _, e := range w.edits {
		d := e.use.Module.BLAKE3
		if by[d] == nil {
			order = append(order, e.use)
		}
		by[d] = append(by[d], e)
	}
	slices.SortFunc(order, func(a, b *ModuleUse) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Module.Number, b.Module.Number))
	})
	var out [][]*edited
	for _, u := range order {
		out = append(out, by[u.Module.BLAKE3])
	}
	return out
}

// editStep and lowerStep version what is kept of the steps. The program is in
// their keys, too: a change of the steps is one of the program.
const (
	editStep  = "kmx.edit/2"
	lowerStep = "kmx.lower/2"
)

func (w *workshop) editKey(e *edited) cache.Digest {
	reference := cache.Digest{}
	if e.reference != nil {
		reference = e.reference.Module.BLAKE3
	}
	text, _ := json.Marshal([]any{editStep, w.s.Program, e.use.Module.BLAKE3, reference, e.request.Kernel, e.request.Recipe,
		e.request.ReferenceKernel, e.request.Options, e.request.Counts})
	return cache.Sum(text)
}

func lowerKey(program, edit cache.Digest, kernel string, o emit.Options) cache.Digest {
	text, _ := json.Marshal([]any{lowerStep, program, edit, kernel, o})
	return cache.Sum(text)
}

func optionsLine(o emit.Options) string {
	text, _ := json.Marshal(o)
	return string(text)
}

// run makes the edits of one module, and lowers what they give.
func (w *workshop) run(batch []*edited) {
	var module, reference parsed
	for _, e := range batch {
		if e.err = w.edit(e, &module, &reference); e.err != nil {
			e.err = fmt.Errorf("%s, %s: %w", e.request.Kernel, e.use, e.err)
			continue
		}
		var text parsed
		for _, l := range e.lowered {
			if l.err = w.lowerOne(l, &text); l.err != nil {
				l.err = fmt.Errorf("%s, %s: %w", e.request.Kernel, e.use, l.err)
			}
		}
	}
}

// parsed is a module in memory, read when it is first needed.
type parsed struct {
	of     cache.Digest
	module *ptx.Module
	err    error
}

func (p *parsed) get(of cache.Digest, name string, text func() ([]byte, error)) (*ptx.Module, error) {
	if p.of == of && (p.module != nil || p.err != nil) {
		return p.module, p.err
	}
	*p = parsed{of: of}
	data, err := text()
	if err == nil {
		p.module, err = ptx.Parse(name, data)
	}
	p.err = err
	return p.module, err
}

// remembered gives what a step gave earlier, if the store has it, and what it
// said of it.
func (w *workshop) remembered(step string, key cache.Digest) (d cache.Digest, note string, ok bool) {
	if w.s.Program.IsZero() {
		return cache.Digest{}, "", false
	}
	text, ok := w.s.Memo.Derived(step, key)
	if !ok {
		return cache.Digest{}, "", false
	}
	text, note, _ = strings.Cut(text, " ")
	d, err := cache.ParseDigest(text)
	return d, note, err == nil && w.s.Store.Holds(d)
}

// keep puts what a step gave into the store, with a note.
func (w *workshop) keep(step string, key cache.Digest, data []byte, note string) (cache.Digest, error) {
	d, err := w.s.Store.PutBytes(data)
	if err != nil {
		return d, fmt.Errorf("cannot be put into the cache: %w", err)
	}
	if !w.s.Program.IsZero() {
		w.s.Memo.PutDerived(step, key, d.String()+" "+note)
	}
	return d, nil
}

func (w *workshop) edit(e *edited, module, reference *parsed) (err error) {
	key := w.editKey(e)
	var ok bool
	if e.digest, e.counts, ok = w.remembered(editStep, key); ok {
		return nil
	}
	r, err := w.request(e, module, reference)
	if err != nil {
		return err
	}
	done, err := w.s.editor()(r)
	if err != nil {
		return err
	}
	e.counts = countsOf(done.Counts)
	e.digest, err = w.keep(editStep, key, done.Text, e.counts)
	return err
}

// request is what an edit asks of tex, with the modules.
func (w *workshop) request(e *edited, module, reference *parsed) (r tex.Request, err error) {
	r = e.request
	if r.Module, err = module.get(e.use.Module.BLAKE3, e.use.fileName(), e.use.Text); err != nil {
		return r, err
	}
	if e.reference != nil {
		if r.Reference, err = reference.get(e.reference.Module.BLAKE3, e.reference.fileName(), e.reference.Text); err != nil {
			return r, fmt.Errorf("the reference, %s: %w", e.reference, err)
		}
	}
	return r, nil
}

func (w *workshop) lowerOne(l *lowered, text *parsed) (err error) {
	key := lowerKey(w.s.Program, l.of.digest, l.of.request.Kernel, l.options)
	var ok bool
	if l.digest, _, ok = w.remembered(lowerStep, key); ok {
		return nil
	}
	m, err := text.get(l.of.digest, l.of.request.Kernel+".ptx", func() ([]byte, error) { return w.s.Store.Blob(l.of.digest) })
	if err != nil {
		return err
	}
	ir, err := w.s.lowerer()(m, l.of.request.Kernel, l.options)
	if err != nil {
		return err
	}
	l.digest, err = w.keep(lowerStep, key, ir, "")
	return err
}

// fileName is how messages about the text of the module name it.
func (u *ModuleUse) fileName() string {
	return fmt.Sprintf("%s.%d.ptx", u.File, u.Module.Number)
}

// counts are the edits that a cell's recipe must make.
func counts(c *matrix.Cell) map[string]string {
	out := map[string]string{}
	for _, d := range c.Counts {
		out[d.Name] = d.Value
	}
	return out
}

// options is what a cell asks of its recipe besides the counts.
func options(c *matrix.Cell) tex.Options {
	n, _ := strconv.Atoi(counts(c)["e4m3"])
	return tex.Options{FP8: n > 0}
}

// countsOf are the edits that were made, by kind.
func countsOf(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", name, counts[name]))
		}
	}
	return strings.Join(parts, ",")
}

// line is the edits with their recipe, as approvals pin them.
func (e *edited) line() string {
	name := e.request.Recipe
	if e.request.Options.FP8 {
		name += "+fp8"
	}
	return name + ":" + e.counts
}

// recipeLine is the recipe with everything it was told.
func recipeLine(e *edited) string {
	text, _ := json.Marshal([]any{e.request.Recipe, e.request.Options, e.request.Counts})
	line := string(text)
	if e.reference != nil {
		line += " against " + e.reference.Module.FNV
	}
	return line
}

// use is the module of a cell, nil where none was found.
func (w *workshop) use(c *matrix.Cell) *ModuleUse {
	if e := w.cells[c].edit; e != nil {
		return e.use
	}
	return nil
}

func (s Source) editor() func(tex.Request) (*tex.Result, error) {
	if s.Edit != nil {
		return s.Edit
	}
	return tex.Edit
}

func (s Source) lowerer() func(*ptx.Module, string, emit.Options) ([]byte, error) {
	if s.Lower != nil {
		return s.Lower
	}
	return emit.Lower
}
