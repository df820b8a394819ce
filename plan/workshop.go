package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"kmx/cache"
	"kmx/emit"
	"kmx/matrix"
	"kmx/tex"
	"kmx/toolchains"
)

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
	told, err := options(c)
	if err != nil {
		return result{err: err}
	}
	e := &edited{use: use, request: tex.Request{Kernel: c.Kernel, Recipe: c.Recipe, Options: told, Counts: counts(c)}}
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

// use is the module of a cell, nil where none was found.
func (w *workshop) use(c *matrix.Cell) *ModuleUse {
	if e := w.cells[c].edit; e != nil {
		return e.use
	}
	return nil
}
