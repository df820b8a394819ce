package cache

import (
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"github.com/zeebo/blake3"
)

// A Digest is the BLAKE3-256 of some bytes. The zero Digest means "none": no
// input is known that hashes to it.
type Digest [32]byte

// Sum returns the digest of b.
func Sum(b []byte) Digest { return blake3.Sum256(b) }

// IsZero reports whether d is the zero Digest.
func (d Digest) IsZero() bool { return d == Digest{} }

// String returns the 64 lower-case hexadecimal digits of d.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// short is the beginning of d, enough for people to tell it from others.
func (d Digest) short() string { return d.String()[:12] + "…" }

// ParseDigest reads what String wrote. Upper-case digits are refused, so that
// a digest has one spelling.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	if len(s) != 2*len(d) {
		return Digest{}, fmt.Errorf("digest %.80q: want 64 hexadecimal digits, have %d characters", s, len(s))
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return Digest{}, fmt.Errorf("digest %q: character %d is not a lower-case hexadecimal digit", s, i+1)
		}
	}
	if _, err := hex.Decode(d[:], []byte(s)); err != nil {
		return Digest{}, fmt.Errorf("digest %q: %w", s, err)
	}
	return d, nil
}

// MarshalText returns what String returns.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Digest) UnmarshalText(text []byte) error {
	p, err := ParseDigest(string(text))
	if err != nil {
		return err
	}
	*d = p
	return nil
}

// A Hasher digests what is written to it.
type Hasher struct{ h *blake3.Hasher }

// NewHasher returns a Hasher that has seen nothing.
func NewHasher() *Hasher { return &Hasher{blake3.New()} }

// Write never fails.
func (h *Hasher) Write(p []byte) (int, error) { return h.h.Write(p) }

// WriteString is Write without a copy at the caller.
func (h *Hasher) WriteString(s string) (int, error) { return h.h.WriteString(s) }

// Sum returns the digest of everything written so far; writing may go on.
func (h *Hasher) Sum() Digest {
	var d Digest
	h.h.Sum(d[:0])
	return d
}

// Reset forgets everything written.
func (h *Hasher) Reset() { h.h.Reset() }

// chunk is the size of one read. Fresh pages are dear: reading 64 KiB files
// into new memory each time runs at 0.66 GB/s, into a pooled buffer of this
// size at 4.75 GB/s.
const chunk = 256 << 10

// A reader is what is needed to digest a stream, kept for the next one.
type reader struct {
	hasher Hasher
	buf    []byte
}

var readers = sync.Pool{New: func() any {
	return &reader{hasher: Hasher{blake3.New()}, buf: make([]byte, chunk)}
}}

// digest reads src to its end and returns its digest and length. Every byte
// digested is also written to each of dst.
func digest(src io.Reader, dst ...io.Writer) (Digest, int64, error) {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	r.hasher.Reset()
	var size int64
	for {
		n, err := src.Read(r.buf)
		r.hasher.Write(r.buf[:n])
		size += int64(n)
		for _, w := range dst {
			if _, err := w.Write(r.buf[:n]); err != nil {
				return Digest{}, size, err
			}
		}
		if err == io.EOF {
			return r.hasher.Sum(), size, nil
		}
		if err != nil {
			return Digest{}, size, err
		}
	}
}
