package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kmx/amdgpu/emu"
	"kmx/engine"
	"kmx/matrix"
	"kmx/toolchains"
)

// A campaign draws mutants and judges them.
type campaign struct {
	choices
	root     string
	ks       []kernel
	court    *court
	tool     engine.Tool
	compiler string            // as it names itself
	sources  map[string]string // digests, by kernel
	records  *results
	text     map[string]string // of the sources
	intact   sync.Map          // of whole, by the address of the cell
}

// whole is what a cell gives without a mutation.
type whole struct {
	once     sync.Once
	expanded []byte
	object   []byte
	err      error
}

// tries is how many cells are compiled for a mutant before it counts as one that
// changes nothing.
const tries = 3

// run judges draws until enough of them count.
func (c *campaign) run(ctx context.Context, list []draw) ([]record, error) {
	work, err := os.MkdirTemp("", "kmx-mutate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	shops := make([]*workshop, c.jobs)
	for n := range shops {
		if shops[n], err = newWorkshop(c.root, filepath.Join(work, fmt.Sprint(n)), c.ks, c.tool); err != nil {
			return nil, err
		}
	}
	outcomes := make([]record, len(list))
	done, err := beginning(ctx, c.jobs, c.n, len(list), func(ctx context.Context, worker, i int) (bool, error) {
		r, err := c.one(ctx, shops[worker], list[i])
		if err != nil {
			return false, fmt.Errorf("%s:%d, %s, %q -> %q: %w", list[i].File, list[i].Line, list[i].Operator, list[i].Before, list[i].After, err)
		}
		outcomes[i] = r
		return r.counts(), nil
	})
	return outcomes[:done], err
}

// one gives a draw's record, from the results where it is there.
func (c *campaign) one(ctx context.Context, shop *workshop, d draw) (record, error) {
	k := c.ks[d.kernel]
	if r, ok := c.records.find(d.ID(), c.sources[k.layer.Name], k.layer.Name); ok {
		r.Line = d.Line
		return r, nil
	}
	began := time.Now()
	r := record{ID: d.ID(), Sources: c.sources[k.layer.Name], Kernel: k.layer.Name, File: d.File, Line: d.Line, Op: d.Operator, Before: d.Before, After: d.After, Verdict: same}
	original := c.text[d.File]
	if err := shop.write(d.File, []byte(d.apply(original))); err != nil {
		return r, err
	}
	err := c.try(ctx, shop, d, k, &r)
	if restored := shop.write(d.File, []byte(original)); err == nil {
		err = restored
	}
	if err != nil {
		return r, err
	}
	r.Seconds = float64(time.Since(began).Milliseconds()) / 1000
	fmt.Fprintf(os.Stderr, "%-16s %6.1fs  %s:%d  %s: %s -> %s  %s  %s\n", r.Verdict, r.Seconds, r.File, r.Line, r.Op, oneLine(r.Before), oneLine(r.After), r.Cell, r.Detail)
	return r, c.records.add(r)
}

// try looks for a cell whose object the mutation changes, and judges that.
func (c *campaign) try(ctx context.Context, shop *workshop, d draw, k kernel, r *record) error {
	h := fnv.New64a()
	h.Write([]byte(d.ID() + k.layer.Name))
	left := tries
	for _, cell := range k.order(rand.New(rand.NewPCG(c.seed, h.Sum64()))) {
		w, err := c.whole(ctx, shop, d.File, cell, k)
		if err != nil {
			return fmt.Errorf("%s as it is: %w", cell.Address(), err)
		}
		var no *refusal
		expanded, err := shop.expand(ctx, cell)
		switch {
		case errors.As(err, &no):
			r.Cell, r.Verdict, r.Detail = cell.Address(), refused, no.text
			return nil
		case err != nil:
			return err
		case bytes.Equal(expanded, w.expanded):
			continue
		}
		object, err := shop.build(ctx, cell)
		switch {
		case errors.As(err, &no):
			r.Cell, r.Verdict, r.Detail = cell.Address(), refused, no.text
			return nil
		case err != nil:
			return err
		case bytes.Equal(object, w.object):
			r.Cell = cell.Address()
			if left--; left == 0 {
				return nil
			}
			continue
		}
		v, err := c.court.judge(ctx, cell, k.layer, object)
		if err != nil {
			return err
		}
		r.Cell, r.Verdict, r.By, r.Detail = cell.Address(), survived, v.By, v.Detail
		if v.Killed {
			r.Verdict = killed
		}
		return nil
	}
	return nil
}

// whole builds a cell from sources as they are, once, and holds that nothing is
// found against it. The workshop has one mutated file, which is put aside for it.
func (c *campaign) whole(ctx context.Context, shop *workshop, file string, cell *matrix.Cell, k kernel) (*whole, error) {
	v, _ := c.intact.LoadOrStore(cell.Address(), &whole{})
	w := v.(*whole)
	w.once.Do(func() {
		name := filepath.Join(shop.dir, filepath.FromSlash(file))
		mutant, err := os.ReadFile(name)
		if err == nil {
			err = shop.write(file, []byte(c.text[file]))
		}
		if err == nil {
			w.expanded, err = shop.expand(ctx, cell)
		}
		if err == nil {
			w.object, err = shop.build(ctx, cell)
		}
		if err == nil {
			err = c.sound(ctx, cell, k, w.object)
		}
		if restored := shop.write(file, mutant); err == nil {
			err = restored
		}
		w.err = err
	})
	return w, w.err
}

func (c *campaign) sound(ctx context.Context, cell *matrix.Cell, k kernel, object []byte) error {
	v, err := c.court.judge(ctx, cell, k.layer, object)
	if err == nil && v.Killed {
		err = fmt.Errorf("%s: %s", v.By, v.Detail)
	}
	return err
}

// newCampaign finds the tools and reads the sources.
func newCampaign(ctx context.Context, o choices, root string, ks []kernel) (*campaign, error) {
	tc, err := toolchains.Find(ctx, toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, nil)
	if err != nil {
		return nil, fmt.Errorf("a compiler is needed, `go tool mage setup` gets one: %w", err)
	}
	objdump, err := emu.FindObjdump()
	if err != nil {
		return nil, err
	}
	c := &campaign{choices: o, root: root, ks: ks, compiler: tc.Banner, tool: tc.Tools["hip:bin/clang++"], text: map[string]string{}, sources: map[string]string{},
		court: &court{objdump: objdump, workers: 1}}
	for _, k := range ks {
		for _, f := range k.files {
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f)))
			if err != nil {
				return nil, err
			}
			c.text[f] = string(data)
		}
		if c.sources[k.layer.Name], err = k.digest(root, tc.Banner); err != nil {
			return nil, err
		}
	}
	c.records, err = openResults(o.results)
	return c, err
}
