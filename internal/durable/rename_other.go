//go:build !linux

package durable

import "errors"

func renameNew(old, new string) error { return errors.ErrUnsupported }
func renameSwap(a, b string) error    { return errors.ErrUnsupported }
