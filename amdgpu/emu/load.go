package emu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// relocation is a place that depends on the load address.
type relocation struct {
	at    uint64 // address of 8 bytes
	value uint64 // to add the load address to
}

// Dynamic relocations of AMDGPU objects (LLVM's AMDGPU ELF documentation).
const (
	relocAbs64      = 3
	relocRelative64 = 13
)

// relocationsOf reads the dynamic relocations with addends.
func relocationsOf(object []byte) ([]relocation, error) {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil, err
	}
	symbols, _ := f.DynamicSymbols() // none is no error: then no relocation names one
	var out []relocation
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		for ; len(data) >= 24; data = data[24:] {
			at, info := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
			addend := binary.LittleEndian.Uint64(data[16:])
			switch kind, symbol := uint32(info), info>>32; {
			case kind == relocRelative64:
				out = append(out, relocation{at, addend})
			case kind == relocAbs64 && symbol > 0 && symbol <= uint64(len(symbols)) && symbols[symbol-1].Section != elf.SHN_UNDEF:
				out = append(out, relocation{at, symbols[symbol-1].Value + addend})
			default:
				return nil, fmt.Errorf("relocation of kind %d at 0x%x is not modelled", kind, at)
			}
		}
	}
	return out, nil
}

// loaded is a program in an address space.
type loaded struct{ base uint64 }

// load puts the program's segments into memory once; variables keep their values
// between launches.
func (m *Memory) load(p *Program) (*loaded, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.images[p.digest]; l != nil {
		return l, nil
	}
	var end uint64
	segments := p.object.Segments()
	for _, s := range segments {
		end = max(end, s.Address+s.Size)
	}
	if end > 1<<32 {
		return nil, fmt.Errorf("the object wants %d bytes of memory", end)
	}
	l := &loaded{base: (m.next + 0xffff) &^ 0xffff}
	m.next = (l.base + end + guardGap + 0xffff) &^ 0xffff
	for i, s := range segments {
		data := make([]byte, s.Size)
		copy(data, s.Data)
		for _, r := range p.relocs {
			if r.at >= s.Address && r.at+8 <= s.Address+s.Size {
				binary.LittleEndian.PutUint64(data[r.at-s.Address:], l.base+r.value)
			}
		}
		what := "constants"
		if s.Executable {
			what = "code"
		} else if s.Writable {
			what = "variables"
		}
		name := fmt.Sprintf("%s of the object (segment %d)", what, i)
		if _, err := m.putLocked(region{name: name, base: l.base + s.Address, data: data, readOnly: !s.Writable}); err != nil {
			return nil, err
		}
	}
	m.images[p.digest] = l
	return l, nil
}

// Variable is the memory of an exported variable or constant of a program in
// this address space, in place. It loads the program if no launch has.
func (m *Memory) Variable(p *Program, name string) ([]byte, error) {
	s, ok := p.object.Symbol(name)
	if !ok || s.Function {
		return nil, fmt.Errorf("the object exports no variable %s", name)
	}
	l, err := m.load(p)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := (&space{m.regions}).find(l.base+s.Address(), s.Size)
	if r == nil {
		return nil, fmt.Errorf("variable %s lies in no segment", name)
	}
	at := l.base + s.Address() - r.base
	return r.data[at : at+s.Size : at+s.Size], nil
}
