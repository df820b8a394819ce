package toolchains

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

// fakeELF is a 64-bit little-endian file with a dynamic section and nothing
// else: one segment for everything, virtual addresses shifted so that a reader
// that takes them for offsets fails.
type fakeELF struct {
	machine elf.Machine
	interp  string
	needed  []string
	soname  string
	rpath   string
	runpath string
	text    string // makes files differ
}

func (e fakeELF) bytes() []byte {
	const base = 0x400000
	machine := e.machine
	if machine == 0 {
		machine = elf.EM_X86_64
	}
	strs := []byte{0}
	add := func(s string) uint64 {
		at := len(strs)
		strs = append(append(strs, s...), 0)
		return uint64(at)
	}
	var dyn []uint64
	for _, n := range e.needed {
		dyn = append(dyn, uint64(elf.DT_NEEDED), add(n))
	}
	for _, d := range []struct {
		tag  elf.DynTag
		text string
	}{{elf.DT_SONAME, e.soname}, {elf.DT_RPATH, e.rpath}, {elf.DT_RUNPATH, e.runpath}} {
		if d.text != "" {
			dyn = append(dyn, uint64(d.tag), add(d.text))
		}
	}
	progs := 2
	if e.interp != "" {
		progs++
	}
	strAt := uint64(64 + progs*56)
	interpAt := strAt + uint64(len(strs))
	dynAt := interpAt + uint64(len(e.interp)) + 1
	dyn = append(dyn, uint64(elf.DT_STRTAB), base+strAt, uint64(elf.DT_NULL), 0)
	size := dynAt + uint64(8*len(dyn)) + uint64(len(e.text))

	var b bytes.Buffer
	le := binary.LittleEndian
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(machine), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(progs), Shentsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	binary.Write(&b, le, h)
	segment := func(t elf.ProgType, at, n uint64) {
		binary.Write(&b, le, elf.Prog64{Type: uint32(t), Off: at, Vaddr: base + at, Filesz: n, Memsz: n})
	}
	segment(elf.PT_LOAD, 0, size)
	segment(elf.PT_DYNAMIC, dynAt, uint64(8*len(dyn)))
	if e.interp != "" {
		segment(elf.PT_INTERP, interpAt, uint64(len(e.interp))+1)
	}
	b.Write(strs)
	b.WriteString(e.interp + "\x00")
	binary.Write(&b, le, dyn)
	b.WriteString(e.text)
	return b.Bytes()
}

func TestParseObject(t *testing.T) {
	e := fakeELF{interp: "/lib/ld.so", needed: []string{"liba.so.1", "libb.so"}, soname: "libme.so.2", rpath: "/x:$ORIGIN/y", runpath: "$ORIGIN/../lib"}
	got, err := parseObject(bytes.NewReader(e.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	want := &object{Class: elf.ELFCLASS64, Machine: elf.EM_X86_64, Interp: "/lib/ld.so", Needed: e.needed, Soname: e.soname,
		RPath: []string{"/x", "$ORIGIN/y"}, RunPath: []string{"$ORIGIN/../lib"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseObjectRefuses(t *testing.T) {
	good := fakeELF{needed: []string{"liba.so.1"}}.bytes()
	if _, err := parseObject(strings.NewReader("#!/bin/sh\n")); !errors.Is(err, errNotELF) {
		t.Errorf("a script: %v", err)
	}
	if _, err := parseObject(strings.NewReader("")); !errors.Is(err, errNotELF) {
		t.Errorf("an empty file: %v", err)
	}
	for _, n := range []int{5, 63, 100} {
		if _, err := parseObject(bytes.NewReader(good[:n])); err == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
	}
	far := bytes.Clone(good)
	for i := range far[:len(far)-8] {
		if binary.LittleEndian.Uint64(far[i:]) == uint64(elf.DT_NEEDED) && i > 150 {
			binary.LittleEndian.PutUint64(far[i+8:], 1<<40) // the name's offset
			break
		}
	}
	if _, err := parseObject(bytes.NewReader(far)); err == nil || !strings.Contains(err.Error(), "no segment") {
		t.Errorf("a name outside all segments: %v", err)
	}
}

func FuzzParseObject(f *testing.F) {
	f.Add(fakeELF{interp: "/lib/ld.so", needed: []string{"liba.so.1"}, runpath: "/a:/b"}.bytes())
	f.Add(fakeELF{}.bytes()[:80])
	if path, err := os.Executable(); err == nil {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data[:min(len(data), 4096)])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, err := parseObject(bytes.NewReader(data)); err == nil && o == nil {
			t.Error("neither an object nor an error")
		}
	})
}
