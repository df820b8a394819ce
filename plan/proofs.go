package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/matrix"
	"kmx/toolchains"
)

// Proofs is the map of equal objects, fold.lock.hcl: cells that were all compiled
// and whose objects are byte for byte the same but for the GPU that they name. A
// nil or empty one proves nothing.
type Proofs struct {
	Compilers []CompilerProofs
}

// CompilerProofs is what was proven with one compiler.
type CompilerProofs struct {
	Version string       // kind and version: "clang 19.1.7"
	Core    cache.Digest // of the compiler itself, without the host's libraries
	Equal   []Equal      // in the order of the file
}

// Equal are cells of one kernel with equal objects, two or more.
type Equal struct {
	Kernel string       // FAMILY/KERNEL
	Object cache.Digest // of the object without its GPU: codeobj.Untargeted
	// Cells are what each proof depends on, by the part of the address behind @.
	Cells map[string]cache.Digest
}

// proofFormat is the first thing in what a proof depends on.
const proofFormat = "kmx.proof/1"

// Premise is what a proof about the object of an action depends on: everything
// that is in the action's key, with the compiler itself in the place of its whole
// closure, so that it is the same on every machine with that compiler.
func Premise(a engine.Action, tc *toolchains.Toolchain) cache.Digest {
	a.Toolchain = tc.Core
	return cache.Sum([]byte(proofFormat + " " + codeobj.RetargetFormat + " " + a.Key().String()))
}

// A Proven is one premise that the map holds.
type Proven struct {
	Object  cache.Digest
	Version string // of the compiler
}

// Proven are all proofs by what they depend on.
func (p *Proofs) Proven() map[cache.Digest]Proven {
	found := map[cache.Digest]Proven{}
	if p == nil {
		return found
	}
	for _, c := range p.Compilers {
		for _, e := range c.Equal {
			for _, premise := range e.Cells {
				found[premise] = Proven{e.Object, c.Version}
			}
		}
	}
	return found
}

// Addresses are those of all cells in the map, whether their proofs hold or not.
func (p *Proofs) Addresses() map[string]bool {
	all := map[string]bool{}
	for _, c := range p.Compilers {
		for _, e := range c.Equal {
			for point := range e.Cells {
				all[e.Kernel+"@"+point] = true
			}
		}
	}
	return all
}

// Holds counts the cells in the map.
func (p *Proofs) Holds() int {
	n := 0
	if p != nil {
		for _, c := range p.Compilers {
			for _, e := range c.Equal {
				n += len(e.Cells)
			}
		}
	}
	return n
}

// Compiled is a cell with the object that its compiler made.
type Compiled struct {
	Cell    *matrix.Cell
	Premise cache.Digest
	Object  cache.Digest // without its GPU
}

// Update puts what was found about some cells with a compiler into the map, in
// the place of everything that it said of them with that compiler. What it says
// of other cells and compilers stays.
func (p *Proofs) Update(tc *toolchains.Toolchain, found []Compiled) {
	i := slices.IndexFunc(p.Compilers, func(c CompilerProofs) bool { return c.Core == tc.Core })
	if i < 0 {
		i = len(p.Compilers)
		p.Compilers = append(p.Compilers, CompilerProofs{})
	}
	c := CompilerProofs{Version: tc.Kind + " " + tc.Version, Core: tc.Core}
	type class struct {
		kernel string
		object cache.Digest
	}
	cells := map[class]map[string]cache.Digest{}
	put := func(k class, point string, premise cache.Digest) {
		if cells[k] == nil {
			cells[k] = map[string]cache.Digest{}
		}
		cells[k][point] = premise
	}
	again := map[string]bool{}
	for _, f := range found {
		again[f.Cell.Address()] = true
	}
	for _, e := range p.Compilers[i].Equal {
		for point, premise := range e.Cells {
			if !again[e.Kernel+"@"+point] {
				put(class{e.Kernel, e.Object}, point, premise)
			}
		}
	}
	for _, f := range found {
		kernel, point, _ := strings.Cut(f.Cell.Address(), "@")
		put(class{kernel, f.Object}, point, f.Premise)
	}
	for k, of := range cells {
		if distinct(of) > 1 {
			c.Equal = append(c.Equal, Equal{k.kernel, k.object, of})
		}
	}
	slices.SortFunc(c.Equal, func(a, b Equal) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), slices.Compare(Points(a), Points(b)))
	})
	p.Compilers[i] = c
	p.Compilers = slices.DeleteFunc(p.Compilers, func(c CompilerProofs) bool { return len(c.Equal) == 0 })
	slices.SortStableFunc(p.Compilers, func(a, b CompilerProofs) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), slices.Compare(a.Core[:], b.Core[:]))
	})
}

// distinct counts actions: cells that share one are equal without a proof.
func distinct(cells map[string]cache.Digest) int {
	premises := map[cache.Digest]bool{}
	for _, d := range cells {
		premises[d] = true
	}
	return len(premises)
}

// Points are the cells of a class, sorted, by the part of the address behind @.
func Points(e Equal) []string { return slices.Sorted(maps.Keys(e.Cells)) }
