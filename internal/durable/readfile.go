package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	return ReadSome(name, most)
}

// ReadSome is ReadFile of whatever somebody named: also of a pipe, which is waited
// for.
func ReadSome(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1)) // it may grow, or say that it has nothing
	if err == nil && int64(len(data)) > most {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("it has more than %d bytes", most)}
	}
	return data, err
}

var errNotPlain = errors.New("it is no plain file")
