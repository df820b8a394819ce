package fatbintest

import "bytes"

const (
	align = 0x200      // of sections in a PE file
	page  = 0x1000     // of sections in memory
	base  = 0x18000000 // where a library is loaded
)

// layout puts containers behind each other, 8-byte aligned, and makes the
// wrappers that point at them when they are loaded at the address.
func layout(address uint64, containers [][]byte) (binaries, wrappers []byte) {
	for _, c := range containers {
		w := make([]byte, 24)
		le.PutUint32(w, 0x466243B1)
		le.PutUint32(w[4:], 1)
		le.PutUint64(w[8:], address+uint64(len(binaries)))
		wrappers = append(wrappers, w...)
		binaries = append(binaries, c...)
		binaries = append(binaries, make([]byte, -len(binaries)&7)...)
	}
	return binaries, wrappers
}

// PE is a PE32+ library: headers and the sections .nv_fatb (the containers) and
// .nvFatBi (a wrapper for each of them).
func PE(containers ...[]byte) []byte {
	var out bytes.Buffer
	if err := (Image{Containers: containers}).Write(&out); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}

// ELF is a 64-bit ELF library with the sections .nv_fatbin and
// .nvFatBinSegment. With relocated false the wrappers hold no addresses, as in a
// file whose addresses a loader fills in.
func ELF(relocated bool, containers ...[]byte) []byte {
	const names = "\x00.nv_fatbin\x00.nvFatBinSegment\x00.shstrtab\x00"
	binaries, wrappers := layout(base+64, containers)
	if !relocated {
		for i := 0; i < len(wrappers); i += 24 {
			le.PutUint64(wrappers[i+8:], 0)
		}
	}
	out := make([]byte, 64)
	copy(out, "\x7fELF\x02\x01\x01")
	type part struct {
		name, typ uint32
		flags     uint64
		body      []byte
	}
	table := make([]byte, 64) // the first section is none
	for _, p := range []part{{1, 1, 2, binaries}, {12, 1, 2, wrappers}, {29, 3, 0, []byte(names)}} {
		s := make([]byte, 64)
		le.PutUint32(s, p.name)
		le.PutUint32(s[4:], p.typ)
		le.PutUint64(s[8:], p.flags)
		if p.flags != 0 {
			le.PutUint64(s[16:], base+uint64(len(out)))
		}
		le.PutUint64(s[24:], uint64(len(out)))
		le.PutUint64(s[32:], uint64(len(p.body)))
		le.PutUint64(s[48:], 8)
		table = append(table, s...)
		out = pad(append(out, p.body...), 8)
	}
	le.PutUint16(out[16:], 3)
	le.PutUint16(out[18:], 62)
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[40:], uint64(len(out)))
	for i, v := range []uint16{64, 56, 0, 64, 4, 3} {
		le.PutUint16(out[52+2*i:], v)
	}
	return append(out, table...)
}

func pad(b []byte, to int) []byte {
	return append(b, make([]byte, -len(b)&(to-1))...)
}
