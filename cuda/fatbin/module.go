package fatbin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// A Module is one PTX text of a library.
type Module struct {
	Library     string // base name of the file
	Index       int    // 0, 1, ... among the PTX modules of the library
	Container   int    // 0, 1, ... among the containers of the library
	Offset      int64  // of the entry in the file
	PTX         []byte // as stored, NULs at the end cut off
	Compression string // "none", "lz4", "zstd"
	Version     string // PTX version in the entry's header: "8.3"
	Target      string // "sm_89", "sm_90a"
}

// Read returns all PTX modules of a library in the order of the file. A library
// without a module is an error. All needs less memory.
func Read(path string) ([]Module, error) {
	var mods []Module
	if err := walk(path, func(m Module) { mods = append(mods, m) }); err != nil {
		return nil, err
	}
	return mods, nil
}

// ReadHashes returns, for each kernel of a library, the FNV-1a 64 hashes of the
// modules that define it, sorted. It holds one module at a time.
func ReadHashes(path string) (map[string][]uint64, error) {
	h := hashes{}
	if err := walk(path, h.add); err != nil {
		return nil, err
	}
	return h.done(), nil
}

func walk(path string, visit func(Module)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	name, count := filepath.Base(path), 0
	for m, err := range All(f, info.Size(), name, DefaultLimits) {
		if err != nil {
			return err
		}
		visit(m)
		count++
	}
	if count == 0 {
		return fmt.Errorf("%s holds no PTX module; a DLSS library with CUDA kernels (nvngx_dlss.dll and its like) is needed", name)
	}
	return nil
}

// All yields the PTX modules of a library of the given size one by one, in the
// order of the file. After an error it ends. library names it in modules and
// errors.
func All(r io.ReaderAt, size int64, library string, l Limits) iter.Seq2[Module, error] {
	return func(yield func(Module, error) bool) {
		found, err := containers(r, size)
		if err != nil {
			yield(Module{}, fmt.Errorf("%s: %w", library, err))
			return
		}
		w := &walker{r: r, size: size, limits: l, library: library, yield: yield}
		for i, c := range found {
			if !w.container(i, c) {
				return
			}
		}
	}
}

// Each is All for a library in which some modules may be damaged: an error that
// concerns one module comes with its place (Index, Container, Offset, Target)
// and without its text, and the walk goes on. An error about the library as a
// whole comes with Offset 0 and ends it.
func Each(r io.ReaderAt, size int64, library string, l Limits) iter.Seq2[Module, error] {
	return func(yield func(Module, error) bool) {
		found, err := containers(r, size)
		if err != nil {
			yield(Module{Library: library}, fmt.Errorf("%s: %w", library, err))
			return
		}
		w := &walker{r: r, size: size, limits: l, library: library, yield: yield, tolerant: true}
		for i, c := range found {
			if !w.container(i, c) {
				return
			}
		}
	}
}

// At reads the text of the module whose entry lies at an offset, as Module gives
// it.
func At(r io.ReaderAt, size int64, library string, l Limits, offset int64) ([]byte, error) {
	e, err := readEntry(r, offset, size)
	if err == nil && e.kind != kindPTX {
		err = errors.New("it is no PTX")
	}
	if err == nil {
		err = e.check(l)
	}
	var text []byte
	if err == nil {
		text, _, err = e.read(r, l)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: entry at offset 0x%x: %w", library, offset, err)
	}
	return bytes.TrimRight(text, "\x00"), nil
}

// walker goes through the entries of containers.
type walker struct {
	r       io.ReaderAt
	size    int64
	limits  Limits
	library string
	yield   func(Module, error) bool
	index   int
	total   int64

	tolerant bool // damage of one module does not end the walk
}

// errStop: the caller of the iterator has seen enough.
var errStop = errors.New("stop")

// container yields the modules of one container; false ends the walk.
func (w *walker) container(number int, c extent) bool {
	fail := func(format string, args ...any) bool {
		w.yield(Module{}, fmt.Errorf("%s: container %d at offset 0x%x: %w", w.library, number, c.off, fmt.Errorf(format, args...)))
		return false
	}
	if !c.within(w.size) {
		return fail("truncated or corrupt: it has 0x%x bytes and the file ends at 0x%x", c.size, w.size)
	}
	var head [containerSize]byte
	if err := readFull(w.r, head[:], c.off); err != nil {
		return fail("%w", err)
	}
	end := c.off + c.size
	for at := c.off + int64(le.Uint16(head[6:])); at < end; {
		e, err := readEntry(w.r, at, end)
		if err != nil {
			return fail("entry at offset 0x%x: %w", at, err)
		}
		if e.kind == kindPTX {
			err = w.module(number, e)
		}
		switch {
		case err == errStop:
			return false
		case err != nil:
			return fail("entry at offset 0x%x: %w", at, err)
		}
		at = e.end
	}
	return true
}

func (w *walker) module(number int, e entry) error {
	m := Module{Library: w.library, Index: w.index, Container: number, Offset: e.off, Version: e.version(), Target: e.target()}
	damaged := func(err error) error {
		if !w.tolerant {
			return err
		}
		w.index++
		if !w.yield(m, fmt.Errorf("%s: container %d, entry at offset 0x%x: %w", w.library, number, e.off, err)) {
			return errStop
		}
		return nil
	}
	if err := e.check(w.limits); err != nil {
		return damaged(err)
	}
	if e.length() > w.limits.Total-w.total {
		return fmt.Errorf("the modules of this library have more than %d bytes of text together", w.limits.Total)
	}
	text, compression, err := e.read(w.r, w.limits)
	if err != nil {
		return damaged(err)
	}
	w.total += int64(len(text))
	m.PTX, m.Compression = bytes.TrimRight(text, "\x00"), compression
	w.index++
	if !w.yield(m, nil) {
		return errStop
	}
	return nil
}
