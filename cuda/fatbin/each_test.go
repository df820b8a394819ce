package fatbin

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"kmx/cuda/fatbin/fatbintest"
)

// TestEach holds that damage of a module does not hide the others, that it is
// said with its place, and that each text can be read by its place alone.
func TestEach(t *testing.T) {
	flip := func(offset int) func([]byte) {
		return func(h []byte) {
			binary.LittleEndian.PutUint64(h[56:], binary.LittleEndian.Uint64(h[56:])+uint64(offset))
		}
	}
	data := fatbintest.PE(fatbintest.Container(
		fatbintest.Entry{PTX: fatbintest.Text("a", "\r\n"), NULs: 3},
		fatbintest.Entry{PTX: fatbintest.Text("b", "\n"), Compression: "lz4", Edit: flip(1)},
		fatbintest.Entry{PTX: fatbintest.Text("c", "\n"), Compression: "zstd"},
		fatbintest.Entry{PTX: fatbintest.Text("d", "\n"), Compression: "lz4", Edit: flip(1 << 40)},
		fatbintest.Entry{PTX: fatbintest.Text("e", "\n"), Compression: "lz4"},
	))
	r := bytes.NewReader(data)
	var got []string
	for m, err := range Each(r, r.Size(), "lib.dll", DefaultLimits) {
		if err != nil {
			if m.Offset == 0 || !strings.HasPrefix(err.Error(), "lib.dll: container 0, entry at offset 0x") {
				t.Errorf("module %d: %v", m.Index, err)
			}
			if _, err := At(r, r.Size(), "lib.dll", DefaultLimits, m.Offset); err == nil {
				t.Errorf("module %d can be read by its place", m.Index)
			}
			got = append(got, "damaged")
			continue
		}
		got = append(got, strings.Join(Entries(m.PTX), " "))
		text, err := At(r, r.Size(), "lib.dll", DefaultLimits, m.Offset)
		if err != nil || !bytes.Equal(text, m.PTX) {
			t.Errorf("module %d by its place: %v, %d bytes", m.Index, err, len(text))
		}
	}
	if strings.Join(got, ",") != "a,damaged,c,damaged,e" {
		t.Errorf("got %v", got)
	}
	// Damage of the library as a whole has no place and ends the walk.
	cut := bytes.NewReader(data[:len(data)/2])
	errs := 0
	for m, err := range Each(cut, cut.Size(), "lib.dll", DefaultLimits) {
		if err == nil || m.Offset != 0 {
			t.Errorf("module %d: %v", m.Index, err)
		}
		errs++
	}
	if errs != 1 {
		t.Errorf("a truncated library gives %d errors", errs)
	}
}
