package fatbin

import (
	"bytes"
	"cmp"
	"debug/elf"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

const (
	wrapperMagic   = 0x466243B1
	wrapperSize    = 24
	containerMagic = 0xBA55ED50
	containerSize  = 16
	alignment      = 8
)

var le = binary.LittleEndian

// extent is a part of the file.
type extent struct{ off, size int64 }

// layout is what the file format says: where wrappers and containers are, and
// how virtual addresses map to file offsets.
type layout struct {
	wrappers []extent
	binaries []extent
	mapped   []mapping
}

type mapping struct {
	address uint64
	extent
}

// containers finds all containers of a file, in the order of the file.
func containers(r io.ReaderAt, size int64) ([]extent, error) {
	l, err := open(r, size)
	if err != nil {
		return nil, err
	}
	found, complete, err := l.follow(r, size)
	if err != nil {
		return nil, err
	}
	if !complete {
		for _, part := range l.binaries {
			more, err := scan(r, part, size)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
	}
	if len(found) == 0 {
		if found, err = scan(r, extent{0, size}, size); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b extent) int { return cmp.Compare(a.off, b.off) })
	found = slices.Compact(found)
	for i := 1; i < len(found); i++ {
		if a, b := found[i-1], found[i]; a.within(size) && b.off < a.off+a.size {
			return nil, fmt.Errorf("the containers at offsets 0x%x (0x%x bytes) and 0x%x overlap", a.off, a.size, b.off)
		}
	}
	return found, nil
}

// open reads the section table of a PE or ELF file; anything else has none.
func open(r io.ReaderAt, size int64) (layout, error) {
	var magic [4]byte
	n, err := r.ReadAt(magic[:], 0)
	if err != nil && err != io.EOF {
		return layout{}, err
	}
	var l layout
	switch {
	case bytes.HasPrefix(magic[:n], []byte("MZ")):
		err = l.openPE(r)
	case bytes.HasPrefix(magic[:n], []byte(elf.ELFMAG)):
		err = l.openELF(r)
	default:
		return layout{}, nil
	}
	if err != nil {
		return layout{}, err
	}
	for _, part := range slices.Concat(l.wrappers, l.binaries) {
		if !part.within(size) {
			return layout{}, fmt.Errorf("truncated or corrupt: a section of 0x%x bytes at offset 0x%x reaches beyond the end of the file at 0x%x", part.size, part.off, size)
		}
	}
	return l, nil
}

func (e extent) within(size int64) bool {
	return e.off >= 0 && e.size >= 0 && e.off <= size && e.size <= size-e.off
}

func (l *layout) openPE(r io.ReaderAt) error {
	f, err := pe.NewFile(r)
	if err != nil {
		return fmt.Errorf("not a readable PE file: %w", err)
	}
	var base uint64
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader64:
		base = h.ImageBase
	case *pe.OptionalHeader32:
		base = uint64(h.ImageBase)
	}
	for _, s := range f.Sections {
		// a section can be longer in memory (zeros) or in the file (padding)
		part := extent{int64(s.Offset), int64(s.Size)}
		l.mapped = append(l.mapped, mapping{base + uint64(s.VirtualAddress), part})
		l.sort(s.Name, part, ".nvFatBi", ".nv_fatb")
	}
	return nil
}

func (l *layout) openELF(r io.ReaderAt) error {
	f, err := elf.NewFile(r)
	if err != nil {
		return fmt.Errorf("not a readable ELF file: %w", err)
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOBITS || s.Type == elf.SHT_NULL {
			continue
		}
		part := extent{int64(s.Offset), int64(s.FileSize)}
		if s.Addr != 0 {
			l.mapped = append(l.mapped, mapping{s.Addr, part})
		}
		l.sort(s.Name, part, ".nvFatBinSegment", ".nv_fatbin")
	}
	return nil
}

func (l *layout) sort(name string, part extent, wrappers, binaries string) {
	switch name {
	case wrappers:
		l.wrappers = append(l.wrappers, part)
	case binaries:
		l.binaries = append(l.binaries, part)
	}
}

// follow reads the wrappers. complete: there are some and each of them led to
// a container, so nothing needs to be scanned.
func (l *layout) follow(r io.ReaderAt, size int64) (found []extent, complete bool, err error) {
	seen := map[int64]bool{}
	complete = true
	for _, part := range l.wrappers {
		err := eachBlock(r, part, func(at int64, block []byte) int {
			i := 0
			for ; i+wrapperSize <= len(block); i += alignment {
				if le.Uint32(block[i:]) != wrapperMagic {
					continue
				}
				c, ok := l.resolve(r, size, le.Uint64(block[i+8:]))
				switch {
				case !ok:
					complete = false
				case !seen[c.off]:
					seen[c.off] = true
					found = append(found, c)
				}
			}
			return i
		})
		if err != nil {
			return nil, false, err
		}
	}
	return found, complete && len(found) > 0, nil
}

// resolve maps the virtual address in a wrapper to a container.
func (l *layout) resolve(r io.ReaderAt, size int64, address uint64) (extent, bool) {
	for _, m := range l.mapped {
		if address < m.address || address-m.address >= uint64(m.size) {
			continue
		}
		var head [containerSize]byte
		off := m.off + int64(address-m.address)
		if off < 0 || off > size-containerSize {
			return extent{}, false
		}
		if readFull(r, head[:], off) != nil {
			return extent{}, false
		}
		return container(head[:], off)
	}
	return extent{}, false
}

// container recognises the header of a container. Its size is not checked
// against the file here: a header that is there with a payload that is not is
// damage to report, not a reason to pass over it.
func container(head []byte, off int64) (extent, bool) {
	header, payload := int64(le.Uint16(head[6:])), le.Uint64(head[8:])
	if le.Uint32(head) != containerMagic || le.Uint16(head[4:]) != 1 || header < containerSize {
		return extent{}, false
	}
	return extent{off, header + int64(min(payload, 1<<62))}, true
}

// scan looks for containers at aligned places of a part of the file.
func scan(r io.ReaderAt, part extent, size int64) (found []extent, err error) {
	next := int64(0) // nothing begins inside of a container
	part.off, part.size = part.off+(-part.off&(alignment-1)), max(0, part.size-(-part.off&(alignment-1)))
	err = eachBlock(r, part, func(at int64, block []byte) int {
		i := 0
		for ; i+containerSize <= len(block); i += alignment {
			if at+int64(i) < next || le.Uint32(block[i:]) != containerMagic {
				continue
			}
			if c, ok := container(block[i:], at+int64(i)); ok {
				found = append(found, c)
				if c.within(size) {
					next = c.off + c.size
				}
			}
		}
		return i
	})
	return found, err
}

// readFull fills b from an offset, or says what could not be read.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading %d bytes at offset 0x%x: %w", len(b), off, err)
}

// blockSize is how much of a file is looked at at a time.
const blockSize = 1 << 20

// eachBlock passes a part of the file on, block by block. visit returns how many
// bytes it is done with; the rest comes again at the beginning of the next one.
func eachBlock(r io.ReaderAt, part extent, visit func(at int64, block []byte) int) error {
	buffer := make([]byte, min(blockSize, part.size))
	for kept := 0; part.size > int64(kept); {
		n := int(min(int64(len(buffer)), part.size))
		if err := readFull(r, buffer[:n], part.off); err != nil {
			return err
		}
		done := visit(part.off, buffer[:n])
		part.off, part.size, kept = part.off+int64(done), part.size-int64(done), n-done
	}
	return nil
}
