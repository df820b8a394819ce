package engine

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"syscall"

	"kmx/cache"
)

// sandbox is the directory of one action: its working directory, empty at first, removed in the end.
type sandbox struct {
	dir  string          // absolute, without symbolic links
	made map[string]bool // folders that exist in it
}

func newSandbox(parent string) (*sandbox, error) {
	dir, err := os.MkdirTemp(parent, "action")
	if err != nil {
		return nil, err
	}
	s := &sandbox{dir: dir, made: map[string]bool{".": true}}
	if err := os.Mkdir(s.path(scratch), 0o700); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *sandbox) remove() { _ = os.RemoveAll(s.dir) } // what cannot be removed is swept by a later run

func (s *sandbox) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// folderOf makes the folder that the file is to lie in.
func (s *sandbox) folderOf(name string) error {
	dir := path.Dir(name)
	if s.made[dir] {
		return nil
	}
	if err := os.MkdirAll(s.path(dir), 0o755); err != nil {
		return err
	}
	s.made[dir] = true
	return nil
}

var errChanged = errors.New("the bytes are not those of the digest")

// copyIn copies the file src to name in the sandbox. The error is errChanged when its bytes do not have the digest; one
// that wraps fs.ErrNotExist means that there is no such file any more.
func (s *sandbox) copyIn(src, name string, want cache.Digest) error {
	if err := s.folderOf(name); err != nil {
		return sandboxError{err}
	}
	in, err := os.Open(src)
	if errors.Is(err, syscall.ENOTDIR) {
		return fs.ErrNotExist // a file stands where its folder was
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(s.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return sandboxError{err}
	}
	c := copiers.Get().(*copier)
	defer copiers.Put(c)
	got, err := c.copy(out, in)
	if closed := out.Close(); err == nil && closed != nil {
		err = sandboxError{closed}
	}
	if err == nil && got != want {
		err = errChanged
	}
	return err
}

// sandboxError marks a failure to write the sandbox, as opposed to one to read an input.
type sandboxError struct{ error }

func (e sandboxError) Unwrap() error { return e.error }

// copier holds what is dear to make anew for each file: fresh pages cost more than copying into used ones.
type copier struct {
	buf    []byte
	hasher *cache.Hasher
}

var copiers = sync.Pool{New: func() any {
	return &copier{buf: make([]byte, 128<<10), hasher: cache.NewHasher()}
}}

func (c *copier) copy(out io.Writer, in io.Reader) (cache.Digest, error) {
	c.hasher.Reset()
	for {
		n, err := in.Read(c.buf)
		c.hasher.Write(c.buf[:n])
		if n > 0 {
			if _, err := out.Write(c.buf[:n]); err != nil {
				return cache.Digest{}, sandboxError{err}
			}
		}
		if err == io.EOF {
			return c.hasher.Sum(), nil
		}
		if err != nil {
			return cache.Digest{}, err
		}
	}
}

// readMessages reads what a tool wrote, without the middle when it is longer than a record keeps. The directory of the
// sandbox is taken out, as it differs from run to run.
func (s *sandbox) readMessages(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	text := make([]byte, min(info.Size(), cache.OutputLimit))
	if info.Size() <= cache.OutputLimit {
		_, err = f.ReadAt(text, 0)
	} else {
		const cut = "\n... cut here: the tool wrote more than is kept ...\n"
		half := (len(text) - len(cut)) / 2
		tail := text[half+copy(text[half:], cut):]
		if _, err = f.ReadAt(text[:half], 0); err == nil {
			_, err = f.ReadAt(tail, info.Size()-int64(len(tail)))
		}
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(s.dir+string(filepath.Separator)), nil)
	return bytes.ReplaceAll(text, []byte(s.dir), []byte(".")), nil
}
