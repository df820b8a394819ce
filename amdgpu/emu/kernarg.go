package emu

import (
	"encoding/binary"
	"fmt"
)

// What a kernel is handed in memory: the parameter block and the packet.

// parameterBlock lays out explicit and hidden arguments.
func (r *dispatch) parameterBlock() ([]byte, error) {
	block := make([]byte, max(r.kernel.Kernarg, int(r.descriptor.Kernarg)))
	end := 0
	args := r.program.object.Args(r.kernel.Name)
	for _, a := range args {
		if a.Offset < 0 || a.Size < 0 || a.Offset+a.Size > len(block) {
			return nil, fmt.Errorf("argument %s of kernel %s lies outside the parameter block", a.Kind, r.kernel.Name)
		}
		if !hidden(a.Kind) {
			end = max(end, a.Offset+a.Size)
		}
	}
	// A struct's tail padding may be left out.
	if (len(r.launch.Args)+7)&^7 < end || len(r.launch.Args) > len(block) {
		return nil, fmt.Errorf("kernel %s has %d bytes of explicit parameters, the launch gives %d", r.kernel.Name, end, len(r.launch.Args))
	}
	copy(block, r.launch.Args)
	for _, a := range args {
		if !hidden(a.Kind) {
			continue
		}
		v, ok := r.hiddenValue(a.Kind)
		if !ok {
			return nil, fmt.Errorf("kernel %s wants the argument %s, which is not modelled", r.kernel.Name, a.Kind)
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		copy(block[a.Offset:a.Offset+a.Size], b[:])
	}
	return block, nil
}

func hidden(kind string) bool { return len(kind) > 7 && kind[:7] == "hidden_" }

// hiddenValue is an argument that the runtime adds.
func (r *dispatch) hiddenValue(kind string) (uint64, bool) {
	axis := int(kind[len(kind)-1] - 'x')
	switch kind {
	case "hidden_block_count_x", "hidden_block_count_y", "hidden_block_count_z":
		return uint64(r.launch.Grid[axis]), true
	case "hidden_group_size_x", "hidden_group_size_y", "hidden_group_size_z":
		return uint64(r.launch.Block[axis]), true
	case "hidden_grid_dims":
		dims := uint64(1)
		for i := range 3 {
			if r.launch.Grid[i] > 1 || r.launch.Block[i] > 1 {
				dims = uint64(i + 1)
			}
		}
		return dims, true
	case "hidden_private_base":
		return privateAperture >> 32, true
	case "hidden_shared_base":
		return sharedAperture >> 32, true
	case "hidden_dynamic_lds_size":
		return uint64(r.launch.DynamicLDS), true
	case "hidden_remainder_x", "hidden_remainder_y", "hidden_remainder_z", // grids of whole work-groups
		"hidden_global_offset_x", "hidden_global_offset_y", "hidden_global_offset_z", "hidden_none",
		// services of a runtime, which are not there
		"hidden_hostcall_buffer", "hidden_printf_buffer", "hidden_multigrid_sync_arg", "hidden_heap_v1", "hidden_default_queue",
		"hidden_completion_action", "hidden_queue_ptr":
		return 0, true
	}
	return 0, false
}

// dispatchPacket is the AQL packet, which kernels of code object 4 read.
func (r *dispatch) dispatchPacket() []byte {
	b := make([]byte, 64)
	le := binary.LittleEndian
	for i := range 3 {
		le.PutUint16(b[4+2*i:], uint16(r.launch.Block[i]))
		le.PutUint32(b[12+4*i:], r.launch.Grid[i]*r.launch.Block[i])
	}
	le.PutUint16(b[2:], 3) // dimensions
	le.PutUint32(b[24:], uint32(r.kernel.Scratch))
	le.PutUint32(b[28:], uint32(r.lds))
	le.PutUint64(b[40:], r.kernarg)
	return b
}
