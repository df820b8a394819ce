package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/cuda/fatbin"
)

// LibraryFormat is the version of a stored index.
const LibraryFormat = "kmx.library/1"

// A Library is the PTX modules of one library file. Their texts stay in the
// file: each is read when it is asked for, so that memory is bounded by a
// module.
type Library struct {
	Format  string          `json:"format"` // LibraryFormat
	File    string          `json:"file"`   // base name
	Digest  cache.Digest    `json:"blake3"` // of the file
	Size    int64           `json:"size"`   // bytes
	Modules []LibraryModule `json:"modules"`

	path string
}

// LibraryModule is one module without its text.
type LibraryModule struct {
	Number      int          `json:"number"`    // 0, 1, ... among the PTX modules of the file
	Container   int          `json:"container"` // 0, 1, ... among its fat binaries
	Offset      int64        `json:"offset"`    // of the entry in the file
	Size        int          `json:"size"`      // of the text, bytes
	Compression string       `json:"compression"`
	Version     string       `json:"ptx"`    // PTX version of the entry
	Target      string       `json:"target"` // sm_89
	FNV         string       `json:"fnv1a64"`
	BLAKE3      cache.Digest `json:"blake3"`
	Entries     []string     `json:"entries"`
	// Damage says why it cannot be read; then only its place is known.
	Damage string `json:"damage,omitempty"`
}

// OpenLibrary lists the modules of a library file. The list is kept in the
// store under the digest of the file; nothing is kept where store is nil. An
// error is about the file as a whole: damage of one module is in the list.
func OpenLibrary(ctx context.Context, path string, store *cache.Cache) (*Library, error) {
	var memo *cache.Memo
	if store != nil {
		memo = store.Memo()
	}
	digest, size, err := memo.File(path)
	if err != nil {
		return nil, fmt.Errorf("library %s cannot be read: %w", path, err)
	}
	lib := &Library{}
	if text, ok := memo.Derived(LibraryFormat, digest); ok {
		if at, err := cache.ParseDigest(text); err == nil {
			if data, err := store.Blob(at); err == nil && json.Unmarshal(data, lib) == nil && lib.Format == LibraryFormat {
				lib.File, lib.path = filepath.Base(path), path
				return lib, nil
			}
		}
	}
	lib = &Library{Format: LibraryFormat, File: filepath.Base(path), Digest: digest, Size: size, path: path}
	if err := lib.read(ctx); err != nil {
		return nil, err
	}
	if store != nil {
		if data, err := json.Marshal(lib); err == nil {
			if at, err := store.PutBytes(data); err == nil {
				memo.PutDerived(LibraryFormat, digest, at.String())
			}
		}
	}
	return lib, nil
}

// read goes through the file, one module at a time.
func (l *Library) read(ctx context.Context) error {
	f, err := os.Open(l.path)
	if err != nil {
		return fmt.Errorf("library %s cannot be read: %w", l.path, err)
	}
	defer f.Close()
	for m, err := range fatbin.Each(f, l.Size, l.File, fatbin.DefaultLimits) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && m.Offset == 0 {
			return fmt.Errorf("library %w", err)
		}
		lm := LibraryModule{
			Number: m.Index, Container: m.Container, Offset: m.Offset, Size: len(m.PTX), Compression: m.Compression,
			Version: m.Version, Target: m.Target,
		}
		if err != nil {
			lm.Damage = strings.TrimPrefix(err.Error(), l.File+": ")
		} else {
			lm.FNV, lm.BLAKE3 = fmt.Sprintf("%016x", fatbin.FNV1a64(m.PTX)), cache.Sum(m.PTX)
			lm.Entries = fatbin.Entries(m.PTX)
		}
		l.Modules = append(l.Modules, lm)
	}
	if len(l.Modules) == 0 {
		return fmt.Errorf("library %s holds no PTX module; a DLSS library with CUDA kernels (nvngx_dlss.dll and its like) is needed", l.File)
	}
	return nil
}

// Text reads a module.
func (l *Library) Text(m LibraryModule) ([]byte, error) {
	if m.Damage != "" {
		return nil, errors.New(m.Damage)
	}
	f, err := os.Open(l.path)
	if err != nil {
		return nil, fmt.Errorf("library %s cannot be read: %w", l.path, err)
	}
	defer f.Close()
	text, err := fatbin.At(f, l.Size, l.File, fatbin.DefaultLimits, m.Offset)
	if err != nil {
		return nil, err
	}
	if cache.Sum(text) != m.BLAKE3 {
		return nil, fmt.Errorf("library %s changed while it was read; run the command again", l.File)
	}
	return text, nil
}

// A ModuleUse is the module that defines a kernel.
type ModuleUse struct {
	Kernel  string
	Library string // name in the matrix
	File    string // base name of the library file
	Module  LibraryModule
	// Edits are those that a recipe made of it, RECIPE:KIND=N,KIND=N; "" where
	// none did.
	Edits string

	from *Library
}

// String names it for people: "module 12 of nvngx_dlss.dll (FNV 0123456789abcdef)".
func (u *ModuleUse) String() string {
	return fmt.Sprintf("module %d of %s (FNV %s)", u.Module.Number, u.File, u.Module.FNV)
}

// Text reads the module.
func (u *ModuleUse) Text() ([]byte, error) { return u.from.Text(u.Module) }

// Defining finds the module that defines a kernel in the files of one library.
// Copies with the same text are one; modules that differ are an error that
// names them.
func Defining(files []*Library, library, kernel string) (*ModuleUse, error) {
	var found []*ModuleUse
	var names, damage []string
	for _, l := range files {
		names = append(names, l.File)
		for _, m := range l.Modules {
			if m.Damage != "" {
				damage = append(damage, fmt.Sprintf("module %d of %s is damaged: %s", m.Number, l.File, m.Damage))
			}
			if slices.Contains(m.Entries, kernel) {
				found = append(found, &ModuleUse{Kernel: kernel, Library: library, File: l.File, Module: m, from: l})
			}
		}
	}
	if len(found) == 0 {
		err := fmt.Errorf("kernel %s is defined by no module of %s (library %s)", kernel, cmp.Or(strings.Join(names, ", "), "any file"), library)
		if len(damage) > 0 {
			err = fmt.Errorf("%w\n%s", err, strings.Join(damage, "\n"))
		}
		return nil, err
	}
	for _, u := range found[1:] {
		if u.Module.BLAKE3 != found[0].Module.BLAKE3 {
			return nil, fmt.Errorf("kernel %s is defined twice, and differently: by %s and by %s", kernel, found[0], u)
		}
	}
	return found[0], nil
}
