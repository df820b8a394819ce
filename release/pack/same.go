package pack

import (
	"bytes"
	"errors"
	"io"
)

// same writes what is wanted over what is there and tells where they begin to
// differ. Nothing is kept, so that it costs no memory.
func same(again func(io.Writer) error, got []byte, what string) error {
	m := &matcher{want: got}
	err := again(m)
	switch {
	case err == nil && m.at == len(got):
		return nil
	case err == nil || errors.Is(err, errDiffers):
		return &hidden{int64(m.at), what}
	}
	return err
}

var errDiffers = errors.New("differs")

// matcher compares what is written to it.
type matcher struct {
	want []byte
	at   int // up to here it is the same
}

func (m *matcher) Write(p []byte) (int, error) {
	there := m.want[m.at:min(len(m.want), m.at+len(p))]
	if bytes.Equal(there, p) {
		m.at += len(p)
		return len(p), nil
	}
	for i := range there {
		if there[i] != p[i] {
			break
		}
		m.at++
	}
	return 0, errDiffers
}
