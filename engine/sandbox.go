package engine

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"kmx/cache"
)

// sandbox is the working directory of one action after another. Between two of them everything is removed but what the
// next one needs as well, and of files that stay the bytes are compared: making files and folders anew costs more than
// all else that kmx does for an action. After an action that did not succeed it is not used again.
type sandbox struct {
	dir            string          // absolute, without symbolic links
	made           map[string]bool // folders that exist in it
	used           bool            // an action ran in it
	stdout, stderr *os.File        // have no name any more: the action does not see them
}

func newSandbox(parent string) (*sandbox, error) {
	dir, err := os.MkdirTemp(parent, "action")
	if err != nil {
		return nil, err
	}
	s := &sandbox{dir: dir, made: map[string]bool{".": true, scratch: true}}
	err = os.Mkdir(s.path(scratch), 0o700)
	for _, f := range []**os.File{&s.stdout, &s.stderr} {
		if err == nil {
			*f, err = os.CreateTemp(s.path(scratch), "message")
		}
		if err == nil {
			_ = os.Remove((*f).Name()) // where this cannot be, the file stays visible
		}
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// remove may leave something behind, which a later run sweeps.
func (s *sandbox) remove() {
	_ = s.stdout.Close()
	_ = s.stderr.Close()
	_ = os.RemoveAll(s.dir)
}

func (s *sandbox) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// prepare makes a used sandbox ready for another action: what stays are the folders that it needs, and files that stand
// where it has inputs. After an error the sandbox is of no use.
func (s *sandbox) prepare(a *Action) error {
	files, folders := map[string]bool{}, map[string]bool{".": true, scratch: true}
	need := func(name string) {
		for dir := path.Dir(name); !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	for _, in := range a.Inputs {
		files[in.Path] = true
		need(in.Path)
	}
	for _, out := range a.Outputs {
		need(out)
	}
	need(a.Depfile)
	// An action may have put anything in the place of its own folder.
	if info, err := os.Lstat(s.dir); err != nil || !info.IsDir() {
		return errors.Join(err, errNoFolder)
	}
	s.used = true
	clear(s.made)
	var sweep func(folder string) error
	sweep = func(folder string) error {
		s.made[folder] = true
		entries, err := os.ReadDir(s.path(folder))
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			switch {
			case err != nil:
			case e.IsDir() && folders[name]:
				err = sweep(name)
			case e.Type().IsRegular() && files[name]:
			default:
				err = os.RemoveAll(s.path(name))
			}
		}
		return err
	}
	err := sweep(".")
	if err == nil && !s.made[scratch] {
		err = os.Mkdir(s.path(scratch), 0o700)
		s.made[scratch] = true
	}
	if err == nil {
		err = s.quiet()
	}
	return err
}

var errNoFolder = errors.New("the sandbox is no folder any more")

// quiet forgets what was said.
func (s *sandbox) quiet() error {
	var err error
	for _, f := range []*os.File{s.stdout, s.stderr} {
		if err == nil {
			err = f.Truncate(0)
		}
		if err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
	}
	return err
}

// forget takes back what a process has said and made, as far as the action declares it.
func (s *sandbox) forget(a *Action) error {
	for _, name := range append(slices.Clip(a.Outputs), a.Depfile) {
		if name != "" {
			_ = os.RemoveAll(s.path(name))
		}
	}
	return s.quiet()
}

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
	in, err := os.Open(src)
	if errors.Is(err, syscall.ENOTDIR) {
		return fs.ErrNotExist // a file stands where its folder was
	}
	if err != nil {
		return err
	}
	defer in.Close()
	c := copiers.Get().(*copier)
	defer copiers.Put(c)
	n, err := io.ReadFull(in, c.buf)
	whole := err == io.EOF || err == io.ErrUnexpectedEOF
	if err != nil && !whole {
		return err
	}
	if whole && cache.Sum(c.buf[:n]) != want {
		return errChanged
	}
	if err := s.folderOf(name); err != nil {
		return sandboxError{err}
	}
	if whole && s.used && c.same(s.path(name), n) {
		return nil
	}
	_ = os.Remove(s.path(name))
	out, err := os.OpenFile(s.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return sandboxError{err}
	}
	got := want
	if whole {
		if _, err = out.Write(c.buf[:n]); err != nil {
			err = sandboxError{err}
		}
	} else {
		got, err = c.copy(out, in, n)
	}
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
	buf, old []byte // of the same length; most sources fit
	hasher   *cache.Hasher
}

const copySize = 128 << 10

var copiers = sync.Pool{New: func() any {
	return &copier{buf: make([]byte, copySize), old: make([]byte, copySize), hasher: cache.NewHasher()}
}}

// same tells whether the file holds the first n bytes of buf and nothing else.
func (c *copier) same(file string, n int) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	got, err := io.ReadFull(f, c.old)
	return (err == io.EOF || err == io.ErrUnexpectedEOF) && bytes.Equal(c.old[:got], c.buf[:n])
}

// copy writes the n bytes in buf and the rest of in.
func (c *copier) copy(out io.Writer, in io.Reader, n int) (cache.Digest, error) {
	c.hasher.Reset()
	for {
		c.hasher.Write(c.buf[:n])
		if _, err := out.Write(c.buf[:n]); err != nil {
			return cache.Digest{}, sandboxError{err}
		}
		var err error
		if n, err = in.Read(c.buf); err == io.EOF {
			return c.hasher.Sum(), nil
		} else if err != nil {
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
