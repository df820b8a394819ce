package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
)

const (
	fileMode fs.FileMode = 0o644
	dirMode  fs.FileMode = 0o755
)

// disk is the part of the file system that decides whether a release appears.
// Tests put failing steps in its place.
type disk struct {
	sync     func(dir string) error
	exchange func(t *durable.Tree) error
}

var realDisk = disk{sync: durable.SyncFS, exchange: (*durable.Tree).Exchange}

// replace makes final the tree that fill writes into an empty folder, all at
// once. When anything fails, final is what it was and the folder is gone.
func (d disk) replace(ctx context.Context, final string, fill func(fresh string) error) error {
	if err := mkdirs(filepath.Dir(filepath.Clean(final))); err != nil {
		return ioFailure(err)
	}
	fresh, err := durable.Fresh(final)
	if err != nil {
		return ioFailure(err)
	}
	defer fresh.Discard()
	if err := os.Chmod(fresh.Path, dirMode); err != nil {
		return ioFailure(err)
	}
	if err := fill(fresh.Path); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.sync(fresh.Path); err != nil {
		return ioFailure(err)
	}
	if err := d.exchange(fresh); err != nil {
		return ioFailure(err)
	}
	return nil
}

// ioFailure is the failure for an error of the file system.
func ioFailure(err error) error {
	return diag.Failf(diag.IO, durable.Advice(err), "%w", err)
}

// mkdirs makes dir and its missing parents with exactly dirMode. Folders that
// exist keep their mode: they are somebody's.
func mkdirs(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
		}
		return nil
	}
	if up := filepath.Dir(dir); up != dir {
		if err := mkdirs(up); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, dirMode); err != nil && !os.IsExist(err) {
		return err
	}
	return os.Chmod(dir, dirMode)
}

// buffers hold most objects whole, so that both hashes see long stretches.
var buffers = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// digest reads a plain file once for its size and both digests.
func digest(name string) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	buf := buffers.Get().(*[256 << 10]byte)
	defer buffers.Put(buf)
	b3, s2 := cache.NewHasher(), sha256.New()
	// The wrapper hides methods that would make CopyBuffer ignore the buffer.
	n, err := io.CopyBuffer(io.MultiWriter(b3, s2), struct{ io.Reader }{f}, buf[:])
	if err != nil {
		return File{}, err
	}
	return File{Name: filepath.Base(name), Size: n, BLAKE3: b3.Sum(), SHA256: hex.EncodeToString(s2.Sum(nil))}, nil
}

// describe is digest for bytes at hand.
func describe(name string, data []byte) File {
	s := sha256.Sum256(data)
	return File{Name: name, Size: int64(len(data)), BLAKE3: cache.Sum(data), SHA256: hex.EncodeToString(s[:])}
}
