package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kmx/internal/durable"
)

// PutBytes stores b and returns its digest.
func (c *Cache) PutBytes(b []byte) (Digest, error) {
	d, err := c.putBytes(b)
	if err != nil {
		return Digest{}, fmt.Errorf("store a blob in the cache: %w", err)
	}
	return d, nil
}

func (c *Cache) putBytes(b []byte) (Digest, error) {
	d := Sum(b)
	if c.has(d, int64(len(b))) {
		return d, nil
	}
	return d, c.put("cas", func(t *durable.Temp) (Digest, error) {
		_, err := t.Write(b)
		return d, err
	})
}

// PutFile stores the bytes of a regular file and returns their digest and
// number. The digest is of the bytes stored, also when the file changes
// meanwhile.
func (c *Cache) PutFile(path string) (Digest, int64, error) {
	d, size, err := c.putFile(path)
	if err != nil {
		return Digest{}, 0, fmt.Errorf("store a file in the cache: %w", err)
	}
	return d, size, nil
}

func (c *Cache) putFile(path string) (d Digest, size int64, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return d, 0, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return d, 0, fmt.Errorf("%s is not a regular file (%s)", path, info.Mode().Type())
	}
	f, err := os.Open(path)
	if err != nil {
		return d, 0, err
	}
	defer f.Close()
	if info.Size() < chunk {
		// Most outputs fit one buffer: digest it, then write it if it is new.
		r := readers.Get().(*reader)
		defer readers.Put(r)
		n, err := io.ReadFull(f, r.buf)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			b := r.buf[:n]
			d, err = c.putBytes(b)
			return d, int64(n), err
		}
		if err != nil {
			return d, 0, err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil { // it has grown
			return d, 0, err
		}
	}
	err = c.put("cas", func(t *durable.Temp) (Digest, error) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return d, err
		}
		d, size, err = digest(f, t)
		return d, err
	})
	return d, size, err
}

// has reports whether a blob of that size is there, and marks it as used. Its
// bytes are verified when they are read.
func (c *Cache) has(d Digest, size int64) bool {
	path := c.file("cas", d)
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if !info.Mode().IsRegular() {
		c.quarantine("cas", d, info, "not a file")
		return false
	}
	if info.Size() != size {
		c.quarantine("cas", d, info, fmt.Sprintf("%d bytes instead of %d", info.Size(), size))
		return false
	}
	return c.used(path, info)
}

// Blob returns the bytes with digest d, verified. The error is a *Miss.
func (c *Cache) Blob(d Digest) ([]byte, error) { return c.BlobInto(d, nil) }

// BlobInto is Blob into the room of a slice that is not needed any more: pages
// that are new to the process cost more than reading does.
func (c *Cache) BlobInto(d Digest, room []byte) ([]byte, error) {
	into := room[:0]
	f, info, err := c.openBlob(d)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := readAll(f, info.Size(), into)
	if err != nil {
		return nil, c.unreadable("cas", d, err)
	}
	if got := Sum(b); got != d {
		return nil, c.damaged("cas", d, info, "its digest is "+got.short())
	}
	return b, nil
}

// readAll appends what a file of about this size holds to b.
func readAll(f *os.File, size int64, b []byte) ([]byte, error) {
	b = slices.Grow(b, int(min(size, 1<<30))+bytes.MinRead)
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		b = slices.Grow(b, bytes.MinRead)
	}
}

// Place puts the blob with digest d at dst with exactly this mode, verified
// while it is copied. Neither shares bytes on disk with the other in a way
// that a write to one could change the other. When the blob is not there or
// damaged the error is a *Miss and dst is as it was; any other error is about
// dst.
func (c *Cache) Place(d Digest, dst string, mode fs.FileMode) error {
	t, err := durable.NewTemp(filepath.Dir(dst))
	if err != nil {
		return err
	}
	defer t.Discard()
	if err := c.CopyTo(d, t.File, io.Discard); err != nil {
		return err
	}
	return t.Commit(dst, mode)
}

// CopyTo writes the blob with digest d into dst, an empty file open for reading
// and writing, verified on the way, and every byte of it to also. Errors are
// those of Place; after one it is not known what dst holds, and a damaged blob
// may have been written to also.
func (c *Cache) CopyTo(d Digest, dst *os.File, also io.Writer) error {
	f, info, err := c.openBlob(d)
	if err != nil {
		return err
	}
	defer f.Close()
	src := source{Reader: f}
	var got Digest
	if durable.Clone(dst, f) {
		src.Reader = dst
		got, _, err = digest(&src, also)
	} else {
		got, _, err = digest(&src, dst, also)
	}
	if err != nil {
		if src.err != nil {
			return c.unreadable("cas", d, err)
		}
		return err
	}
	if got != d {
		return c.damaged("cas", d, info, "its digest is "+got.short())
	}
	return nil
}

// A source remembers that reading failed, to tell it from writing.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

func (c *Cache) openBlob(d Digest) (*os.File, fs.FileInfo, error) {
	path := c.file("cas", d)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		// A collector may have it in its hands: it is used, so it comes back.
		if f, err = os.Open(c.away("cas", d)); errors.Is(err, fs.ErrNotExist) {
			f, err = os.Open(path)
		}
	}
	if err != nil {
		return nil, nil, c.unreadable("cas", d, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, c.unreadable("cas", d, err)
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, nil, c.damaged("cas", d, info, "not a file")
	}
	c.used(path, info)
	return f, info, nil
}

// unreadable makes the Miss for an error of reading a blob or record.
func (c *Cache) unreadable(kind string, d Digest, err error) *Miss {
	if errors.Is(err, fs.ErrNotExist) {
		return &Miss{Key: d, Reason: Absent}
	}
	c.warn(fmt.Sprintf("cache: %v; it is made again", err))
	return &Miss{Key: d, Reason: Unreadable, Detail: err.Error()}
}

// damaged quarantines a blob or record and makes the Miss for it.
func (c *Cache) damaged(kind string, d Digest, opened fs.FileInfo, why string) *Miss {
	c.quarantine(kind, d, opened, why)
	return &Miss{Key: d, Reason: Damaged, Detail: why}
}
