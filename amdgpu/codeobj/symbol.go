package codeobj

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"
)

// A Symbol is something that an object exports (.dynsym, defined, global or
// weak, not hidden), which is what a loader can look up by name.
type Symbol struct {
	Name     string
	Function bool   // a kernel's code; otherwise data
	Size     uint64 // bytes
	Value    uint32 // content of a 4-byte data symbol, when HasValue
	HasValue bool
	address  uint64
}

// symbolTable keeps what was found in both tables.
type symbolTable struct {
	exported  []Symbol
	local     map[string]string // name -> why it is not exported, from .symtab
	undefined []string
	hasDyn    bool
}

func (m *image) readSymbols() (symbolTable, problems) {
	var ps problems
	t := symbolTable{local: map[string]string{}}
	for i := range m.sections {
		switch elf.SectionType(m.sections[i].Type) {
		case elf.SHT_DYNSYM:
			t.hasDyn = true
			m.eachSymbol(i, &ps, func(name string, s elf.Sym64) {
				m.addExport(&t, &ps, name, s)
			})
		case elf.SHT_SYMTAB:
			m.eachSymbol(i, &ps, func(name string, s elf.Sym64) {
				t.addLocal(name, s)
			})
		}
	}
	if !t.hasDyn && len(m.sections) > 0 {
		ps.add("corrupt: there is no dynamic symbol table (.dynsym), so no kernel can be found")
	}
	return t, ps
}

// eachSymbol visits the named symbols of one table.
func (m *image) eachSymbol(index int, ps *problems, visit func(string, elf.Sym64)) {
	s := m.sections[index]
	if s.body == nil {
		return // said already, or empty
	}
	if s.Entsize != symbolSize || len(s.body)%symbolSize != 0 {
		ps.add("corrupt: section %d (%s) has 0x%x bytes in entries of %d, a symbol has %d", index, s.name, len(s.body), s.Entsize, symbolSize)
		return
	}
	if uint64(s.Link) >= uint64(len(m.sections)) {
		ps.add("corrupt: section %d (%s) takes its names from section %d of %d", index, s.name, s.Link, len(m.sections))
		return
	}
	names := m.sections[s.Link].body
	for at := symbolSize; at < len(s.body); at += symbolSize {
		b := s.body[at : at+symbolSize]
		sym := elf.Sym64{
			Name: binary.LittleEndian.Uint32(b), Info: b[4], Other: b[5], Shndx: binary.LittleEndian.Uint16(b[6:]),
			Value: binary.LittleEndian.Uint64(b[8:]), Size: binary.LittleEndian.Uint64(b[16:]),
		}
		name, ok := text(names, sym.Name)
		if !ok {
			ps.add("corrupt: the symbol at offset 0x%x has its name at 0x%x, outside the name table", s.Off+uint64(at), sym.Name)
			continue
		}
		if name != "" {
			visit(name, sym)
		}
	}
}

func (m *image) addExport(t *symbolTable, ps *problems, name string, s elf.Sym64) {
	bind, typ, vis := elf.ST_BIND(s.Info), elf.ST_TYPE(s.Info), elf.ST_VISIBILITY(s.Other)
	if elf.SectionIndex(s.Shndx) == elf.SHN_UNDEF {
		t.undefined = append(t.undefined, name)
		return
	}
	if bind == elf.STB_LOCAL || vis == elf.STV_HIDDEN || vis == elf.STV_INTERNAL {
		t.local[name] = fmt.Sprintf("%s %s", bindName(bind), visName(vis))
		return
	}
	sym := Symbol{Name: name, Function: typ == elf.STT_FUNC, Size: s.Size, address: s.Value}
	if !sym.Function && s.Size == 4 {
		b, ok := m.memory(s.Value, 4)
		if ok {
			sym.Value, sym.HasValue = binary.LittleEndian.Uint32(b), true
		} else {
			ps.add("corrupt: %s lies at 0x%x, in no loaded segment", name, s.Value)
		}
	}
	t.exported = append(t.exported, sym)
}

func (t *symbolTable) addLocal(name string, s elf.Sym64) {
	bind, vis := elf.ST_BIND(s.Info), elf.ST_VISIBILITY(s.Other)
	if elf.SectionIndex(s.Shndx) == elf.SHN_UNDEF && bind != elf.STB_LOCAL {
		t.undefined = append(t.undefined, name)
		return
	}
	if bind == elf.STB_LOCAL || vis == elf.STV_HIDDEN || vis == elf.STV_INTERNAL {
		t.local[name] = fmt.Sprintf("%s %s", bindName(bind), visName(vis))
	}
}

func bindName(b elf.SymBind) string { return strings.TrimPrefix(b.String(), "STB_") }
func visName(v elf.SymVis) string   { return strings.TrimPrefix(v.String(), "STV_") }
