package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"kmx/cache"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/tex"
)

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
