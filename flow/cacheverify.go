package flow

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
)

// CacheVerify are the choices of cache:verify.
type CacheVerify struct {
	Sample int // percent of the records that the matrix plans, to be made again
	Jobs   int // processes at once; 0: one per processor
	Vars   string
}

// CacheVerify reads everything in the cache and sets damage aside. A sample of
// what the matrix plans is built again and compared with what is stored.
func (p *Project) CacheVerify(ctx context.Context, v CacheVerify) error {
	if v.Sample < 0 || v.Sample > 100 {
		return diag.Failf(diag.Usage, "", "-sample is a percentage, from 1 to 100, not %d", v.Sample)
	}
	if v.Jobs < 0 {
		return diag.Failf(diag.Usage, "", "-jobs is a number of processes, not %d", v.Jobs)
	}
	store, err := p.Cache()
	if err != nil {
		return err
	}
	k, err := store.Check(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return diag.Failf(diag.IO, elsewhere, "%v", err)
	}
	fmt.Fprintf(p.Out, "%d blobs and %d records (%s) are as they were stored\n", k.Blobs, k.Records, cache.Size(k.Bytes))
	if k.Incomplete > 0 {
		p.Say("%s not complete: an output was collected; that is made again when it is needed", count(k.Incomplete, "record"))
	}
	var damage *diag.Failure
	if n := len(k.Damaged); n > 0 {
		damage = diag.Failf(diag.Verify, "build as usual: what is needed of it is made again", "%s damaged: %s", count(n, "file"), k.Damaged[0])
		if n > 1 {
			damage.Messages[0].Detail = "all of them are named above"
		}
	}
	if v.Sample > 0 {
		err := p.repeat(ctx, store, v)
		var f *diag.Failure
		switch {
		case err == nil || damage == nil:
			if err != nil {
				return err
			}
		case errors.As(err, &f):
			damage.Messages = append(damage.Messages, f.Messages...)
		default:
			return err
		}
	}
	if damage != nil {
		return damage
	}
	return nil
}

// repeat builds a random sample of what the matrix plans and the cache has,
// and holds it against what is stored.
func (p *Project) repeat(ctx context.Context, store *cache.Cache, v CacheVerify) error {
	lim, err := readLimits(os.Getenv)
	if err != nil {
		return err
	}
	d, err := p.load(v.Vars)
	if err != nil {
		return err
	}
	q, err := p.inquire(ctx, d, d.Cells)
	if err != nil {
		return err
	}
	defer q.close()
	var have []*engine.Node
	for i, n := range q.Graph.Nodes {
		r := q.Graph.Resolve(i, q.record)
		if r.Missing >= 0 {
			continue // what it needs is not there
		}
		if _, err := store.Find(r.Action.Key()); err != nil {
			continue
		}
		alone := *n
		alone.Action, alone.Needs, alone.Stored = r.Action, nil, maps.Clone(n.Stored)
		for _, need := range n.Needs {
			if alone.Stored == nil {
				alone.Stored = map[string]bool{}
			}
			alone.Stored[need.Path] = true
		}
		have = append(have, &alone)
	}
	all := len(have)
	if all == 0 {
		p.Say("nothing that the matrix plans is in the cache, so nothing is made again")
		return nil
	}
	rand.Shuffle(all, func(i, j int) { have[i], have[j] = have[j], have[i] })
	have = have[:(all*v.Sample+99)/100]
	p.Say("making %d of %s again", len(have), count(all, "stored action"))
	tools := map[string]engine.Tool{}
	for _, tc := range q.found {
		maps.Copy(tools, tc.Tools)
	}
	options, done := p.engineOptions(v.Jobs, lim)
	defer done()
	options.Cache, options.Tools, options.KeepGoing = store, tools, true
	options.Repeat = func(cache.Digest) bool { return true }
	results, err := engine.Run(ctx, &engine.Graph{Nodes: have}, options)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f := &diag.Failure{Class: diag.Verify, Err: err}
	for _, r := range results {
		if r.State != engine.Done {
			m, class := unlike(store, r)
			f.Messages = append(f.Messages, m)
			if class == diag.IO {
				f.Class = class
			}
		}
	}
	if len(f.Messages) > 0 {
		return f
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Out, "%s made again, byte for byte as stored\n", count(len(results), "action"))
	return nil
}

// unlike says how an action that was made again went wrong.
func unlike(store *cache.Cache, r engine.Result) (diag.Message, diag.Class) {
	var machine *engine.MachineError
	var differs *engine.Differs
	switch {
	case errors.As(r.Err, &machine):
		return diag.Message{Summary: r.Err.Error(), Hint: elsewhere}, diag.IO
	case !errors.As(r.Err, &differs):
		return diag.Message{Summary: fmt.Sprintf("%s is stored, but cannot be made again: %v", r.Node.Label, r.Err)}, diag.Verify
	}
	m := diag.Message{
		Summary: fmt.Sprintf("%s: made again, it is not what is stored", differs.Label),
		Hint: "either the action is not deterministic, or something wrong was put into the cache; compare the two files, and to have it built anew remove " +
			stored(store, "act", differs.Key),
	}
	for _, o := range differs.Outputs {
		if m.Detail != "" {
			m.Detail += "\n"
		}
		m.Detail += fmt.Sprintf("%s differs %s", o.Stored.Path, firstDifference(store, o))
		m.Values = append(m.Values,
			diag.Value{Name: "stored", Text: stored(store, "cas", o.Stored.Digest)},
			diag.Value{Name: "made again", Text: stored(store, "cas", o.Made.Digest)})
	}
	return m, diag.Verify
}

// stored is where a blob ("cas") or record ("act") lies.
func stored(store *cache.Cache, kind string, d cache.Digest) string {
	name := d.String()
	return filepath.Join(store.Dir(), kind, name[:2], name)
}

// firstDifference says where two outputs differ first.
func firstDifference(store *cache.Cache, o engine.Difference) string {
	a, err := store.Blob(o.Stored.Digest)
	if err != nil {
		return fmt.Sprintf("(%v)", err)
	}
	b, err := store.Blob(o.Made.Digest)
	if err != nil {
		return fmt.Sprintf("(%v)", err)
	}
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	where := fmt.Sprintf("from byte %d on (%d bytes are stored, %d were made)", at, len(a), len(b))
	if f, err := elf.NewFile(bytes.NewReader(a)); err == nil {
		for _, s := range f.Sections {
			if s.Type != elf.SHT_NOBITS && s.Type != elf.SHT_NULL && uint64(at) >= s.Offset && uint64(at)-s.Offset < s.FileSize {
				return where + ", in " + s.Name
			}
		}
	}
	return where
}
