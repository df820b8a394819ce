package capture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Capture is a launch just before it happens, or its memory afterwards.
type Capture struct {
	Kernel      string
	Grid, Block [3]uint32 // work-groups; work-items of one
	SharedBytes uint32    // dynamic shared memory asked for
	Args        []byte    // the parameter block

	Allocations []Allocation // by rising Number
	// Pointers are the words of Args that lead into an allocation.
	Pointers []Pointer
	// Textures and Surfaces are the offsets in Args of handles whose contents a
	// capture does not have.
	Textures, Surfaces []int
}

// Allocation is a whole device allocation.
type Allocation struct {
	Number int    // its N in the directory
	Base   uint64 // device address
	Data   []byte
}

// Pointer is a word of the parameter block: byte offset Offset of Args holds
// allocation Number's base plus Delta.
type Pointer struct {
	Offset, Number int
	Delta          uint64
}

// Clone is a deep copy.
func (c *Capture) Clone() *Capture {
	out := *c
	out.Args = bytes.Clone(c.Args)
	out.Allocations = slices.Clone(c.Allocations)
	for i := range out.Allocations {
		out.Allocations[i].Data = bytes.Clone(out.Allocations[i].Data)
	}
	out.Pointers = slices.Clone(c.Pointers)
	out.Textures, out.Surfaces = slices.Clone(c.Textures), slices.Clone(c.Surfaces)
	return &out
}

// Read gives n bytes of memory at a device address, in place. It is the memory
// of the reference model.
func (c *Capture) Read(addr uint64, n int) ([]byte, error) {
	a := c.find(addr)
	switch {
	case n < 0:
		return nil, fmt.Errorf("%d bytes at %#x", n, addr)
	case a == nil:
		return nil, fmt.Errorf("%#x lies in no allocation of the capture", addr)
	case uint64(n) > uint64(len(a.Data))-(addr-a.Base):
		return nil, fmt.Errorf("%d bytes at %#x go past the end of allocation %d (%d bytes at %#x)", n, addr, a.Number, len(a.Data), a.Base)
	}
	at := addr - a.Base
	return a.Data[at : at+uint64(n) : at+uint64(n)], nil
}

// find is the allocation that holds an address, or nil.
func (c *Capture) find(addr uint64) *Allocation {
	for i := range c.Allocations {
		if a := &c.Allocations[i]; addr >= a.Base && addr-a.Base < uint64(len(a.Data)) {
			return a
		}
	}
	return nil
}

// FindPointers sets Pointers from the words of Args, at offsets that are
// multiples of 8, that are addresses within an allocation.
func (c *Capture) FindPointers() {
	c.Pointers = nil
	for at := 0; at+8 <= len(c.Args); at += 8 {
		word := binary.LittleEndian.Uint64(c.Args[at:])
		if a := c.find(word); a != nil {
			c.Pointers = append(c.Pointers, Pointer{at, a.Number, word - a.Base})
		}
	}
}

// overlap names two allocations that share addresses, or is "".
func (c *Capture) overlap() string {
	sorted := slices.Clone(c.Allocations)
	slices.SortFunc(sorted, func(a, b Allocation) int {
		switch {
		case a.Base < b.Base:
			return -1
		case a.Base > b.Base:
			return 1
		}
		return a.Number - b.Number
	})
	for i, b := range sorted {
		if len(b.Data) == 0 {
			continue
		}
		if b.Base+uint64(len(b.Data))-1 < b.Base {
			return fmt.Sprintf("allocation %d ends beyond the address space", b.Number)
		}
		if i > 0 {
			if a := sorted[i-1]; len(a.Data) > 0 && b.Base-a.Base < uint64(len(a.Data)) {
				return fmt.Sprintf("allocations %d and %d share addresses", a.Number, b.Number)
			}
		}
	}
	return ""
}

// Unreplayable says why a launch cannot be run again from what a capture holds,
// or is nil.
func (c *Capture) Unreplayable() error {
	handles := func(what string, at []int) error {
		return fmt.Errorf("%s uses a %s (parameter at offset %d): a capture holds the handle but not what it stands for, so such launches cannot be replayed", c.Kernel, what, at[0])
	}
	switch {
	case len(c.Textures) > 0:
		return handles("texture", c.Textures)
	case len(c.Surfaces) > 0:
		return handles("surface", c.Surfaces)
	}
	for _, p := range c.Pointers {
		if !slices.ContainsFunc(c.Allocations, func(a Allocation) bool { return a.Number == p.Number }) {
			return fmt.Errorf("the parameter at offset %d points into allocation %d, whose copy is missing: capturing it failed", p.Offset, p.Number)
		}
	}
	return nil
}
