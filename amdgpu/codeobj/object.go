package codeobj

import (
	"debug/elf"
	"slices"
	"strings"
)

// An Object is what a code object says about itself.
type Object struct {
	Target            string // GPU in the ELF flags: "gfx1201"
	NoteTarget        string // GPU in the note; equal to Target in a sound object
	Flags             uint32 // e_flags
	ABIVersion        int    // EI_ABIVERSION: 2, 3, 4
	CodeObjectVersion int    // 4, 5, 6; 0 when the ABI version is none of these
	Size              int64  // bytes of the file
	Kernels           []Kernel
	Symbols           []Symbol // exported, in the order of .dynsym

	image *image
	table symbolTable
	meta  *metadata // nil when the note could not be read
}

// A Kernel is one entry point with the resources that its note states.
type Kernel struct {
	Name         string
	VGPRs, SGPRs int // registers in use
	VGPRSpills   int
	SGPRSpills   int
	Scratch      int // bytes per lane
	LDS          int // bytes per work-group, fixed part
	Kernarg      int // bytes of the parameter block, hidden arguments included
	WaveSize     int // 32 or 64
	MaxWorkgroup int // most work-items of a work-group it may be launched with
	CodeBytes    int // size of its code, 0 when the function symbol is missing
	DynamicStack bool
	WGPMode      bool // work-groups spread over both CUs of a WGP; false: CU mode
	// AllocatedVGPRs is what the descriptor asks the hardware for: VGPRs rounded
	// up to 8 (wave64: 4), or more where the compiler was told a wave count.
	// 0 when there is no descriptor.
	AllocatedVGPRs int

	descriptor string // symbol name, NAME.kd
	args       []Arg
}

// Read reads an object. The error lists all damage, one problem a line; with
// damage the object is what could still be read, nil when that is nothing.
// Read does not compare the object with anything: Check does.
func Read(data []byte) (*Object, error) {
	o, ps := read(data)
	if len(ps) > 0 {
		return o, damage(ps)
	}
	return o, nil
}

func read(data []byte) (*Object, problems) {
	m, ps := openImage(data)
	if m == nil {
		return nil, ps
	}
	o := &Object{
		Target: targetOf(m.flags), Flags: m.flags, ABIVersion: m.abi, CodeObjectVersion: versionOf(m.abi),
		Size: int64(len(data)), image: m,
	}
	if m.cut {
		return o, ps
	}
	var more problems
	o.table, more = m.readSymbols()
	ps = append(ps, more...)
	o.Symbols = o.table.exported
	o.meta, more = m.readNote()
	ps = append(ps, more...)
	if o.meta != nil {
		o.NoteTarget, o.Kernels = o.meta.gpu(), o.meta.kernels
	}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		if f, ok := o.Symbol(k.Name); ok && f.Function && f.Size <= uint64(len(data)) {
			k.CodeBytes = int(f.Size)
		}
		if d, _, ok := o.descriptorOf(*k); ok {
			k.AllocatedVGPRs = d.vgprs(k.WaveSize)
		}
		if slices.ContainsFunc(o.Kernels[:i], func(other Kernel) bool { return other.Name == k.Name }) {
			ps.add("corrupt: the note lists kernel %s twice", k.Name)
		}
	}
	return o, ps
}

// WithoutBytes is the object without the bytes that it was read from, which may
// be used for something else then: what its fields say stays, there is no code in
// it any more.
func (o *Object) WithoutBytes() *Object {
	c := *o
	c.image, c.table, c.meta = nil, symbolTable{}, nil
	return &c
}

// Kernel finds a kernel of the note by name.
func (o *Object) Kernel(name string) (Kernel, bool) {
	i := slices.IndexFunc(o.Kernels, func(k Kernel) bool { return k.Name == name })
	if i < 0 {
		return Kernel{}, false
	}
	return o.Kernels[i], true
}

// Symbol finds an exported symbol by name.
func (o *Object) Symbol(name string) (Symbol, bool) {
	i := slices.IndexFunc(o.Symbols, func(s Symbol) bool { return s.Name == name })
	if i < 0 {
		return Symbol{}, false
	}
	return o.Symbols[i], true
}

// Hook returns the control symbols that the launch hook would read: exported
// 4-byte data named d4r_*, by name without that prefix.
func (o *Object) Hook() map[string]uint32 {
	hook := map[string]uint32{}
	for _, s := range o.Symbols {
		if name, ok := strings.CutPrefix(s.Name, hookPrefix); ok && s.HasValue {
			hook[name] = s.Value
		}
	}
	return hook
}

// Text returns the code bytes: the contents of the executable sections, in file
// order. Two objects with equal Text run the same instructions.
func (o *Object) Text() []byte {
	return o.gather(func(s section) bool {
		return elf.SectionFlag(s.Flags)&elf.SHF_EXECINSTR != 0
	})
}

// Data returns the loaded constants and initialised variables (.rodata, .data
// and their like), kernel descriptors included, without notes, symbol tables
// and what only the loader reads. Text and Data equal: the objects differ in
// metadata only.
func (o *Object) Data() []byte {
	return o.gather(func(s section) bool {
		return elf.SectionType(s.Type) == elf.SHT_PROGBITS && elf.SectionFlag(s.Flags)&elf.SHF_ALLOC != 0 &&
			elf.SectionFlag(s.Flags)&elf.SHF_EXECINSTR == 0
	})
}

func (o *Object) gather(take func(section) bool) []byte {
	var out []byte
	if o.image == nil {
		return nil
	}
	room := len(o.image.data) // overlapping sections of a hostile file add up to no more
	for _, s := range o.image.sections {
		if take(s) && len(s.body) <= room {
			out, room = append(out, s.body...), room-len(s.body)
		}
	}
	return out
}
