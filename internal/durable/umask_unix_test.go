//go:build unix

package durable

import "golang.org/x/sys/unix"

func setUmask(m int) (restore func()) {
	old := unix.Umask(m)
	return func() { unix.Umask(old) }
}
