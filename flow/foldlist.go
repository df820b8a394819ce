package flow

import (
	"context"
	"encoding/json"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/plan"
)

// FoldList are the choices of fold:list.
type FoldList struct {
	Selectors string // the cells to look at; those of a release if empty
	JSON      bool
	Vars      string
}

// listedFold is what `fold:list -json` prints, format kmx.fold/1.
type listedFold struct {
	Format string       `json:"format"`
	Cells  []listedCell `json:"cells"`
}

// listedCell is one cell in the map.
type listedCell struct {
	Address string       `json:"address"`
	Kernel  string       `json:"kernel"` // FAMILY/KERNEL
	Target  string       `json:"target"`
	Mode    string       `json:"mode"`            // what the address has behind the GPU
	Object  cache.Digest `json:"object,omitzero"` // the bytes without the GPU; only where they are known
	Premise cache.Digest `json:"premise"`         // what a proof about the cell depends on now
	Proven  bool         `json:"proven"`          // the map has a proof that holds here
	Lapsed  bool         `json:"lapsed"`          // the map has one that does not
}

// FoldList prints the map of equal objects as it holds for the sources, flags and
// compilers that are here. Nothing is built; objects without a proof are compared
// where the cache has them.
func (p *Project) FoldList(ctx context.Context, v FoldList) error {
	d, err := p.load(v.Vars)
	if err != nil {
		return err
	}
	cells, err := foldable(d, v.Selectors)
	if err != nil {
		return err
	}
	proofs, err := p.proofs()
	if err != nil {
		return err
	}
	q, err := p.inquire(ctx, d, cells)
	if err != nil {
		return err
	}
	defer q.close()
	proven, listed := proofs.Proven(), proofs.Addresses()
	out := listedFold{Format: "kmx.fold/1", Cells: []listedCell{}}
	var known []compiledCell
	counts := map[string]int{}
	for i, c := range q.Cells {
		one := compiledCell{index: i, Compiled: plan.Compiled{Cell: c, Premise: plan.Premise(q.node(i).Action, q.found[c.Toolchain])}}
		holds, ok := proven[one.Premise]
		l := listedCell{
			Address: c.Address(), Kernel: c.Family + "/" + c.Kernel, Target: c.Target.Name, Mode: modeOf(c), Premise: one.Premise,
			Proven: ok, Lapsed: !ok && listed[c.Address()],
		}
		switch {
		case ok:
			one.Object = holds.Object
			counts["proven"]++
		case l.Lapsed:
			counts["lapsed"]++
			fallthrough
		default:
			one.Object = q.bare(i)
		}
		if one.Object.IsZero() {
			counts["unknown"]++
		}
		l.Object = one.Object
		known, out.Cells = append(known, one), append(out.Cells, l)
	}
	if v.JSON {
		e := json.NewEncoder(p.Out)
		e.SetIndent("", "  ")
		return e.Encode(out)
	}
	t := newFoldTable(known)
	t.print(p.Out)
	p.Say("%s: %d proven equal to another one by %s", count(len(known), "cell"), counts["proven"], plan.ProofsName)
	if n := counts["lapsed"]; n > 0 {
		p.Say("  %s lapsed: sources, flags or the compiler are others now: mage fold:prove", count(n, "proof"))
	}
	if n := counts["unknown"]; n > 0 {
		p.Say("  %s in the cache: what it would be equal to is not known", count(n, "object")+map[bool]string{true: " is not", false: " are not"}[n == 1])
	}
	return nil
}

// bare is the digest of a cell's object in the cache without its GPU; zero where
// there is none.
func (q *inquiry) bare(i int) cache.Digest {
	l := q.look(i)
	if l.err != nil || len(l.record.Outputs) != 1 {
		return cache.Digest{}
	}
	data, err := q.store.Blob(l.record.Outputs[0].Digest)
	if err != nil {
		return cache.Digest{}
	}
	bare, err := codeobj.Untargeted(data)
	if err != nil {
		return cache.Digest{}
	}
	return cache.Sum(bare)
}
