package codeobj

import "debug/elf"

// An Arg is one entry of a kernel's parameter block.
type Arg struct {
	Offset, Size int    // bytes
	Kind         string // "by_value", "global_buffer", "hidden_block_count_x", ...
}

// A Segment is a part of the object that a loader puts in memory (PT_LOAD).
type Segment struct {
	Address              uint64 // before relocation by the load address
	Size                 uint64 // bytes in memory; zeros follow Data
	Data                 []byte // the part that is in the file; not to be written
	Writable, Executable bool
}

// A Descriptor is what a launch reads of a kernel's 64-byte descriptor.
type Descriptor struct {
	LDS, Scratch, Kernarg uint32 // bytes; Scratch is for one lane
	Entry                 uint64 // address of the first instruction
	RSRC1, RSRC2          uint32 // COMPUTE_PGM_RSRC1 and 2
	Properties            uint16
}

// Segments returns the loadable segments in file order.
func (o *Object) Segments() []Segment {
	var out []Segment
	if o.image == nil {
		return nil
	}
	for _, s := range o.image.segments {
		if elf.ProgType(s.Type) != elf.PT_LOAD {
			continue
		}
		data, ok := span(o.image.data, s.Off, s.Filesz)
		if !ok {
			continue // Read said so
		}
		flags := elf.ProgFlag(s.Flags)
		out = append(out, Segment{Address: s.Vaddr, Size: s.Memsz, Data: data,
			Writable: flags&elf.PF_W != 0, Executable: flags&elf.PF_X != 0})
	}
	return out
}

// Descriptor finds the descriptor of a kernel of the note.
func (o *Object) Descriptor(kernel string) (Descriptor, bool) {
	k, ok := o.Kernel(kernel)
	if !ok {
		return Descriptor{}, false
	}
	d, s, ok := o.descriptorOf(k)
	if !ok {
		return Descriptor{}, false
	}
	return Descriptor{LDS: d.lds, Scratch: d.scratch, Kernarg: d.kernarg, Entry: s.address + uint64(d.entry),
		RSRC1: d.rsrc1, RSRC2: d.rsrc2, Properties: d.properties}, true
}

// Args lists the parameters of a kernel as the note does.
func (o *Object) Args(kernel string) []Arg {
	k, _ := o.Kernel(kernel)
	return k.args
}

// Address is where a symbol lies before relocation by the load address.
func (s Symbol) Address() uint64 { return s.address }

// arg reads one entry of .args.
func (r *packed) arg() Arg {
	var a Arg
	r.eachKey("an argument", func(key string) {
		switch key {
		case ".offset":
			a.Offset = r.int(key)
		case ".size":
			a.Size = r.int(key)
		case ".value_kind":
			a.Kind = r.str(key)
		default:
			r.skip(key)
		}
	})
	return a
}
