package capture

import (
	"encoding/binary"
	"fmt"
	"slices"

	"kmx/amdgpu/codeobj"
)

// Hook is what a code object asks of the runtime that puts its kernel in the
// place of another, by the values of exported symbols.
type Hook struct {
	Kernel string
	Prep   bool // there is a kernel NAME_prep
	// PrepBlocks is the grid of the prep kernel, in blocks of PrepThreads.
	PrepBlocks uint32
	// KeyAt is the offset of the key in the parameter block, -1 for no key.
	KeyAt int
	// Slots is how many keys are remembered; with 0, the last one is.
	Slots uint32
	// BlockZ and GridX replace the launch's values when they are not 0; GridX
	// makes the grid (GridX, 1, 1).
	BlockZ, GridX uint32
}

// PrepThreads is the block size of every prep kernel.
const PrepThreads = 128

// HookOf reads the hook of a kernel from its object.
func HookOf(o *codeobj.Object, kernel string) (Hook, error) {
	symbols := o.Hook()
	h := Hook{Kernel: kernel, KeyAt: -1, PrepBlocks: symbols["prep_blocks"], Slots: symbols["prep_key_slots"],
		BlockZ: symbols["block_z"], GridX: symbols["grid_x"]}
	if _, ok := o.Kernel(kernel); !ok {
		var names []string
		for _, k := range o.Kernels {
			names = append(names, k.Name)
		}
		slices.Sort(names)
		return h, fmt.Errorf("the object has no kernel %s; it has %v", kernel, names)
	}
	if _, ok := o.Kernel(kernel + "_post1"); ok {
		return h, fmt.Errorf("the object has %s_post1: phases after the kernel are not replayed", kernel)
	}
	_, h.Prep = o.Kernel(kernel + "_prep")
	if h.Prep && h.PrepBlocks == 0 {
		return h, fmt.Errorf("the object has %s_prep but its d4r_prep_blocks is 0 or missing", kernel)
	}
	switch at, offset := symbols["prep_key_at"], symbols["prep_key_offset"]; {
	case at > 0:
		h.KeyAt = int(at) - 1
	case offset > 0:
		h.KeyAt = int(offset)
	}
	return h, nil
}

// PrepState is what the runtime remembers of prep launches of one kernel. The
// zero value remembers nothing.
type PrepState struct {
	last  uint64
	valid bool
	seen  []uint64
}

// Prepares says whether the prep kernel runs before a launch with this parameter
// block, and remembers it.
//
// Without a key, or when the key is 0, it always runs. With one remembered key it
// runs when the key differs from the last launch's. With N slots the first N
// different keys are prepared once each; any other key is prepared every time,
// because it has no slot of its own.
func (h Hook) Prepares(s *PrepState, args []byte) (bool, error) {
	if !h.Prep {
		return false, nil
	}
	if h.KeyAt < 0 {
		return true, nil
	}
	if h.KeyAt+8 > len(args) {
		return false, fmt.Errorf("the prep key of %s is at offset %d, the launch has %d bytes of parameters", h.Kernel, h.KeyAt, len(args))
	}
	key := binary.LittleEndian.Uint64(args[h.KeyAt:])
	switch {
	case key == 0:
		return true, nil
	case h.Slots == 0:
		run := !s.valid || s.last != key
		s.last, s.valid = key, true
		return run, nil
	case slices.Contains(s.seen, key):
		return false, nil
	case len(s.seen) < int(h.Slots):
		s.seen = append(s.seen, key)
	}
	return true, nil
}

// Shape is the launch that the hook makes of the original one.
func (h Hook) Shape(grid, block [3]uint32) (g, b [3]uint32) {
	if h.GridX != 0 {
		grid = [3]uint32{h.GridX, 1, 1}
	}
	if h.BlockZ != 0 {
		block[2] = h.BlockZ
	}
	return grid, block
}
