package pack

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// sparse is a tar stream with a file that claims a size and has nothing.
func sparse(claimed string) []byte {
	record := func(key, value string) string {
		for n := len(key) + len(value); ; n++ {
			if s := fmt.Sprintf("%d %s=%s\n", n, key, value); len(s) == n {
				return s
			}
		}
	}
	var b bytes.Buffer
	entry := func(name string, kind byte, data string) {
		h := make([]byte, 512)
		copy(h, name)
		copy(h[100:], "0000644\x000000000\x000000000\x00")
		copy(h[124:], fmt.Sprintf("%011o\x00%011o\x00        ", len(data), at.Unix()))
		h[156] = kind
		copy(h[257:], "ustar\x0000")
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
		b.Write(h)
		b.WriteString(data)
		b.Write(make([]byte, -len(data)&511))
	}
	entry("pax", 'x', record("GNU.sparse.major", "1")+record("GNU.sparse.minor", "0")+record("GNU.sparse.name", "base/x")+record("GNU.sparse.realsize", claimed))
	entry("base/x", '0', "1\n0\n0\n"+strings.Repeat("\x00", 506))
	b.Write(make([]byte, 1024))
	return b.Bytes()
}

// What an archive claims is not believed before it is there.
func TestClaimsCostNothing(t *testing.T) {
	frame := append([]byte("\x28\xb5\x2f\xfd\xe4"), 0x58) // with a size of eight bytes and a checksum
	frame = append(frame, "\xff\xff\xff\xff\xff\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"...)
	bomb := func(sizes ...uint64) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for i, n := range sizes {
			w.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("d4r/kernels/%d", i), Method: zip.Deflate, UncompressedSize64: n})
		}
		w.Close()
		return b.Bytes()
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"x.tar.zst", frame, "a frame of more than 1024 MiB"},
		{"x.zip", bomb(1 << 31), "it holds more than 1024 MiB"},
		{"x.zip", bomb(1<<63, 1<<63), "it holds more than 1024 MiB"},
	} {
		_, err := Read(c.name, c.data)
		refused(t, err, c.want)
	}
}
