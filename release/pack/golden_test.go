package pack

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// The bytes of archives are a promise between machines and versions. Where these
// digests change, a new version of the compressor or a change here makes archives
// of old releases that differ from those that were handed out: say so in the
// changelog.
func TestCompressedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var b bytes.Buffer
	for b.Len() < 300<<10 { // like code: few opcodes, many registers, repeated stretches
		fmt.Fprintf(&b, "%c%c\x00\x7e%04x", r.IntN(12), r.IntN(200), r.IntN(64)<<4)
		if r.IntN(8) == 0 && b.Len() > 4096 {
			from := r.IntN(b.Len() - 512)
			b.Write(bytes.Clone(b.Bytes()[from : from+r.IntN(512)]))
		}
	}
	frame, err := compress(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	deflated, err := deflate(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"input", b.Bytes(), "b46a22037a7351a4245b26defa4b1ce6312641cbe8591b2d2f2642caafaf4c2e"},
		{"zstd", frame, "a178176152f807d245cfa5b1f48dbec87003c40461647cb3b83f68f9661ec4de"},
		{"deflate", deflated, "f9928dcd9c478fbd02161cc0e4ec9eba4f01995ae3bc5453a22f13628ac50f58"},
	} {
		if got := sha256Of(c.data); got != c.want {
			t.Errorf("%s: SHA-256 %s, want %s", c.what, got, c.want)
		}
	}
}
