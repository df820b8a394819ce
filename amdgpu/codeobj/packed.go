package codeobj

import (
	"errors"
	"fmt"
	"math"

	"github.com/tinylib/msgp/msgp"
)

// packed is a cursor over MessagePack that keeps the first error.
type packed struct {
	rest []byte
	size int
	err  error
}

func (r *packed) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d: %s", r.size-len(r.rest), fmt.Sprintf(format, args...))
	}
}

// step keeps the cursor or turns an error into one for people.
func (r *packed) step(rest []byte, err error, what string) bool {
	if err != nil {
		if errors.Is(err, msgp.ErrShortBytes) {
			r.fail("%s is cut short", what)
		} else {
			r.fail("%s: %v", what, err)
		}
		return false
	}
	r.rest = rest
	return true
}

func (r *packed) eachKey(what string, visit func(key string)) {
	if r.err != nil {
		return
	}
	n, rest, err := msgp.ReadMapHeaderBytes(r.rest)
	if !r.step(rest, err, what) {
		return
	}
	for ; n > 0 && r.err == nil; n-- {
		if key := r.str("a key of " + what); r.err == nil {
			visit(key)
		}
	}
}

func (r *packed) eachItem(what string, visit func()) {
	if r.err != nil {
		return
	}
	n, rest, err := msgp.ReadArrayHeaderBytes(r.rest)
	if !r.step(rest, err, what) {
		return
	}
	for ; n > 0 && r.err == nil; n-- {
		visit()
	}
}

func (r *packed) str(what string) string {
	s, rest, err := msgp.ReadStringBytes(r.rest)
	r.step(rest, err, what)
	return s
}

func (r *packed) bool(what string) bool {
	b, rest, err := msgp.ReadBoolBytes(r.rest)
	r.step(rest, err, what)
	return b
}

// int reads a number of the range that a size or count can have.
func (r *packed) int(what string) int {
	// newer compilers write some switches as booleans
	if msgp.NextType(r.rest) == msgp.BoolType {
		if r.bool(what) {
			return 1
		}
		return 0
	}
	n, rest, err := msgp.ReadInt64Bytes(r.rest)
	if err == nil && (n < 0 || n > math.MaxInt32) {
		r.fail("%s is %d", what, n)
		return 0
	}
	r.step(rest, err, what)
	return int(n)
}

func (r *packed) skip(what string) {
	rest, err := msgp.Skip(r.rest)
	r.step(rest, err, what)
}
