// Package codeobjtest writes small AMDGPU code objects for tests: sound ones,
// and ones with exactly one thing wrong. No compiler is needed and the code in
// them is not meant to run. It belongs to tests only.
package codeobjtest

// Machines are the low bytes of e_flags for the targets of d4r.
var Machines = map[string]uint32{
	"gfx1100": 0x41, "gfx1101": 0x46, "gfx1102": 0x47, "gfx1103": 0x44, "gfx1200": 0x48, "gfx1201": 0x4e,
}

// An Object is what Bytes writes. Change any field of what New returns.
type Object struct {
	Flags   uint32
	ABI     byte
	Target  string // in the note: "amdgcn-amd-amdhsa--gfx1201"
	Version [2]int // in the note
	Kernels []Kernel
	Vars    []Var
	Comment string
	Extra   func(b []byte) []byte // more pairs in the note's map, one map entry each
	Text    []byte                // code of each kernel; nil is a few bytes
}

// A Kernel is a kernel in note, symbols and descriptor.
type Kernel struct {
	Name                      string
	VGPRs, SGPRs              int
	VGPRSpills, SGPRSpills    int
	Scratch, LDS, Kernarg     int
	Wave, MaxWorkgroup        int
	DynamicStack, CUMode      bool
	NoNote, NoCode, NoDesc    bool            // leave the kernel out of the note, or one of its symbols
	LocalCode                 bool            // the function is in .symtab only
	Descriptor                func(kd []byte) // edits the 64 bytes
	Note                      map[string]int  // replaces or adds numbers of the note; -1 removes
	DescriptorSize, EntryMove uint64          // 0: 64 bytes, entry at the code
}

// A Var is an exported variable.
type Var struct {
	Name      string
	Value     uint32
	Size      uint64 // 0 is 4
	Zero      bool   // in .bss
	Local     bool   // in .symtab only
	Hidden    bool   // hidden visibility, in .symtab only
	Undefined bool
}

// New is a sound object for a target of d4r: kernel name of wave size 32 with
// launch bound 128, its prep kernel, and the control symbols of d4r.
func New(name, target string) *Object {
	k := Kernel{Name: name, VGPRs: 96, SGPRs: 18, LDS: 8192, Kernarg: 96, Wave: 32, MaxWorkgroup: 128}
	prep := Kernel{Name: name + "_prep", VGPRs: 12, SGPRs: 8, Kernarg: 96, Wave: 32, MaxWorkgroup: 128}
	return &Object{
		Flags: Machines[target], ABI: 3, Target: "amdgcn-amd-amdhsa--" + target, Version: [2]int{1, 2},
		Kernels: []Kernel{k, prep},
		Vars:    []Var{{Name: "d4r_prep_blocks", Value: 40}, {Name: "d4r_block_z", Value: 4}, {Name: "d4r_prep_key_at", Zero: true}},
		Comment: "Linker: test\x00",
	}
}
