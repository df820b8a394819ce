//go:build unix

package main

import (
	"os"
	"syscall"
)

// become replaces this process by another program, which then has its signals
// and its exit code. It returns only when that fails.
func become(path string, args []string) (int, error) {
	err := syscall.Exec(path, append([]string{path}, args...), os.Environ())
	return 0, &os.PathError{Op: "start", Path: path, Err: err}
}
