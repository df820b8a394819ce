package toolchains

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"kmx/cache"
)

// digestFormat begins every closure digest; a change of what a closure covers
// changes it.
const digestFormat = "kmx.toolchain/1"

// hashes are the digests of this run, so that a nil memo reads no file twice.
type hashes struct {
	mu    sync.Mutex
	known map[string]File // by path, without a name
}

func (h *hashes) of(path string, memo *cache.Memo) (File, error) {
	h.mu.Lock()
	f, ok := h.known[path]
	h.mu.Unlock()
	if ok {
		return f, nil
	}
	f.Path = path
	var err error
	if f.Digest, f.Size, err = memo.File(path); err != nil {
		return File{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[string]File{}
	}
	h.known[path] = f
	return f, nil
}

// all fills in the digests of named files, several at a time.
func (h *hashes) all(ctx context.Context, files []File, memo *cache.Memo) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range files {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			f, err := h.of(files[i].Path, memo)
			f.Name = files[i].Name
			files[i] = f
			return err
		})
	}
	return g.Wait()
}

const objectKind = "kmx.elf/1"

// object reads what the loader reads of a file, from the memo where its digest
// is known there: a second look at an unchanged machine opens no library.
func (in *installation) object(path string, memo *cache.Memo) (*object, error) {
	f, err := in.hashed.of(path, memo)
	if err != nil {
		return nil, err
	}
	o := new(object)
	if text, ok := memo.Derived(objectKind, f.Digest); ok && json.Unmarshal([]byte(text), o) == nil {
		return o, nil
	}
	if o, err = readObject(path); err != nil {
		return nil, err
	}
	if text, err := json.Marshal(o); err == nil {
		memo.PutDerived(objectKind, f.Digest, string(text))
	}
	return o, nil
}

// binaries lists the programs and libraries of the compiler, without digests.
func (in *installation) binaries(l *looker, memo *cache.Memo) ([]File, error) {
	files := []File{{Name: "bin/clang++" + exe, Path: in.binary}, {Name: "bin/lld" + exe, Path: in.lld}}
	ld := newLoader(l, in.libs)
	ld.read = func(path string) (*object, error) { return in.object(path, memo) }
	at := map[string]string{}
	var missing []string
	for _, program := range []string{in.binary, in.lld} {
		libs, err := ld.load(program)
		var gap *missingLibraries
		switch {
		case errors.Is(err, errNotELF) && (runtime.GOOS == "windows" || runtime.GOOS == "darwin"):
			return append(files, in.companions(l)...), nil
		case errors.Is(err, errNotELF):
			return nil, fmt.Errorf("%s is a script or for another system: what it starts cannot be fingerprinted", filepath.Base(program))
		case errors.As(err, &gap):
			for _, name := range gap.names {
				if !slices.Contains(missing, name) {
					missing = append(missing, name)
				}
			}
		case err != nil:
			return nil, err
		}
		for _, lib := range libs {
			name := "lib/" + lib.name
			if at[name] == lib.path {
				continue
			}
			if at[name] != "" { // the two programs load different ones
				name = "lib/" + filepath.Base(program) + "/" + lib.name
			}
			at[name] = lib.path
			files = append(files, File{Name: name, Path: lib.path})
		}
	}
	if missing != nil {
		return nil, &missingLibraries{missing}
	}
	return files, nil
}

// companions are the shared libraries that an installation brings itself, on
// systems whose loader is not read here (Windows, macOS).
func (in *installation) companions(l *looker) []File {
	var out []File
	for _, dir := range []string{"bin", "lib"} {
		for _, name := range l.names(filepath.Join(in.root(), dir)) {
			if ext := strings.ToLower(filepath.Ext(name)); ext != ".dll" && ext != ".dylib" {
				continue
			}
			if path, err := filepath.EvalSymlinks(filepath.Join(in.root(), dir, name)); err == nil {
				out = append(out, File{Name: "lib/" + name, Path: path})
			}
		}
	}
	return out
}

// closure lists and digests every file that may influence what the compiler
// writes, sorted by name.
func (in *installation) closure(ctx context.Context, l *looker, memo *cache.Memo) ([]File, error) {
	files := slices.Clone(in.files)
	for _, name := range l.names(in.bin) {
		if strings.HasSuffix(name, ".cfg") && l.isFile(filepath.Join(in.bin, name)) {
			files = append(files, File{Name: "bin/" + name, Path: filepath.Join(in.bin, name)})
		}
	}
	include, err := tree(l, filepath.Join(in.resources(), "include"), "include", "")
	if err != nil {
		return nil, err
	}
	files = append(files, include...)
	bitcode, err := in.bitcode(l)
	if err != nil {
		return nil, err
	}
	files = append(files, bitcode...)
	if err := in.hashed.all(ctx, files, memo); err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(files, func(a, b File) bool { return a.Name == b.Name }), nil
}

// bitcode lists the device libraries of a ROCm tree, which lies two levels above
// its LLVM (/opt/rocm/lib/llvm), or one in older layouts.
func (in *installation) bitcode(l *looker) ([]File, error) {
	root := in.root()
	for _, dir := range []string{
		filepath.Join(in.resources(), "lib", "amdgcn", "bitcode"),
		filepath.Join(root, "amdgcn", "bitcode"),
		filepath.Join(root, "..", "amdgcn", "bitcode"),
		filepath.Join(root, "..", "..", "amdgcn", "bitcode"),
	} {
		if l.isDir(dir) {
			return tree(l, dir, "bitcode", ".bc")
		}
	}
	return nil, nil
}

// tree lists the files below a directory, which may itself be a link; a
// directory that is absent has none.
func tree(l *looker, dir, name, ext string) ([]File, error) {
	if !l.isDir(dir) {
		return nil, nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	var out []File
	err = filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			l.asked[path] = true
			return nil
		}
		rel, err := filepath.Rel(real, path)
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if path, err = filepath.EvalSymlinks(path); err != nil || !l.isFile(path) {
				return nil // dangling, or a directory: nothing the compiler could include by this name
			}
		}
		if strings.HasSuffix(rel, ext) {
			out = append(out, File{Name: name + "/" + filepath.ToSlash(rel), Path: path})
		}
		return nil
	})
	return out, err
}

// digestOf is the BLAKE3 of the format name and, for each file in order of its
// name, name and digest behind their lengths.
func digestOf(files []File, core bool) cache.Digest {
	h := cache.NewHasher()
	part := func(b []byte) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	part([]byte(digestFormat))
	for _, f := range files {
		if core && f.Host() {
			continue
		}
		part([]byte(f.Name))
		part(f.Digest[:])
	}
	return h.Sum()
}

// owns tells whether a path in a dependency file is a member of the closure,
// under the spelling the compiler prints (its resource directory as seen from
// the driver) or the real one.
func (in *installation) owns(files []File) func(abs string) bool {
	known := make(map[string]bool, 2*len(files))
	for _, f := range files {
		known[f.Path] = true
		if rel, ok := strings.CutPrefix(f.Name, "include/"); ok {
			known[filepath.Join(in.resources(), "include", filepath.FromSlash(rel))] = true
		}
	}
	return func(abs string) bool {
		if abs = filepath.Clean(abs); known[abs] {
			return true
		}
		real, err := filepath.EvalSymlinks(abs)
		return err == nil && known[real]
	}
}
