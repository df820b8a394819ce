package fatbintest

import (
	"io"
)

// Flags of sections.
const (
	Code     = 0x60000020 // code, readable, executable
	ReadOnly = 0x40000040 // initialised data, readable
	Data     = 0xC0000040 // initialised data, readable, writable
)

// A Section is one more section of a library.
type Section struct {
	Name  string // at most 8 bytes
	Body  []byte
	Flags uint32
}

// Image is a PE32+ library: sections, then .nv_fatb (the containers) and
// .nvFatBi (a wrapper for each of them), then sections. The first section is
// where its entry point is, if it is code.
type Image struct {
	Before     []Section
	Containers [][]byte
	After      []Section
}

// part is a section with its place.
type part struct {
	Section
	bodies    [][]byte // instead of Body
	size      int
	rva, file uint32
}

// Write writes the library, holding no copy of it.
func (im Image) Write(w io.Writer) error {
	parts, wrappers := im.parts()
	head := header(parts)
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, p := range parts {
		bodies := p.bodies
		if p.Name == ".nvFatBi" {
			bodies = [][]byte{wrappers}
		}
		for _, b := range bodies {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		if _, err := w.Write(make([]byte, -p.size&(align-1))); err != nil {
			return err
		}
	}
	return nil
}

// parts places all sections. Containers lie behind each other, 8-byte aligned.
func (im Image) parts() ([]part, []byte) {
	var parts []part
	count := len(im.Before) + 2 + len(im.After)
	rva, file := uint32(page), uint32((peAt+24+optional+count*40+align-1)&^(align-1))
	add := func(s Section, size int, bodies ...[]byte) {
		parts = append(parts, part{s, bodies, size, rva, file})
		rva += uint32(max(size, 1)+page-1) &^ (page - 1)
		file += uint32(size+align-1) &^ (align - 1)
	}
	for _, s := range im.Before {
		add(s, len(s.Body), s.Body)
	}
	var bodies [][]byte
	var wrappers []byte
	size := 0
	for _, c := range im.Containers {
		w := make([]byte, 24)
		le.PutUint32(w, 0x466243B1)
		le.PutUint32(w[4:], 1)
		le.PutUint64(w[8:], base+uint64(rva)+uint64(size))
		wrappers = append(wrappers, w...)
		bodies = append(bodies, c, make([]byte, -len(c)&7))
		size += (len(c) + 7) &^ 7
	}
	add(Section{Name: ".nv_fatb", Flags: ReadOnly}, size, bodies...)
	add(Section{Name: ".nvFatBi", Flags: ReadOnly}, len(wrappers))
	for _, s := range im.After {
		add(s, len(s.Body), s.Body)
	}
	return parts, wrappers
}

const peAt, optional = 0x80, 240

func header(parts []part) []byte {
	out := make([]byte, peAt+24+optional+len(parts)*40)
	copy(out, "MZ")
	le.PutUint32(out[0x3c:], peAt)
	h := out[peAt:]
	copy(h, "PE\x00\x00")
	le.PutUint16(h[4:], 0x8664)
	le.PutUint16(h[6:], uint16(len(parts)))
	le.PutUint16(h[20:], optional)
	le.PutUint16(h[22:], 0x2022) // executable, large addresses, library
	o := h[24:]
	le.PutUint16(o, 0x20b)
	if parts[0].Flags == Code {
		le.PutUint32(o[16:], parts[0].rva)
	}
	le.PutUint64(o[24:], base)
	le.PutUint32(o[32:], page)
	le.PutUint32(o[36:], align)
	last := parts[len(parts)-1]
	le.PutUint32(o[56:], last.rva+uint32(max(last.size, 1)+page-1)&^(page-1))
	le.PutUint32(o[60:], parts[0].file)
	le.PutUint32(o[108:], 16)
	for i, p := range parts {
		s := out[peAt+24+optional+40*i:]
		copy(s[:8], p.Name)
		le.PutUint32(s[8:], uint32(p.size))
		le.PutUint32(s[12:], p.rva)
		le.PutUint32(s[16:], uint32(p.size+align-1)&^(align-1))
		le.PutUint32(s[20:], p.file)
		le.PutUint32(s[36:], p.Flags)
	}
	return pad(out, align)
}
