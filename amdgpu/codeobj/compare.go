package codeobj

import (
	"bytes"
	"cmp"
	"debug/elf"
	"slices"
	"strings"
)

// Likeness is how much alike two objects are, from "the same file" on.
type Likeness int

const (
	Identical    Likeness = iota // byte for byte
	MetadataOnly                 // the same instructions and constants; notes, symbol tables or layout differ
	Constants                    // the same instructions; constants, control symbols, descriptors or relocations differ
	Code                         // other instructions
)

func (l Likeness) String() string {
	switch l {
	case Identical:
		return "identical"
	case MetadataOnly:
		return "metadata only"
	case Constants:
		return "constants changed"
	}
	return "ISA changed"
}

// Difference is how two objects differ and where they do first.
type Difference struct {
	Likeness Likeness
	// Symbol is the exported symbol with the lowest address in the first object
	// that is other in the second, "" where no symbol covers the difference or
	// there is none to speak of; Section then names the place.
	Symbol, Section string
	Offset          uint64 // of the first other byte, from the beginning of Symbol or Section
	// Missing says that one of the objects has no such symbol or section.
	Missing bool
}

// Compare compares two objects that were read without damage. Where the code of
// a kernel lies, as its descriptor says it, is layout: it moves with the size
// of the metadata.
func Compare(a, b *Object) Difference {
	if a.image == nil || b.image == nil {
		return Difference{Likeness: Code}
	}
	if bytes.Equal(a.image.data, b.image.data) {
		return Difference{}
	}
	if d, differ := compareParts(a, b, func(s section) bool {
		return elf.SectionFlag(s.Flags)&elf.SHF_EXECINSTR != 0
	}, func(s Symbol) bool { return s.Function }); differ {
		d.Likeness = Code
		return d
	}
	if d, differ := compareParts(a, b, func(s section) bool {
		t := elf.SectionType(s.Type)
		return (t == elf.SHT_PROGBITS || t == elf.SHT_RELA || t == elf.SHT_REL) &&
			elf.SectionFlag(s.Flags)&elf.SHF_ALLOC != 0 && elf.SectionFlag(s.Flags)&elf.SHF_EXECINSTR == 0
	}, func(s Symbol) bool { return !s.Function }); differ {
		d.Likeness = Constants
		return d
	}
	return Difference{Likeness: MetadataOnly}
}

// compareParts compares symbols and sections of one sort. Symbols come first,
// as their names say more.
func compareParts(a, b *Object, inSection func(section) bool, isSymbol func(Symbol) bool) (Difference, bool) {
	mine := slices.SortedStableFunc(slices.Values(a.Symbols), func(x, y Symbol) int { return cmp.Compare(x.address, y.address) })
	named := Difference{}
	found := false
	for _, s := range mine {
		if !isSymbol(s) {
			continue
		}
		t, ok := b.Symbol(s.Name)
		if !ok || s.Function != t.Function {
			named, found = Difference{Symbol: s.Name, Missing: true}, true
			break
		}
		at, differ := firstDifference(a.content(s), b.content(t))
		if differ || s.Size != t.Size {
			named, found = Difference{Symbol: s.Name, Offset: at}, true
			break
		}
	}
	for _, t := range b.Symbols {
		if _, ok := a.Symbol(t.Name); !found && isSymbol(t) && !ok {
			named, found = Difference{Symbol: t.Name, Missing: true}, true
		}
	}
	if found {
		return named, true
	}
	was, is := a.parts(inSection), b.parts(inSection)
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || was[i].name != is[i].name {
			return Difference{Section: append(was[min(i, len(was)):], is[min(i, len(is)):]...)[0].name, Missing: true}, true
		}
		if at, differ := firstDifference(was[i].body, is[i].body); differ {
			return Difference{Section: was[i].name, Offset: at}, true
		}
	}
	return Difference{}, false
}

// content is what an exported symbol stands for in the file, nil where that is
// nothing; of a descriptor without the place of the code.
func (o *Object) content(s Symbol) []byte {
	for _, sec := range o.parts(func(section) bool { return true }) {
		if s.address >= sec.Addr && s.address-sec.Addr < uint64(len(sec.body)) && elf.SectionFlag(sec.Flags)&elf.SHF_ALLOC != 0 {
			body, _ := span(sec.body, s.address-sec.Addr, min(s.Size, uint64(len(sec.body))-(s.address-sec.Addr)))
			return body
		}
	}
	return nil
}

// parts are the sections taken, in file order, with the places of code taken
// out of the descriptors in them.
func (o *Object) parts(take func(section) bool) []section {
	var parts []section
	for _, s := range o.image.sections {
		if !take(s) {
			continue
		}
		for _, sym := range o.Symbols {
			if strings.HasSuffix(sym.Name, ".kd") && sym.Size == descriptorSize && sym.address >= s.Addr {
				if _, ok := span(s.body, sym.address-s.Addr, descriptorSize); ok {
					at := sym.address - s.Addr + descriptorEntry
					s.body = slices.Clone(s.body)
					clear(s.body[at : at+8])
				}
			}
		}
		parts = append(parts, s)
	}
	return parts
}

// descriptorEntry is where in a descriptor the offset to the code stands, in 8
// bytes.
const descriptorEntry = 16

func firstDifference(a, b []byte) (at uint64, differ bool) {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return uint64(i), true
		}
	}
	return uint64(n), len(a) != len(b)
}
