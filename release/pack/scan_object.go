package pack

import (
	"bytes"
	"cmp"
	"debug/elf"
	"slices"

	"kmx/release"
)

// unaccounted looks for bytes that no part of a code object accounts for: parts
// are header, program and section headers, segments and sections, and zeros
// between them.
func (s *scanner) unaccounted() {
	f := codeObject(s.data)
	if f == nil {
		return
	}
	at := binaryTables(s.data)
	for _, p := range f.Progs {
		at = append(at, Span{int64(p.Off), int64(p.Off + p.Filesz)})
	}
	for _, x := range f.Sections {
		if x.Type != elf.SHT_NOBITS && x.Type != elf.SHT_NULL {
			at = append(at, Span{int64(x.Offset), int64(x.Offset + x.FileSize)})
		}
	}
	slices.SortFunc(at, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	end := int64(0)
	gap := func(from, to int64) {
		if i := slices.IndexFunc(s.data[from:to], func(b byte) bool { return b != 0 }); i >= 0 {
			s.say(int(from)+i, "%s in no part of the object", size(to-from-int64(i)))
		}
	}
	for _, x := range append(at, Span{int64(len(s.data)), int64(len(s.data))}) {
		if x.Start > end {
			gap(end, min(x.Start, int64(len(s.data))))
		}
		end = max(end, min(x.End, int64(len(s.data))))
	}
}

// codeObject opens a file that is a code object, else it is nil.
func codeObject(data []byte) *elf.File {
	if !bytes.HasPrefix(data, []byte("\x7fELF")) {
		return nil
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil || f.Machine != machineAMD {
		return nil
	}
	return f
}

// binaryTables are the ELF header and the two tables that it points at, of a
// 64-bit little-endian file.
func binaryTables(data []byte) []Span {
	s := scanner{data: data}
	u64 := func(at int) int64 { return int64(s.u32(at)) | int64(s.u32(at+4))<<32 }
	return []Span{
		{0, 64},
		{u64(32), u64(32) + int64(s.u16(54))*int64(s.u16(56))},
		{u64(40), u64(40) + int64(s.u16(58))*int64(s.u16(60))},
	}
}

// declared are the stretches of an object that are data symbols of its manifest.
func declared(data []byte, symbols []release.Symbol) []Span {
	f := codeObject(data)
	if f == nil {
		return nil
	}
	table, err := f.DynamicSymbols()
	if err != nil {
		return nil
	}
	var spans []Span
	for _, x := range table {
		listed := slices.ContainsFunc(symbols, func(l release.Symbol) bool { return l.Name == x.Name && l.Kind == "data" && l.Size == x.Size })
		if !listed || int(x.Section) >= len(f.Sections) {
			continue
		}
		in := f.Sections[x.Section]
		if in.Type == elf.SHT_NOBITS || x.Value < in.Addr || x.Value+x.Size > in.Addr+in.FileSize {
			continue
		}
		from := int64(in.Offset + x.Value - in.Addr)
		spans = append(spans, Span{from, from + int64(x.Size)})
	}
	return spans
}
