package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
)

// placeAll places objects in parallel and returns their entries in order; all
// problems come in one error.
func placeAll(ctx context.Context, dir string, objects []Object, how placing) ([]Entry, error) {
	entries := make([]Entry, len(objects))
	errs := make([]error, len(objects))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range objects {
		g.Go(func() error {
			if errs[i] = ctx.Err(); errs[i] == nil {
				entries[i], errs[i] = objects[i].place(dir, how)
			}
			return nil
		})
	}
	g.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := &diag.Failure{Class: diag.IO}
	var again []string
	noRoom := 0
	for i, err := range errs {
		if err == nil {
			continue
		}
		if durable.NoRoom(err) {
			if noRoom++; noRoom > 1 {
				continue // all of them for the same reason
			}
		}
		m := diag.Message{Summary: err.Error(), Hint: durable.Advice(err)}
		var gone *cache.Miss
		if errors.As(err, &gone) { // the fault is not where it was to be placed
			m.Hint = "a rebuild of the cell puts it right"
			again = append(again, objects[i].Address)
		}
		f.Messages = append(f.Messages, m)
		f.Err = err
	}
	if len(f.Messages) == 0 {
		return entries, nil
	}
	if len(again) > 0 {
		slices.Sort(again)
		f.Rerun = "mage build " + strings.Join(slices.Compact(again), ",")
	}
	return nil, f
}

// placing makes the file of a name, from what write puts into an empty one.
type placing func(name string, write func(f *os.File) error) error

// anew makes a file in a folder that nobody looks into yet.
func anew(name string, write func(f *os.File) error) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Mode() != fileMode { // by the umask
		err = f.Chmod(fileMode)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// atOnce makes a file appear, or takes the place of another one, when it is
// complete.
func atOnce(name string, write func(f *os.File) error) error {
	t, err := durable.NewTemp(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer t.Discard()
	if err := write(t.File); err != nil {
		return err
	}
	return t.Commit(name, fileMode)
}

// place writes the object into dir and proves that what it writes is what was
// promised: digests and size are of the bytes on their way into the file.
func (o *Object) place(dir string, how placing) (Entry, error) {
	base := o.Name + ObjectSuffix
	f := File{Name: base}
	var other error
	err := how(filepath.Join(dir, base), func(dst *os.File) error {
		count := counter{Hash: sha256.New()}
		got, err := o.Bytes(dst, &count)
		if err != nil {
			return err
		}
		f.BLAKE3, f.Size, f.SHA256 = got, count.n, hex.EncodeToString(count.Sum(nil))
		switch {
		case f.BLAKE3 != o.Digest:
			other = fmt.Errorf("%s: the placed file has BLAKE3 %s, expected %s", o.Address, f.BLAKE3, o.Digest)
		case f.Size != o.Size:
			other = fmt.Errorf("%s: the placed file has %d bytes, expected %d", o.Address, f.Size, o.Size)
		case o.SHA256 != "" && f.SHA256 != o.SHA256:
			other = fmt.Errorf("%s: the placed file has SHA-256 %s, expected %s", o.Address, f.SHA256, o.SHA256)
		}
		return other
	})
	if other == nil && err != nil {
		err = fmt.Errorf("%s cannot be placed as %s: %w", o.Address, base, err)
	}
	if err != nil {
		return Entry{}, err
	}
	return o.entry(f), nil
}

// A counter hashes and counts.
type counter struct {
	hash.Hash
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return c.Hash.Write(p)
}
