package durable

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{syscall.ENOSPC, "make room"},
		{syscall.EDQUOT, "make room"},
		{syscall.EROFS, "writable"},
		{syscall.EACCES, "writable"},
		{os.ErrClosed, ""},
		{errors.New("other"), ""},
		{nil, ""},
	} {
		var err error
		if c.err != nil {
			err = fmt.Errorf("while writing: %w", &os.PathError{Op: "write", Path: "/x", Err: c.err})
		}
		if got := Advice(err); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v: %q", err, got)
		}
	}
}
