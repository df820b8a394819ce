package diag

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Class is what kind of thing went wrong; its value is the exit code.
type Class int

const (
	OK          Class = 0
	Cells       Class = 1   // one or more cells failed to build
	Usage       Class = 2   // the command line is wrong
	Matrix      Class = 3   // matrix.hcl is wrong
	Toolchain   Class = 4   // no usable compiler, or another one than pinned
	IO          Class = 5   // the cache or a file could not be read or written
	Verify      Class = 6   // something exists but is not what it should be
	Interrupted Class = 130 // SIGINT, by the shells' convention
)

func (c Class) String() string {
	switch c {
	case OK:
		return "ok"
	case Cells:
		return "cells"
	case Usage:
		return "usage"
	case Matrix:
		return "matrix"
	case Toolchain:
		return "toolchain"
	case IO:
		return "io"
	case Verify:
		return "verify"
	case Interrupted:
		return "interrupted"
	}
	return fmt.Sprintf("class %d", int(c))
}

// Failure is an error that knows its class, what to tell people, and the
// command that reruns just what failed.
type Failure struct {
	Class    Class
	Messages List
	Rerun    string // a command, or ""
	Err      error  // the cause, or nil
}

// Error is the messages one line each, else the cause, else the class.
func (f *Failure) Error() string {
	var parts []string
	if len(f.Messages) > 0 {
		parts = append(parts, f.Messages.Error())
	}
	if f.Err != nil && len(parts) == 0 {
		parts = append(parts, f.Err.Error())
	}
	if len(parts) == 0 {
		parts = append(parts, f.Class.String()+" failure")
	}
	return strings.Join(parts, "\n")
}

func (f *Failure) Unwrap() error { return f.Err }

// Failf makes a failure of one message. hint says what to do next and may be
// empty; a %w in format becomes the cause.
func Failf(c Class, hint, format string, args ...any) *Failure {
	err := fmt.Errorf(format, args...)
	return &Failure{
		Class:    c,
		Messages: List{{Summary: err.Error(), Hint: hint}},
		Err:      errors.Unwrap(err),
	}
}

// Advise says what to do about the failure where nothing does yet. No advice is "".
func (f *Failure) Advise(hint string) {
	if n := len(f.Messages); n > 0 && f.Messages[n-1].Hint == "" {
		f.Messages[n-1].Hint = hint
	}
}

// ExitCode is the exit code for an error: the class of the outermost Failure
// in the chain (the first one where errors are joined), else 130 when the
// chain holds context.Canceled, else 3 for a List (only the matrix returns
// bare lists), else 1. A Failure beats a cancellation beside it, since the
// first failed cell of a run is what cancels the others.
func ExitCode(err error) int {
	if err == nil {
		return int(OK)
	}
	var f *Failure
	if errors.As(err, &f) && f.Class != OK {
		return int(f.Class)
	}
	if errors.Is(err, context.Canceled) {
		return int(Interrupted)
	}
	var l List
	if errors.As(err, &l) {
		return int(Matrix)
	}
	return int(Cells)
}
