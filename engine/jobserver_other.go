//go:build !unix

package engine

import "errors"

// tokenPipe stands for a jobserver that this system has in another form.
type tokenPipe struct{}

func openTokens(string) (*tokenPipe, *JobserverError) {
	return nil, &JobserverError{Why: "kmx knows those of Unix only"}
}

func (*tokenPipe) take() (byte, error) { return 0, errors.ErrUnsupported }
func (*tokenPipe) give(byte)           {}
func (*tokenPipe) wake()               {}
func (*tokenPipe) close()              {}
