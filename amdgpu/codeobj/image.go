package codeobj

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// machineAMDGPU is e_machine of an AMDGPU object (EM_AMDGPU).
const machineAMDGPU = 224

// osABI is EI_OSABI of the HSA runtime (ELFOSABI_AMDGPU_HSA).
const osABI = 64

const (
	headerSize  = 64
	segmentSize = 56
	sectionSize = 64
	symbolSize  = 24
)

// image is the ELF file with its tables, every extent checked against its end.
type image struct {
	data     []byte
	flags    uint32
	abi      int
	segments []elf.Prog64
	sections []section
	cut      bool // a table is outside the file: nothing after the header was read
}

type section struct {
	elf.Section64
	name string
	body []byte // nil for SHT_NOBITS and for what lies outside the file
}

// span is a checked data[off:off+size].
func span(data []byte, off, size uint64) ([]byte, bool) {
	if off > uint64(len(data)) || size > uint64(len(data))-off {
		return nil, false
	}
	return data[off : off+size : off+size], true
}

// openImage returns nil when not even the header names an AMDGPU object.
func openImage(data []byte) (*image, problems) {
	var ps problems
	if p, ok := notELF(data); !ok {
		return nil, append(ps, p)
	}
	if len(data) < headerSize {
		ps.add("truncated: the file has %d bytes and its ELF header needs %d", len(data), headerSize)
		return nil, ps
	}
	if data[elf.EI_CLASS] != byte(elf.ELFCLASS64) || data[elf.EI_DATA] != byte(elf.ELFDATA2LSB) {
		ps.add("not a 64-bit little-endian ELF file (class %d, data %d at offset 4)", data[elf.EI_CLASS], data[elf.EI_DATA])
		return nil, ps
	}
	var h elf.Header64
	decode(data[:headerSize], &h)
	if h.Machine != machineAMDGPU {
		ps.add("not an AMDGPU object: the ELF machine at offset 18 is %d (%v), AMDGPU is %d",
			h.Machine, elf.Machine(h.Machine), machineAMDGPU)
		return nil, ps
	}
	m := &image{data: data, flags: h.Flags, abi: int(h.Ident[elf.EI_ABIVERSION])}
	if h.Ident[elf.EI_OSABI] != osABI {
		ps.differ(osABI, h.Ident[elf.EI_OSABI], "the OS ABI at offset 7 is not the HSA runtime's")
	}
	if elf.Type(h.Type) != elf.ET_DYN {
		ps.differ("ET_DYN", elf.Type(h.Type), "not a linked object (ELF type at offset 16)")
	}
	for _, table := range []struct {
		what      string
		off, size uint64
	}{
		{"the program header table", h.Phoff, uint64(h.Phnum) * segmentSize},
		{"the section header table", h.Shoff, uint64(h.Shnum) * sectionSize},
	} {
		if _, ok := span(data, table.off, table.size); !ok {
			m.outside(&ps, table.what, table.off, table.size)
			m.cut = true
		}
	}
	if !m.cut {
		m.readSegments(&h, &ps)
		m.readSections(&h, &ps)
		m.checkEnd(&h, &ps)
	}
	return m, ps
}

// notELF recognises what is most often found in an object's place.
func notELF(data []byte) (Problem, bool) {
	for _, k := range []struct{ magic, what string }{
		{"__CLANG_OFFLOAD_BUNDLE__", "a clang offload bundle; the raw object is needed (compile with --no-gpu-bundle-output)"},
		{"CCOB", "a compressed clang offload bundle; the raw object is needed (compile with --no-gpu-bundle-output)"},
		{"BC\xc0\xde", "LLVM bitcode; a linked object is needed"},
	} {
		if bytes.HasPrefix(data, []byte(k.magic)) {
			return Problem{What: "this is " + k.what}, false
		}
	}
	switch {
	case len(data) == 0:
		return Problem{What: "truncated: the file is empty"}, false
	case bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		return Problem{}, true
	case len(data) < len(elf.ELFMAG):
		return Problem{What: fmt.Sprintf("truncated: the file has %d bytes and its ELF header needs %d", len(data), headerSize)}, false
	}
	return Problem{What: fmt.Sprintf("not an ELF file: it begins with % x", data[:4])}, false
}

func (m *image) readSegments(h *elf.Header64, ps *problems) {
	if h.Phnum == 0 {
		ps.add("corrupt: there are no program headers, so nothing would be loaded")
		return
	}
	if h.Phentsize != segmentSize {
		ps.differ(segmentSize, h.Phentsize, "corrupt: size of a program header at offset 54")
		return
	}
	table, _ := span(m.data, h.Phoff, uint64(h.Phnum)*segmentSize)
	m.segments = make([]elf.Prog64, h.Phnum)
	decode(table, m.segments)
	for i := range m.segments {
		s := &m.segments[i]
		if _, ok := span(m.data, s.Off, s.Filesz); !ok {
			m.outside(ps, fmt.Sprintf("segment %d (%v)", i, elf.ProgType(s.Type)), s.Off, s.Filesz)
		}
		if elf.ProgType(s.Type) == elf.PT_LOAD && (s.Filesz > s.Memsz || s.Vaddr+s.Memsz < s.Vaddr) {
			ps.add("corrupt: segment %d has 0x%x bytes in the file and 0x%x in memory at 0x%x", i, s.Filesz, s.Memsz, s.Vaddr)
		}
	}
}

func (m *image) readSections(h *elf.Header64, ps *problems) {
	if h.Shnum == 0 {
		ps.add("corrupt: there is no section header table")
		return
	}
	if h.Shentsize != sectionSize {
		ps.differ(sectionSize, h.Shentsize, "corrupt: size of a section header at offset 58")
		return
	}
	table, _ := span(m.data, h.Shoff, uint64(h.Shnum)*sectionSize)
	raw := make([]elf.Section64, h.Shnum)
	decode(table, raw)
	m.sections = make([]section, h.Shnum)
	for i := range raw {
		m.sections[i].Section64 = raw[i]
	}
	var names []byte
	if int(h.Shstrndx) < len(raw) {
		names, _ = span(m.data, raw[h.Shstrndx].Off, raw[h.Shstrndx].Size)
	}
	for i := range m.sections {
		s := &m.sections[i]
		var ok bool
		if s.name, ok = text(names, s.Name); !ok && i > 0 {
			ps.add("corrupt: section %d has its name at 0x%x, outside the name table", i, s.Name)
		}
		if t := elf.SectionType(s.Type); t == elf.SHT_NULL || t == elf.SHT_NOBITS {
			continue
		}
		if s.body, ok = span(m.data, s.Off, s.Size); !ok {
			m.outside(ps, fmt.Sprintf("section %d (%s)", i, s.name), s.Off, s.Size)
		}
	}
}

// checkEnd refuses bytes that no table accounts for: two files run together.
func (m *image) checkEnd(h *elf.Header64, ps *problems) {
	if len(*ps) > 0 {
		return
	}
	end := max(headerSize, h.Phoff+uint64(h.Phnum)*segmentSize, h.Shoff+uint64(h.Shnum)*sectionSize)
	for _, s := range m.sections {
		if s.body != nil {
			end = max(end, s.Off+s.Size)
		}
	}
	for _, s := range m.segments {
		end = max(end, s.Off+s.Filesz)
	}
	if end < uint64(len(m.data)) {
		ps.add("corrupt: the object ends at offset 0x%x and the file goes on for %d bytes", end, uint64(len(m.data))-end)
	}
}

// outside words a part that lies beyond the end of the file.
func (m *image) outside(ps *problems, what string, off, size uint64) {
	ps.add("truncated or corrupt: %s needs 0x%x bytes from offset 0x%x and the file ends at 0x%x", what, size, off, len(m.data))
}

// text is the NUL-terminated string at an offset of a string table.
func text(table []byte, at uint32) (string, bool) {
	if uint64(at) >= uint64(len(table)) {
		return "", false
	}
	s, _, ended := bytes.Cut(table[at:], []byte{0})
	return string(s), ended
}

// decode fills a fixed-size value from exactly its bytes.
func decode(b []byte, v any) {
	// the callers pass as many bytes as v has, the only way in which this fails
	_, _ = binary.Decode(b, binary.LittleEndian, v)
}
