package capture

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// sample has every kind of line.
func sample() *Capture {
	args := make([]byte, 40)
	binary.LittleEndian.PutUint64(args, 0x7000_0000_0010)
	binary.LittleEndian.PutUint64(args[8:], 0x7000_0100_0000)
	binary.LittleEndian.PutUint64(args[16:], 0x7000_0000_0000)
	binary.LittleEndian.PutUint64(args[24:], 42)
	c := &Capture{Kernel: "some_kernel", Grid: [3]uint32{3, 2, 1}, Block: [3]uint32{32, 1, 4}, SharedBytes: 100, Args: args,
		Allocations: []Allocation{{0, 0x7000_0000_0000, []byte("first allocation, 32 bytes long.")}, {3, 0x7000_0100_0000, []byte("second")}},
	}
	c.FindPointers()
	return c
}

func TestPointersAreFound(t *testing.T) {
	want := []Pointer{{0, 0, 16}, {8, 3, 0}, {16, 0, 0}}
	if got := sample().Pointers; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestManifestText(t *testing.T) {
	c := sample()
	c.Textures, c.Surfaces = []int{32}, []int{24}
	const want = `kernel some_kernel
launch 3 2 1 32 1 4 100
args 40
alloc 0 0x700000000000 32
pointer 0 0 16
alloc 3 0x700001000000 6
pointer 8 3 0
pointer 16 0 0
surface 24
texture 32
`
	if got := string(formatManifest(c)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestWriteAndRead(t *testing.T) {
	c := sample()
	c.Textures = []int{32}
	dir := filepath.Join(t.TempDir(), DirectoryName(12, c.Kernel))
	if !strings.HasSuffix(dir, "replay-000012-some_kernel") {
		t.Error(dir)
	}
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, c) {
		t.Errorf("read %+v, wrote %+v", got, c)
	}
	if err := c.Write(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("writing into a capture: %v", err)
	}
}

func TestResultsWithoutManifest(t *testing.T) {
	c, dir := sample(), t.TempDir()
	for name, data := range map[string]string{"alloc-0.bin": "FIRST allocation, 32 bytes long.", "alloc-3.bin": "SECOND"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadResults(dir, c)
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Allocations[1].Data) != "SECOND" || string(c.Allocations[1].Data) != "second" {
		t.Errorf("%q and %q", got.Allocations[1].Data, c.Allocations[1].Data)
	}
	if err := os.WriteFile(filepath.Join(dir, "alloc-3.bin"), []byte("too long"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadResults(dir, c); err == nil || !strings.Contains(err.Error(), "alloc-3.bin has 8 bytes, the manifest says 6") {
		t.Error(err)
	}
}

func TestBadManifests(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `there is no line "kernel"`},
		{"", `there is no line "launch"`},
		{"kernel a b\n", "line 1: kernel: 2 values, there should be 1"},
		{"kernel ../../etc/x\n", "no name of a kernel"},
		{"kernel a\nkernel b\n", "line 2: kernel: it is there twice"},
		{"launch 1 2 3 4 5 0 7\n", "line 1: launch: a size is 0"},
		{"launch 1 2 3 4 5 6\n", "6 values, there should be 7"},
		{"launch 1 2 3 4 5 99999999999 7\n", `"99999999999" is no number of 32 bits`},
		{"args 999999\n", "more than any kernel has"},
		{"args 16\npointer 16 0 0\n", "the pointer at offset 16 lies beyond the 16 bytes of parameters"},
		{"alloc 0 0x1000 16\nalloc 0 0x2000 16\n", "line 2: alloc: allocation 0 is there twice"},
		{"alloc 5000 0x1000 16\n", "number 5000 is too large"},
		{"alloc 1 nowhere 16\n", `"nowhere" is no number of 64 bits`},
		{"alloc 1 0x1000 99999999999999999\n", "more than any device has"},
		{"alloc 1 0x1000 16\npointer 0 1 17\n", "leads 17 bytes into allocation 1, which has 16"},
		{"texture -1\n", `"-1" is no number`},
		{"pointer 0 9999 0\n", "is too large"},
	} {
		_, problems := parseManifest([]byte(c.text))
		if all := strings.Join(problems, "\n"); !strings.Contains(all, c.want) {
			t.Errorf("%q:\n%s\nwant %s", c.text, all, c.want)
		}
	}
	m, problems := parseManifest([]byte("kernel k\r\nversion 7 of something\nlaunch 1 1 1 32 1 1 0\n\nargs 8\npointer 0 4 0x10\n"))
	if len(problems) > 0 || m.Kernel != "k" || len(m.Pointers) != 1 || m.Pointers[0].Delta != 16 {
		t.Errorf("unknown words, empty lines, carriage returns: %v %+v", problems, m)
	}
}

// Everything wrong with a directory is said at once.
func TestAllProblemsAtOnce(t *testing.T) {
	c := sample()
	dir := filepath.Join(t.TempDir(), "c")
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(dir, "manifest.txt")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []error{
		os.WriteFile(manifest, append(text, "alloc 5 0x700000000010 4\nalloc 6 0xfffffffffffffff0 32\n"...), 0o644),
		os.WriteFile(filepath.Join(dir, "args.bin"), make([]byte, 39), 0o644),
		os.WriteFile(filepath.Join(dir, "alloc-5.bin"), make([]byte, 4), 0o644),
		os.WriteFile(filepath.Join(dir, "alloc-6.bin"), make([]byte, 32), 0o644),
		os.Remove(filepath.Join(dir, "alloc-3.bin")),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	_, err = Read(dir)
	var bad *BadCapture
	if !errors.As(err, &bad) || len(bad.Problems) != 3 {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{"args.bin has 39 bytes, the manifest says 40", "alloc-3.bin", "allocations 0 and 5 share addresses"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nshould say %s", err, want)
		}
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "D4R_CUDA_REPLAY_DUMP_DIR") {
		t.Errorf("a directory that is no capture: %v", err)
	}
}

func TestUnreplayable(t *testing.T) {
	for _, c := range []struct {
		change func(*Capture)
		want   string
	}{
		{func(*Capture) {}, ""},
		{func(c *Capture) { c.Textures = []int{32} }, "uses a texture (parameter at offset 32)"},
		{func(c *Capture) { c.Surfaces = []int{24} }, "uses a surface (parameter at offset 24)"},
		{func(c *Capture) { c.Allocations = c.Allocations[:1] }, "the parameter at offset 8 points into allocation 3, whose copy is missing"},
	} {
		s := sample()
		c.change(s)
		err := s.Unreplayable()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestReadMemory(t *testing.T) {
	c := sample()
	if b, err := c.Read(0x7000_0000_0006, 10); err != nil || string(b) != "allocation" {
		t.Errorf("%q, %v", b, err)
	}
	for _, bad := range []struct {
		addr uint64
		n    int
	}{{0x6fff_ffff_ffff, 1}, {0x7000_0000_0020, 1}, {0x7000_0000_001f, 2}, {0, 0}, {0x7000_0000_0000, -1}} {
		if _, err := c.Read(bad.addr, bad.n); err == nil {
			t.Errorf("%d bytes at %#x can be read", bad.n, bad.addr)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(formatManifest(sample()))
	f.Add([]byte("kernel k\nlaunch 1 1 1 1 1 1 0\nargs 16\nalloc 1 0 0\npointer 8 1 0\ntexture 0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, problems := parseManifest(data)
		if len(problems) > 0 {
			return
		}
		// What is sound survives writing and reading, but for sizes, which
		// come from the files.
		c := m.Capture
		c.Args = make([]byte, m.args)
		for i := range c.Allocations {
			if m.sizes[c.Allocations[i].Number] > 1<<16 {
				return
			}
			c.Allocations[i].Data = make([]byte, m.sizes[c.Allocations[i].Number])
		}
		again, problems := parseManifest(formatManifest(&c))
		if len(problems) > 0 || again.Kernel != c.Kernel || again.Grid != c.Grid || again.args != m.args || !reflect.DeepEqual(again.sizes, m.sizes) {
			t.Errorf("%v\n%s", problems, formatManifest(&c))
		}
	})
}
