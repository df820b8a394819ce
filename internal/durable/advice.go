package durable

import (
	"errors"
	"syscall"
)

// NoRoom tells whether an error means that a disk, or somebody's share of it, is
// full.
func NoRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Advice says what to do about an error of the file system; "" when there is
// nothing that helps in general.
func Advice(err error) string {
	switch {
	case NoRoom(err):
		return "make room on that disk, then run the command again"
	case errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return "make that place writable, then run the command again"
	}
	return ""
}
