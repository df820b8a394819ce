package codeobjtest

import (
	"encoding/binary"
	"slices"
)

const (
	pageShift  = 0x1000 // code and data are loaded this far behind their file offset, as lld does
	shtNobits  = 8
	globalFunc = 1<<4 | 2
	globalData = 1<<4 | 1
	protected  = 3
	hidden     = 2
)

type symbol struct {
	name        string
	info, other byte
	section     uint16
	value, size uint64
}

// section indices, in the order in which Bytes writes them
const (
	secNote = 1 + iota
	secDynsym
	secDynstr
	secRodata
	secText
	secBSS
	secComment
	secSymtab
	secStrtab
	secNames
	secCount
)

// Bytes writes the object: ELF header, four program headers (three LOAD, one
// NOTE), the sections above and, last, the section header table.
func (o *Object) Bytes() []byte {
	le := binary.LittleEndian
	out := make([]byte, 64+4*56)
	type place struct{ off, addr, size uint64 }
	places := make([]place, secCount)
	put := func(sec int, align int, shift uint64, body []byte) {
		for len(out)%align != 0 {
			out = append(out, 0)
		}
		places[sec] = place{uint64(len(out)), uint64(len(out)) + shift, uint64(len(body))}
		out = append(out, body...)
	}
	put(secNote, 4, 0, o.note())

	// .rodata is laid out before its symbols are known to .dynsym, so sizes first
	code := o.Text
	if code == nil {
		code = []byte("\x00\x00\xb0\xbf\x01\x02\x03\x04")
	}
	slot := uint64(len(code)+255) &^ 255
	symbols := make([]symbol, 0, 2*len(o.Kernels)+len(o.Vars))
	rodata, bss := o.layout(slot, &symbols)
	exported := slices.DeleteFunc(slices.Clone(symbols), func(s symbol) bool { return s.info>>4 == 0 || s.other == hidden })
	dynsym, dynstr := table(exported)
	put(secDynsym, 8, 0, dynsym)
	put(secDynstr, 1, 0, dynstr)
	put(secRodata, 64, 0, rodata)
	loaded := uint64(len(out))
	text := make([]byte, slot*uint64(len(o.Kernels)))
	for i := range o.Kernels {
		copy(text[slot*uint64(i):], code)
	}
	put(secText, 256, pageShift, text)
	places[secBSS] = place{uint64(len(out)), uint64(len(out)) + 2*pageShift, bss}

	// addresses are known now: symbols hold offsets in their section
	for i := range symbols {
		if s := &symbols[i]; s.section != 0 {
			s.value += places[s.section].addr
		}
	}
	for i := range exported {
		if s := &exported[i]; s.section != 0 {
			s.value += places[s.section].addr
		}
	}
	dynsym, _ = table(exported)
	copy(out[places[secDynsym].off:], dynsym)
	for i, k := range o.Kernels {
		kd := out[places[secRodata].off+uint64(i)*64:]
		entry := places[secText].addr + slot*uint64(i) - (places[secRodata].addr + uint64(i)*64) + k.EntryMove
		le.PutUint64(kd[16:], entry)
	}
	put(secComment, 1, 0, []byte(o.Comment))
	symtab, strtab := table(symbols)
	put(secSymtab, 8, 0, symtab)
	put(secStrtab, 1, 0, strtab)
	names := []string{"", ".note", ".dynsym", ".dynstr", ".rodata", ".text", ".bss", ".comment", ".symtab", ".strtab", ".shstrtab"}
	var nameTable []byte
	nameAt := make([]uint32, len(names))
	for i, n := range names {
		nameAt[i] = uint32(len(nameTable))
		nameTable = append(append(nameTable, n...), 0)
	}
	put(secNames, 1, 0, nameTable)
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	sections := uint64(len(out))
	types := []uint32{0, 7, 11, 3, 1, 1, shtNobits, 1, 2, 3, 3}
	flags := []uint64{0, 2, 2, 2, 2, 6, 3, 0x30, 0, 0, 0}
	links := []uint32{0, 0, secDynstr, 0, 0, 0, 0, 0, secStrtab, 0, 0}
	for i, p := range places {
		h := make([]byte, 64)
		le.PutUint32(h, nameAt[i])
		le.PutUint32(h[4:], types[i])
		le.PutUint64(h[8:], flags[i])
		if flags[i]&2 != 0 {
			le.PutUint64(h[16:], p.addr)
		}
		le.PutUint64(h[24:], p.off)
		le.PutUint64(h[32:], p.size)
		le.PutUint32(h[40:], links[i])
		if types[i] == 2 || types[i] == 11 {
			le.PutUint64(h[56:], 24)
		}
		out = append(out, h...)
	}
	segment := func(i int, typ, flags uint32, off, addr, file, mem uint64) {
		h := out[64+56*i:]
		le.PutUint32(h, typ)
		le.PutUint32(h[4:], flags)
		for j, v := range []uint64{off, addr, addr, file, mem, 4} {
			le.PutUint64(h[8+8*j:], v)
		}
	}
	note, txt, zero := places[secNote], places[secText], places[secBSS]
	segment(0, 1, 4, 0, 0, loaded, loaded)
	segment(1, 1, 5, txt.off, txt.addr, txt.size, txt.size)
	segment(2, 1, 6, zero.off, zero.addr, 0, zero.size)
	segment(3, 4, 4, note.off, note.addr, note.size, note.size)
	copy(out, "\x7fELF\x02\x01\x01\x40")
	out[8] = o.ABI
	le.PutUint16(out[16:], 3)
	le.PutUint16(out[18:], 224)
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[32:], 64)
	le.PutUint64(out[40:], sections)
	le.PutUint32(out[48:], o.Flags)
	for i, v := range []uint16{64, 56, 4, 64, secCount, secNames} {
		le.PutUint16(out[52+2*i:], v)
	}
	return out
}

// layout fills .rodata (descriptors, then variables) and lists all symbols with
// their offsets in their sections. Entries of descriptors are set by the caller.
func (o *Object) layout(slot uint64, symbols *[]symbol) (rodata []byte, bss uint64) {
	le := binary.LittleEndian
	for i, k := range o.Kernels {
		kd := make([]byte, 64)
		le.PutUint32(kd, uint32(k.LDS))
		le.PutUint32(kd[4:], uint32(k.Scratch))
		le.PutUint32(kd[8:], uint32(k.Kernarg))
		granule := 8
		if k.Wave == 64 {
			granule = 4
		} else {
			le.PutUint16(kd[56:], 1<<10)
		}
		rsrc1 := uint32((max(k.VGPRs, 1)+granule-1)/granule - 1)
		if !k.CUMode {
			rsrc1 |= 1 << 29
		}
		le.PutUint32(kd[48:], rsrc1)
		if k.Scratch > 0 {
			le.PutUint32(kd[52:], 1)
		}
		if k.DynamicStack {
			le.PutUint16(kd[56:], le.Uint16(kd[56:])|1<<11)
		}
		if k.Descriptor != nil {
			k.Descriptor(kd)
		}
		rodata = append(rodata, kd...)
		code := symbol{k.Name, globalFunc, protected, secText, slot * uint64(i), 8}
		if k.LocalCode {
			code.info &= 0x0f
		}
		if !k.NoCode {
			*symbols = append(*symbols, code)
		}
		if size := k.DescriptorSize; !k.NoDesc {
			if size == 0 {
				size = 64
			}
			*symbols = append(*symbols, symbol{k.Name + ".kd", globalData, protected, secRodata, 64 * uint64(i), size})
		}
	}
	for _, v := range o.Vars {
		s := symbol{name: v.Name, info: globalData, other: protected, section: secRodata, size: v.Size}
		if s.size == 0 {
			s.size = 4
		}
		switch {
		case v.Undefined:
			s = symbol{name: v.Name, info: 1 << 4}
		case v.Zero:
			s.section, s.value = secBSS, bss
			bss += s.size
		default:
			s.value = uint64(len(rodata))
			rodata = append(rodata, make([]byte, (s.size+7)&^3)...)
			le.PutUint32(rodata[s.value:], v.Value)
		}
		if v.Local {
			s.info, s.other = 1, 0
		}
		if v.Hidden {
			s.other = hidden
		}
		*symbols = append(*symbols, s)
	}
	return rodata, bss
}

// table writes a symbol table and its strings.
func table(symbols []symbol) (entries, names []byte) {
	le := binary.LittleEndian
	entries, names = make([]byte, 24), []byte{0}
	for _, s := range symbols {
		e := make([]byte, 24)
		le.PutUint32(e, uint32(len(names)))
		e[4], e[5] = s.info, s.other
		le.PutUint16(e[6:], s.section)
		le.PutUint64(e[8:], s.value)
		le.PutUint64(e[16:], s.size)
		entries = append(entries, e...)
		names = append(append(names, s.name...), 0)
	}
	return entries, names
}
