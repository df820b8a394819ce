package durable

import (
	"errors"
	"io/fs"
)

var errStub = errors.New("not built yet")

func WriteFile(path string, data []byte, mode fs.FileMode) error { return errStub }
func Place(src, dst string, mode fs.FileMode) error              { return errStub }
func Exchange(fresh, final string) error                         { return errStub }
func Recover(final string) error                                 { return errStub }
func SyncFS(dir string) error                                    { return errStub }
