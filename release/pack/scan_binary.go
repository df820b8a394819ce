package pack

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
)

// Numbers of formats: NVIDIA's fat binaries and wrappers, ELF machines.
const (
	fatbinMagic  = 0xBA55ED50
	wrapperMagic = 0x466243B1
	machineCUDA  = 190
	machineAMD   = 224
)

// each calls f with every offset at which the pattern lies.
func (s *scanner) each(pattern []byte, f func(at int)) {
	for at := 0; ; {
		i := bytes.Index(s.data[at:], pattern)
		if i < 0 {
			return
		}
		f(at + i)
		at += i + 1
	}
}

// u16 and u32 are little-endian numbers, 0 behind the end.
func (s *scanner) u16(at int) uint16 {
	if at < 0 || at+2 > len(s.data) {
		return 0
	}
	return binary.LittleEndian.Uint16(s.data[at:])
}

func (s *scanner) u32(at int) uint32 {
	if at < 0 || at+4 > len(s.data) {
		return 0
	}
	return binary.LittleEndian.Uint32(s.data[at:])
}

// binaries looks for containers of GPU code and for programs.
func (s *scanner) binaries() {
	le := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	s.each(le(fatbinMagic), func(at int) {
		if s.u16(at+4) == 1 && s.u16(at+6) >= 16 {
			s.say(at, "a fat binary")
		}
	})
	s.each(le(wrapperMagic), func(at int) {
		if s.u32(at+4) == 1 {
			s.say(at, "the wrapper of a fat binary")
		}
	})
	s.each([]byte("\x7fELF"), func(at int) {
		machine := s.u16(at + 18)
		if at+5 < len(s.data) && s.data[at+5] == 2 { // big-endian
			machine = machine<<8 | machine>>8
		}
		switch {
		case machine == machineCUDA:
			s.say(at, "a cubin (ELF, machine EM_CUDA)")
		case machine == machineAMD && at == 0: // a code object, as expected
		case at+20 <= len(s.data):
			s.say(at, "an ELF file for machine %d", machine)
		}
	})
	s.each([]byte("MZ"), func(at int) {
		head := int(s.u32(at + 60))
		if head < 64 || head > 1<<20 || s.u32(at+head) != 0x4550 || at+head+4 > len(s.data) {
			return
		}
		what := "a PE file"
		if named(s.data[at:], "NVIDIA") {
			what = "a PE file of NVIDIA's"
		}
		s.say(at, "%s", what)
	})
}

// named says whether a text stands in data, as bytes or as UTF-16.
func named(data []byte, text string) bool {
	wide := make([]byte, 0, 2*len(text))
	for _, c := range []byte(text) {
		wide = append(wide, c, 0)
	}
	return bytes.Contains(data, []byte(text)) || bytes.Contains(data, wide)
}

// packed looks for compressed data and archives: nothing in a release is any.
func (s *scanner) packed() {
	for _, m := range []struct {
		magic, what string
		sure        func(at int) bool
	}{
		{"\x28\xb5\x2f\xfd", "a zstd frame", nil},
		{"\x04\x22\x4d\x18", "an LZ4 frame", nil},
		{"\xfd7zXZ\x00", "xz data", nil},
		{"7z\xbc\xaf\x27\x1c", "a 7z archive", nil},
		{"PK\x03\x04", "a file of a zip archive", nil},
		{"\x1f\x8b\x08", "gzip data", s.gzip},
	} {
		s.each([]byte(m.magic), func(at int) {
			if m.sure == nil || m.sure(at) {
				s.say(at, "%s", m.what)
			}
		})
	}
	s.each([]byte("BZh"), func(at int) {
		if at+10 <= len(s.data) && string(s.data[at+4:at+10]) == "1AY&SY" {
			s.say(at, "bzip2 data")
		}
	})
}

// gzip says whether a header of ten bytes without options is followed by what
// inflates: three bytes alone happen by chance. Options are taken for sure.
func (s *scanner) gzip(at int) bool {
	if at+18 > len(s.data) || s.data[at+3]&0xe0 != 0 {
		return false
	}
	if s.data[at+3] != 0 {
		return s.data[at+8] == 0 || s.data[at+8] == 2 || s.data[at+8] == 4
	}
	var probe [64]byte
	n, err := flate.NewReader(bytes.NewReader(s.data[at+10:])).Read(probe[:])
	return n > 0 && (err == nil || err == io.EOF)
}
