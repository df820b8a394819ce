package toolchains

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// object is what the dynamic loader reads of a program or library.
type object struct {
	Class   elf.Class   `json:"class"`
	Machine elf.Machine `json:"machine"`
	Interp  string      `json:"interp,omitempty"` // program interpreter; "" in libraries
	Needed  []string    `json:"needed,omitempty"` // DT_NEEDED in order
	Soname  string      `json:"soname,omitempty"`
	RPath   []string    `json:"rpath,omitempty"` // DT_RPATH, colon lists taken apart
	RunPath []string    `json:"runpath,omitempty"`
}

// errNotELF marks a program of another system, whose libraries are taken from
// its installation instead.
var errNotELF = errors.New("not an ELF file")

// Bounds of what is read of a file, far above what a real one holds.
const (
	maxDynamic = 1 << 20
	maxName    = 4096
)

func readObject(path string) (*object, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o, err := parseObject(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

// parseObject reads the dynamic section through the program headers, as the
// loader does: section headers may be stripped, and string tables of LLVM's
// libraries are too large to be read for twenty names. A static program has no
// dynamic section and needs nothing.
func parseObject(r io.ReaderAt) (*object, error) {
	magic := make([]byte, len(elf.ELFMAG))
	if n, _ := r.ReadAt(magic, 0); string(magic[:n]) != elf.ELFMAG {
		return nil, errNotELF
	}
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	o := &object{Class: f.Class, Machine: f.Machine}
	var dynamic []byte
	for _, p := range f.Progs {
		switch p.Type {
		case elf.PT_INTERP:
			data, err := readAt(p, 0, min(p.Filesz, maxName))
			if err != nil {
				return nil, err
			}
			o.Interp = cString(data)
		case elf.PT_DYNAMIC:
			if dynamic, err = readAt(p, 0, min(p.Filesz, maxDynamic)); err != nil {
				return nil, err
			}
		}
	}
	var strtab uint64
	type entry struct{ tag, value uint64 }
	var entries []entry
	for size := wordSize(f.Class); len(dynamic) >= 2*size; dynamic = dynamic[2*size:] {
		e := entry{word(f, dynamic), word(f, dynamic[size:])}
		if elf.DynTag(e.tag) == elf.DT_NULL {
			break
		}
		if elf.DynTag(e.tag) == elf.DT_STRTAB {
			strtab = e.value
		}
		entries = append(entries, e)
	}
	for _, e := range entries {
		tag := elf.DynTag(e.tag)
		if tag != elf.DT_NEEDED && tag != elf.DT_SONAME && tag != elf.DT_RPATH && tag != elf.DT_RUNPATH {
			continue
		}
		name, err := stringAt(f, strtab, e.value)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", tag, err)
		}
		switch tag {
		case elf.DT_NEEDED:
			o.Needed = append(o.Needed, name)
		case elf.DT_SONAME:
			o.Soname = name
		case elf.DT_RPATH:
			o.RPath = append(o.RPath, strings.Split(name, ":")...)
		case elf.DT_RUNPATH:
			o.RunPath = append(o.RunPath, strings.Split(name, ":")...)
		}
	}
	return o, nil
}

func wordSize(c elf.Class) int {
	if c == elf.ELFCLASS64 {
		return 8
	}
	return 4
}

func word(f *elf.File, b []byte) uint64 {
	if f.Class == elf.ELFCLASS64 {
		return f.ByteOrder.Uint64(b)
	}
	return uint64(f.ByteOrder.Uint32(b))
}

// stringAt reads a string of the dynamic string table, whose address is virtual.
func stringAt(f *elf.File, strtab, offset uint64) (string, error) {
	address := strtab + offset
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && address >= p.Vaddr && address-p.Vaddr < p.Filesz {
			within := address - p.Vaddr
			data, err := readAt(p, within, min(p.Filesz-within, maxName))
			if err != nil {
				return "", err
			}
			return cString(data), nil
		}
	}
	return "", fmt.Errorf("string at %#x lies in no segment", address)
}

func readAt(p *elf.Prog, offset, size uint64) ([]byte, error) {
	data := make([]byte, size)
	n, err := p.ReadAt(data, int64(offset))
	if err == io.EOF && n > 0 {
		err = nil
	}
	return data[:n], err
}

func cString(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}
