package codeobj

import (
	"debug/elf"
	"encoding/binary"
	"strings"
)

// noteMetadata is the type of the note of owner "AMDGPU" that holds the
// MessagePack map (NT_AMDGPU_METADATA).
const noteMetadata = 32

// metadata is the content of the note.
type metadata struct {
	target   string // "amdgcn-amd-amdhsa--gfx1201"
	targetAt int    // where it stands in the file
	version  [2]int // 1.1 is code object 4, 1.2 is 5 and 6
	kernels  []Kernel
}

// gpu is the target without triple and feature suffix: "gfx1201".
func (md *metadata) gpu() string {
	name := md.target[strings.LastIndexByte(md.target, '-')+1:]
	if i := strings.LastIndex(md.target, "gfx"); i >= 0 {
		name = md.target[i:] // generic targets hold a dash themselves
	}
	name, _, _ = strings.Cut(name, ":")
	return name
}

// readNote finds the one metadata note among the PT_NOTE segments.
func (m *image) readNote() (*metadata, problems) {
	var ps problems
	var found *metadata
	for _, s := range m.segments {
		if elf.ProgType(s.Type) != elf.PT_NOTE {
			continue
		}
		notes, ok := span(m.data, s.Off, s.Filesz)
		if !ok {
			continue // said by readSegments
		}
		for at := uint64(0); at < uint64(len(notes)); {
			n, ok := oneNote(notes[at:])
			if !ok {
				ps.add("corrupt: the note at offset 0x%x reaches beyond its segment", s.Off+at)
				break
			}
			if n.owner == "AMDGPU" && n.kind == noteMetadata {
				if found != nil {
					ps.add("corrupt: a second AMDGPU metadata note at offset 0x%x", s.Off+at)
					break
				}
				var err error
				if found, err = parseMetadata(n.desc); err != nil {
					ps.add("corrupt: AMDGPU metadata at offset 0x%x, %v", s.Off+at+n.start, err)
					return nil, ps
				}
				found.targetAt += int(s.Off + at + n.start)
			}
			at += n.size
		}
	}
	if found == nil && len(ps) == 0 && len(m.segments) > 0 {
		ps.add("corrupt: there is no AMDGPU metadata note (PT_NOTE, owner AMDGPU, type %d)", noteMetadata)
	}
	return found, ps
}

// note is one ELF note.
type note struct {
	owner string
	kind  uint32
	desc  []byte
	start uint64 // of desc, from the beginning of the note
	size  uint64 // of the whole note with padding
}

// oneNote takes the first note of b apart.
func oneNote(b []byte) (note, bool) {
	if len(b) < 12 {
		return note{}, false
	}
	ownerLen, descLen := uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:]))
	n := note{kind: binary.LittleEndian.Uint32(b[8:]), start: 12 + (ownerLen+3)&^3}
	owner, okOwner := span(b, 12, ownerLen)
	desc, okDesc := span(b, n.start, descLen)
	n.owner, n.desc = strings.TrimRight(string(owner), "\x00"), desc
	n.size = min(n.start+(descLen+3)&^3, uint64(len(b))) // the last one may lack its padding
	return n, okOwner && okDesc
}

// parseMetadata reads the MessagePack map. Errors carry the offset in desc.
func parseMetadata(desc []byte) (*metadata, error) {
	md := &metadata{}
	r := &packed{rest: desc, size: len(desc)}
	seen := map[string]bool{}
	r.eachKey("the metadata", func(key string) {
		seen[key] = true
		switch key {
		case "amdhsa.target":
			md.target = r.str(key)
			md.targetAt = r.size - len(r.rest) - len(md.target)
		case "amdhsa.version":
			var list []int
			r.eachItem(key, func() { list = append(list, r.int(key)) })
			if len(list) == 2 {
				md.version = [2]int{list[0], list[1]}
			} else {
				r.fail("%s has %d numbers, not 2", key, len(list))
			}
		case "amdhsa.kernels":
			r.eachItem(key, func() { md.kernels = append(md.kernels, r.kernel()) })
		default:
			r.skip(key)
		}
	})
	for _, key := range []string{"amdhsa.target", "amdhsa.version", "amdhsa.kernels"} {
		if !seen[key] {
			r.fail("%s is missing", key)
		}
	}
	if r.err == nil && len(r.rest) > 0 {
		r.fail("%d bytes follow the metadata", len(r.rest))
	}
	return md, r.err
}

// kernel reads one entry of amdhsa.kernels.
func (r *packed) kernel() Kernel {
	k := Kernel{WaveSize: -1, VGPRs: -1, SGPRs: -1, Kernarg: -1, LDS: -1, Scratch: -1, MaxWorkgroup: -1}
	numbers := map[string]*int{
		".vgpr_count": &k.VGPRs, ".sgpr_count": &k.SGPRs,
		".vgpr_spill_count": &k.VGPRSpills, ".sgpr_spill_count": &k.SGPRSpills,
		".private_segment_fixed_size": &k.Scratch, ".group_segment_fixed_size": &k.LDS,
		".kernarg_segment_size": &k.Kernarg, ".wavefront_size": &k.WaveSize,
		".max_flat_workgroup_size": &k.MaxWorkgroup,
	}
	r.eachKey("a kernel", func(key string) {
		switch {
		case numbers[key] != nil:
			*numbers[key] = r.int(key)
		case key == ".name":
			k.Name = r.str(key)
		case key == ".symbol":
			k.descriptor = r.str(key)
		case key == ".uses_dynamic_stack":
			k.DynamicStack = r.bool(key)
		case key == ".workgroup_processor_mode":
			k.WGPMode = r.int(key) != 0
		case key == ".args":
			r.eachItem(key, func() { k.args = append(k.args, r.arg()) })
		default:
			r.skip(key)
		}
	})
	if k.Name == "" || k.descriptor == "" {
		r.fail("a kernel has no .name or no .symbol")
	}
	for _, key := range []string{".vgpr_count", ".sgpr_count", ".private_segment_fixed_size", ".group_segment_fixed_size",
		".kernarg_segment_size", ".wavefront_size", ".max_flat_workgroup_size"} {
		if *numbers[key] < 0 {
			r.fail("kernel %s has no %s", k.Name, key)
		}
	}
	return k
}
