package fatbin_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kmx/cuda/fatbin"
	"kmx/cuda/fatbin/fatbintest"
)

// long is a text that is worth compressing.
func long(kernels, lineEnd string) []byte {
	return append(fatbintest.Text(kernels, lineEnd), bytes.Repeat([]byte("// "+kernels+lineEnd), 40)...)
}

// library is a mixture of everything, and the texts in it.
func library() (containers [][]byte, texts [][]byte) {
	texts = [][]byte{
		fatbintest.Text("raw_lf", "\n"), long("packed_lz4 packed_twice", "\r\n"), long("packed_zstd", "\r\n"),
		fatbintest.Text("raw_crlf", "\r\n"), long("packed_twice", "\n"),
	}
	return [][]byte{
		fatbintest.Container(
			fatbintest.Entry{Kind: 2, PTX: []byte("\x7fELF machine code"), Header: 80},
			fatbintest.Entry{PTX: texts[0], NULs: 5},
			fatbintest.Entry{PTX: texts[1], Compression: "lz4", Header: 112, NULs: 1, SM: 90, Flags: 0x100000}),
		fatbintest.Container(fatbintest.Entry{Kind: 2, PTX: []byte("more"), Compression: "zstd"}),
		fatbintest.Container(),
		fatbintest.Container(
			fatbintest.Entry{PTX: texts[2], Compression: "zstd", Header: 72},
			fatbintest.Entry{PTX: texts[3]},
			fatbintest.Entry{PTX: texts[4], Compression: "zstd", Header: 96}),
	}, texts
}

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	containers, texts := library()
	bare := slices.Concat([]byte("somebody's header of 24 b"), make([]byte, 7))
	for _, c := range containers {
		bare = append(bare, c...)
		bare = append(bare, make([]byte, -len(bare)&7)...)
	}
	for name, data := range map[string][]byte{
		// wrappers lead past what only looks like a container
		"nvngx_dlss.dll": append(fatbintest.PE(containers...), containers[0]...), "bare.fatbin": bare,
		"relocated.so": fatbintest.ELF(true, containers...), "plain.so": fatbintest.ELF(false, containers...),
	} {
		t.Run(name, func(t *testing.T) {
			mods, err := fatbin.Read(write(t, name, data))
			if err != nil {
				t.Fatal(err)
			}
			if len(mods) != len(texts) {
				t.Fatalf("%d modules, want %d", len(mods), len(texts))
			}
			for i, m := range mods {
				if !bytes.Equal(m.PTX, texts[i]) {
					t.Errorf("module %d is not as stored: %q", i, m.PTX)
				}
				if m.Index != i || m.Library != name || binary.LittleEndian.Uint16(data[m.Offset:]) != 1 {
					t.Errorf("module %d: %s, index %d, offset 0x%x", i, m.Library, m.Index, m.Offset)
				}
			}
			if m := mods[1]; m.Compression != "lz4" || m.Target != "sm_90a" || m.Version != "8.3" || m.Container != 0 {
				t.Errorf("%s %s %s in container %d", m.Compression, m.Target, m.Version, m.Container)
			}
			if m := mods[2]; m.Compression != "zstd" || m.Target != "sm_89" || m.Container != 3 {
				t.Errorf("%s %s in container %d", m.Compression, m.Target, m.Container)
			}
		})
	}
}

// TestHashes recomputes the hashes with its own few lines.
func TestHashes(t *testing.T) {
	containers, texts := library()
	fnv := func(b []byte) uint64 {
		h := uint64(0xcbf29ce484222325)
		for _, c := range b {
			h = (h ^ uint64(c)) * 0x100000001b3
		}
		return h
	}
	twice := []uint64{fnv(texts[1]), fnv(texts[4])}
	slices.Sort(twice)
	want := map[string][]uint64{
		"raw_lf": {fnv(texts[0])}, "packed_lz4": {fnv(texts[1])}, "packed_zstd": {fnv(texts[2])}, "raw_crlf": {fnv(texts[3])},
		"packed_twice": twice,
	}
	path := write(t, "nvngx_dlss.dll", fatbintest.PE(append(containers, containers[0])...))
	mods, err := fatbin.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	streamed, err := fatbin.ReadHashes(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := fatbin.Hashes(mods); fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(streamed) != fmt.Sprint(want) {
		t.Errorf("got %x and %x, want %x", got, streamed, want)
	}
	if got := fatbin.FNV1a64([]byte("a\x00\x00")); got != 0xaf63dc4c8601ec8c {
		t.Errorf("hash of %q is %x", "a", got)
	}
}

func TestStopsWhenAsked(t *testing.T) {
	containers, _ := library()
	data := fatbintest.PE(containers...)
	for range fatbin.All(bytes.NewReader(data), int64(len(data)), "l", fatbin.DefaultLimits) {
		break
	}
}

func TestRefusals(t *testing.T) {
	text := long("k", "\n")
	entry := func(compression string, edit func(h []byte)) []byte {
		return fatbintest.PE(fatbintest.Container(fatbintest.Entry{PTX: text}, fatbintest.Entry{PTX: text, Compression: compression, Edit: edit}))
	}
	put32 := func(at int, v uint32) func([]byte) {
		return func(h []byte) { binary.LittleEndian.PutUint32(h[at:], v) }
	}
	put64 := func(at int, v uint64) func([]byte) {
		return func(h []byte) { binary.LittleEndian.PutUint64(h[at:], v) }
	}
	sound := fatbintest.PE(fatbintest.Container(fatbintest.Entry{PTX: text}))
	small := fatbin.Limits{Module: 300, Total: 1 << 20, Ratio: 10}
	tight := fatbin.Limits{Module: 1 << 20, Total: int64(len(text)) + 100, Ratio: 10}
	bomb := fatbintest.PE(fatbintest.Container(fatbintest.Entry{PTX: make([]byte, 8<<20), Compression: "zstd"}))
	for _, c := range []struct {
		name   string
		data   []byte
		limits fatbin.Limits
		want   string
	}{
		{"header too short", entry("", put32(4, 63)), fatbin.DefaultLimits, "corrupt: its header claims 63 bytes"},
		{"header too long", entry("", put32(4, 1<<20)), fatbin.DefaultLimits, "corrupt: its header claims 1048576 bytes"},
		{"payload beyond the container", entry("", put64(8, 1<<63)), fatbin.DefaultLimits, "are left in the container"},
		{"rest too short", entry("", put64(8, 8)), fatbin.DefaultLimits, "corrupt"},
		{"no compressed size", entry("lz4", put32(16, 0)), fatbin.DefaultLimits, "corrupt: 0 compressed bytes"},
		{"compressed size beyond the payload", entry("zstd", put32(16, 1<<30)), fatbin.DefaultLimits, "corrupt: 1073741824 compressed bytes"},
		{"huge claim, LZ4", entry("lz4", put64(56, 1<<40)), fatbin.DefaultLimits, "more than the limit of 268435456 for a module"},
		{"impossible claim, LZ4", entry("lz4", put64(56, 1<<20)), fatbin.DefaultLimits, "cannot hold 1048576"},
		{"too large, zstd", entry("zstd", nil), small, "more than the limit of 300 for a module"},
		{"too large, raw", entry("", nil), small, "more than the limit of 300 for a module"},
		{"bomb", bomb, fatbin.DefaultLimits, "more than 1000 times"},
		{"too much together", entry("", nil), tight, "have more than"},
		{"LZ4 claims less", entry("lz4", put64(56, 20)), fatbin.DefaultLimits, "corrupt LZ4 block"},
		{"LZ4 claims more", entry("lz4", put64(56, uint64(len(text))+1)), fatbin.DefaultLimits, "corrupt: the header says"},
		{"zstd claims less", entry("zstd", put64(56, 20)), fatbin.DefaultLimits, "corrupt"},
		{"zstd claims more", entry("zstd", put64(56, uint64(len(text))+1)), fatbin.DefaultLimits, "corrupt: the header says"},
		{"LZ4 called zstd", entry("lz4", put64(40, 0x8000)), fatbin.DefaultLimits, "corrupt zstd frame"},
		{"zstd called LZ4", entry("zstd", put64(40, 0x2000)), fatbin.DefaultLimits, "corrupt"},
		{"both", entry("zstd", put64(40, 0xa000)), fatbin.DefaultLimits, "say both LZ4 and zstd"},
		{"cut PE", sound[:0x400], fatbin.DefaultLimits, "truncated or corrupt: a section of"},
		{"cut PE header", sound[:0x90], fatbin.DefaultLimits, "not a readable PE file"},
		{"cut ELF", fatbintest.ELF(true)[:80], fatbin.DefaultLimits, "not a readable ELF file"},
		{"cut container", fatbintest.Container(fatbintest.Entry{PTX: text})[:200], fatbin.DefaultLimits, "container 0 at offset 0x0: truncated or corrupt"},
		{"containers in each other", nested(), fatbin.DefaultLimits, "overlap"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var err error
			for _, e := range fatbin.All(bytes.NewReader(c.data), int64(len(c.data)), "nvngx_dlss.dll", c.limits) {
				err = e
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "nvngx_dlss.dll: ") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	_, err := fatbin.Read(write(t, "notes.txt", []byte("nothing here")))
	if err == nil || !strings.Contains(err.Error(), "notes.txt holds no PTX module") {
		t.Error(err)
	}
	data := entry("lz4", put32(16, 0))
	_, err = fatbin.Read(write(t, "a.dll", data))
	if err == nil || !strings.HasPrefix(err.Error(), "a.dll: container 0 at offset 0x200: entry at offset 0x") {
		t.Error(err)
	}
}

// nested has a wrapper into the middle of a container.
func nested() []byte {
	inner := fatbintest.Container(fatbintest.Entry{PTX: []byte("// inner")})
	data := fatbintest.PE(fatbintest.Container(fatbintest.Entry{PTX: inner}), inner)
	at := bytes.LastIndex(data, []byte("\xb1\x43\x62\x46"))
	binary.LittleEndian.PutUint64(data[at+8:], 0x18001000+16+64)
	return data
}

func FuzzPE(f *testing.F) {
	containers, _ := library()
	f.Add(fatbintest.PE(containers[1:3]...))
	f.Add(fatbintest.PE(fatbintest.Container(fatbintest.Entry{PTX: long("k", "\n"), Compression: "lz4"})))
	f.Add(fatbintest.ELF(false, containers[1]))
	f.Fuzz(walk)
}

func FuzzFatbin(f *testing.F) {
	containers, _ := library()
	for _, c := range containers {
		f.Add(c)
	}
	f.Fuzz(walk)
}

// walk reads with small limits and holds the reader to them.
func walk(t *testing.T, data []byte) {
	l := fatbin.Limits{Module: 1 << 16, Total: 1 << 18, Ratio: 100}
	total := int64(0)
	for m, err := range fatbin.All(bytes.NewReader(data), int64(len(data)), "lib", l) {
		if err != nil {
			if !strings.HasPrefix(err.Error(), "lib: ") {
				t.Fatalf("error without the library: %v", err)
			}
			return
		}
		if total += int64(len(m.PTX)); int64(len(m.PTX)) > l.Module || total > l.Total {
			t.Fatalf("%d bytes in one module, %d in all", len(m.PTX), total)
		}
		fatbin.Entries(m.PTX)
	}
}
