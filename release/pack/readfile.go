package pack

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxText is the most that a list, a statement or settings may have, MaxScanned
// that a file may have that is looked through.
const (
	MaxText    = 64 << 20
	MaxScanned = maxContent
)

// ReadFile reads a plain file, or one that a link leads to, of at most so many
// bytes. A device or a pipe, which may have no end, is an error.
func ReadFile(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errNotPlain}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1)) // it may grow, or say that it has nothing
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %s", name, size(most))
	}
	return data, err
}

var errNotPlain = errors.New("it is no plain file")
