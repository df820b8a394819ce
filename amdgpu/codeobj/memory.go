package codeobj

import "debug/elf"

// memory is what the loader puts at a virtual address: n bytes of one PT_LOAD
// segment, zeros past its part of the file.
func (m *image) memory(addr, n uint64) ([]byte, bool) {
	for _, s := range m.segments {
		if elf.ProgType(s.Type) != elf.PT_LOAD || addr < s.Vaddr || addr-s.Vaddr > s.Memsz || n > s.Memsz-(addr-s.Vaddr) {
			continue
		}
		at := addr - s.Vaddr
		if at+n <= s.Filesz {
			return span(m.data, s.Off+at, n)
		}
		if n > symbolLimit {
			return nil, false
		}
		out := make([]byte, n)
		if at < s.Filesz {
			part, ok := span(m.data, s.Off+at, s.Filesz-at)
			if !ok {
				return nil, false
			}
			copy(out, part)
		}
		return out, true
	}
	return nil, false
}

// symbolLimit bounds the zeros that memory makes up: nothing that is read by
// address (control symbols, descriptors) is larger than a descriptor.
const symbolLimit = 64

// executable says whether an address lies in a segment that holds code.
func (m *image) executable(addr uint64) bool {
	for _, s := range m.segments {
		if elf.ProgType(s.Type) == elf.PT_LOAD && elf.ProgFlag(s.Flags)&elf.PF_X != 0 &&
			addr >= s.Vaddr && addr-s.Vaddr < s.Memsz {
			return true
		}
	}
	return false
}
