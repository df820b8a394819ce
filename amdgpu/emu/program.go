package emu

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"kmx/amdgpu/codeobj"
)

// Program is a code object, decoded. Safe for concurrent use.
type Program struct {
	object *codeobj.Object
	target generation
	wave64 bool
	code   []inst
	index  []int32 // of the instruction at base + 4*i, -1: none begins there
	base   uint64  // address of the first instruction
	relocs []relocation
	places []place // functions by address
	digest [sha256.Size]byte
}

// inst is one instruction, ready to run.
type inst struct {
	run   func(*wave)
	addr  uint64
	size  int
	text  string
	class Class
	vgprs int   // one more than the highest vector register it names
	err   error // why it cannot be run
}

// place is a function.
type place struct {
	addr uint64
	name string
}

type programKey struct {
	digest  [sha256.Size]byte
	objdump string
}

// programs are those decoded last, the newest at the end.
var (
	programsMu sync.Mutex
	programs   []programEntry
)

type programEntry struct {
	programKey
	program *Program
}

// keptPrograms bounds the memory that decoded programs take, a few megabytes
// each.
const keptPrograms = 48

// remembered finds a decoded program and makes it the newest.
func remembered(key programKey) *Program {
	for i, e := range programs {
		if e.programKey == key {
			programs = append(slices.Delete(programs, i, i+1), e)
			return e.program
		}
	}
	return nil
}

// Load reads and decodes a linked code object. objdump is the path of an
// llvm-objdump that knows the object's GPU (see FindObjdump); it runs once for
// each object in a process. An instruction that is not modelled is no error
// here, but a fault when it is reached: Unsupported lists them.
func Load(ctx context.Context, object []byte, objdump string) (*Program, error) {
	key := programKey{sha256.Sum256(object), objdump}
	programsMu.Lock()
	p := remembered(key)
	programsMu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := load(ctx, bytes.Clone(object), objdump)
	if err != nil {
		return nil, err
	}
	p.digest = key.digest
	programsMu.Lock()
	defer programsMu.Unlock()
	if first := remembered(key); first != nil {
		return first, nil
	}
	programs = append(programs, programEntry{key, p})
	if len(programs) > keptPrograms {
		programs = slices.Delete(programs, 0, 1)
	}
	return p, nil
}

func load(ctx context.Context, object []byte, objdump string) (*Program, error) {
	o, err := codeobj.Read(object)
	if err != nil {
		return nil, fmt.Errorf("the object cannot be emulated: %w", err)
	}
	p := &Program{object: o}
	if p.target, err = generationOf(o.Target); err != nil {
		return nil, fmt.Errorf("the object cannot be emulated: %w", err)
	}
	if len(o.Kernels) == 0 {
		return nil, fmt.Errorf("the object has no kernel")
	}
	p.wave64 = o.Kernels[0].WaveSize == 64
	for _, k := range o.Kernels {
		if (k.WaveSize == 64) != p.wave64 {
			return nil, fmt.Errorf("kernels %s and %s have different wave sizes; compile them apart", o.Kernels[0].Name, k.Name)
		}
	}
	if p.relocs, err = relocationsOf(object); err != nil {
		return nil, err
	}
	text, err := disassemble(ctx, object, objdump, p.attributes(false))
	if err == nil && bytes.Contains(text, []byte("/*Invalid register")) {
		// Upper halves of registers look so to a decoder that does not expect them.
		text, err = disassemble(ctx, object, objdump, p.attributes(true))
	}
	if err != nil {
		return nil, err
	}
	if err := p.decode(text); err != nil {
		return nil, err
	}
	return p, nil
}

// Unsupported lists the instructions that the emulator does not model, one line
// each: address, text, reason. Padding between functions does not count.
func (p *Program) Unsupported() []string {
	var out []string
	for _, in := range p.code {
		if in.err != nil {
			out = append(out, fmt.Sprintf("0x%x (%s): %s: %v", in.addr, p.place(in.addr), in.text, in.err))
		}
	}
	return out
}

// Target is the GPU that the object is for: "gfx1201".
func (p *Program) Target() string { return p.object.Target }

// Kernels lists the kernels in the order of the object's note.
func (p *Program) Kernels() []codeobj.Kernel { return slices.Clone(p.object.Kernels) }

// Symbol is the value of an exported 4-byte constant, such as d4r_prep_blocks.
func (p *Program) Symbol(name string) (uint32, bool) {
	s, ok := p.object.Symbol(name)
	return s.Value, ok && s.HasValue
}

// Instructions is the number of instructions in the object.
func (p *Program) Instructions() int { return len(p.code) }
