package codeobjtest

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/tinylib/msgp/msgp"
)

// note writes the ELF note with its MessagePack map.
func (o *Object) note() []byte {
	var kernels [][]byte
	for _, k := range o.Kernels {
		if !k.NoNote {
			kernels = append(kernels, k.note())
		}
	}
	pairs := uint32(3)
	var extra []byte
	if o.Extra != nil {
		extra, pairs = o.Extra(nil), pairs+1
	}
	b := msgp.AppendMapHeader(nil, pairs)
	b = msgp.AppendString(b, "amdhsa.kernels")
	b = msgp.AppendArrayHeader(b, uint32(len(kernels)))
	for _, k := range kernels {
		b = append(b, k...)
	}
	b = msgp.AppendString(b, "amdhsa.target")
	b = msgp.AppendString(b, o.Target)
	b = msgp.AppendString(b, "amdhsa.version")
	b = msgp.AppendArrayHeader(b, 2)
	b = msgp.AppendInt(msgp.AppendInt(b, o.Version[0]), o.Version[1])
	b = append(b, extra...)

	n := binary.LittleEndian.AppendUint32(nil, 7)
	n = binary.LittleEndian.AppendUint32(n, uint32(len(b)))
	n = binary.LittleEndian.AppendUint32(n, 32)
	n = append(n, "AMDGPU\x00\x00"...)
	n = append(n, b...)
	for len(n)%4 != 0 {
		n = append(n, 0)
	}
	return n
}

func (k Kernel) note() []byte {
	numbers := map[string]int{
		".vgpr_count": k.VGPRs, ".sgpr_count": k.SGPRs, ".vgpr_spill_count": k.VGPRSpills, ".sgpr_spill_count": k.SGPRSpills,
		".private_segment_fixed_size": k.Scratch, ".group_segment_fixed_size": k.LDS,
		".kernarg_segment_size": k.Kernarg, ".kernarg_segment_align": 8,
		".wavefront_size": k.Wave, ".max_flat_workgroup_size": k.MaxWorkgroup, ".workgroup_processor_mode": 1,
	}
	if k.CUMode {
		numbers[".workgroup_processor_mode"] = 0
	}
	for key, v := range k.Note {
		if numbers[key] = v; v < 0 {
			delete(numbers, key)
		}
	}
	keys := slices.Sorted(maps.Keys(numbers))
	b := msgp.AppendMapHeader(nil, uint32(len(keys)+4))
	b = msgp.AppendString(b, ".args")
	b = msgp.AppendArrayHeader(b, 1)
	b = msgp.AppendMapHeader(b, 1)
	b = msgp.AppendString(b, ".offset")
	b = msgp.AppendInt(b, 0)
	for _, key := range keys {
		b = msgp.AppendString(b, key)
		b = msgp.AppendInt(b, numbers[key])
	}
	b = msgp.AppendString(b, ".name")
	b = msgp.AppendString(b, k.Name)
	b = msgp.AppendString(b, ".symbol")
	b = msgp.AppendString(b, k.Name+".kd")
	b = msgp.AppendString(b, ".uses_dynamic_stack")
	return msgp.AppendBool(b, k.DynamicStack)
}
