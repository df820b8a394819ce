package pack

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/cuda/fatbin/fatbintest"
	"kmx/cuda/standin"
	"kmx/release"
)

// weights are n bytes of normally distributed numbers of a format.
func weights(format string, n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for len(b) < n {
		x := r.NormFloat64() * 0.1
		switch format {
		case "f32":
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		case "f16":
			b = binary.LittleEndian.AppendUint16(b, half(x))
		case "e4m3":
			h := half(x)
			b = append(b, byte(h>>8&0x80|h>>7&0x7f))
		default:
			b = append(b, byte(r.Uint32()))
		}
	}
	return b[:n]
}

// half cuts a number that is normal in binary16.
func half(x float64) uint16 {
	f := math.Float32bits(float32(x))
	e := int(f>>23&255) - 127 + 15
	if e <= 0 {
		return uint16(f >> 16 & 0x8000)
	}
	return uint16(f>>16&0x8000) | uint16(e)<<10 | uint16(f>>13&0x3ff)
}

// pe is a minimal PE file that names a maker.
func pe(maker string) []byte {
	b := make([]byte, 512)
	copy(b, "MZ")
	b[60] = 128
	copy(b[128:], "PE\x00\x00\x64\x86")
	for i, c := range utf16.Encode([]rune(maker)) {
		binary.LittleEndian.PutUint16(b[256+2*i:], c)
	}
	return b
}

func elfOf(machine uint16) []byte {
	b := make([]byte, 64)
	copy(b, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(b[18:], machine)
	return b
}

func TestScanFinds(t *testing.T) {
	object := codeobjtest.New("enc0", "gfx1201").Bytes()
	ptx := standin.Modules()[0].Text
	behind := func(b []byte) []byte { return append(bytes.Clone(object), b...) }
	var statements strings.Builder
	for i := range 12 {
		fmt.Fprintf(&statements, "\tfma.rn.f32 \t%%f%d, %%f1, %%f2, %%f3;\n", i)
	}
	for _, c := range []struct {
		name string
		data []byte
		at   int
		want string
	}{
		{"PTX", []byte(ptx), strings.Index(string(ptx), ".version"), "a PTX module"},
		{"PTX behind an object", behind([]byte(ptx)), len(object) + strings.Index(string(ptx), ".version"), "a PTX module"},
		{"a piece of PTX", []byte(statements.String()), 0, "PTX statements"},
		{"an entry", []byte("x\n.visible .entry k(\n.param .u64 p\n)"), 11, "a PTX function"},
		{"a fat binary", behind(fatbintest.Container(fatbintest.Entry{PTX: []byte("?"), Compression: "lz4"})), len(object), "a fat binary"},
		{"a wrapper", behind([]byte("\xb1\x43\x62\x46\x01\x00\x00\x00")), len(object), "the wrapper of a fat binary"},
		{"a cubin", elfOf(190), 0, "a cubin"},
		{"a cubin behind an object", behind(elfOf(190)), len(object), "a cubin"},
		{"a program", elfOf(62), 0, "an ELF file for machine 62"},
		{"another object behind an object", behind(object), len(object), "an ELF file for machine 224"},
		{"NVIDIA's library", pe("NVIDIA Corporation"), 0, "a PE file of NVIDIA's"},
		{"NVIDIA's library behind an object", behind(pe("NVIDIA Corporation")), len(object), "a PE file of NVIDIA's"},
		{"a library", pe("somebody"), 0, "a PE file"},
		{"zstd", behind([]byte("\x28\xb5\x2f\xfd\x00\x00")), len(object), "a zstd frame"},
		{"gzip", behind([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x4c\x4a\x4e\x49\x4d\x4b\x07\x00")), len(object), "gzip data"},
		{"zip", behind([]byte("PK\x03\x04\x14\x00")), len(object), "a file of a zip archive"},
		{"bytes behind an object", behind([]byte("\x00\x00\x01 some bytes")), len(object) + 2, "in no part of the object"},
		{"f16 weights", weights("f16", 64<<10), 0, "look like weights"},
		{"f32 weights", weights("f32", 64<<10), 0, "look like weights"},
		{"e4m3 weights", weights("e4m3", 64<<10), 0, "look like weights"},
		{"something enciphered", weights("", 16<<10), 0, "look like weights"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := Scan("f", c.data, nil)
			for _, f := range found {
				if f.Offset == int64(c.at) && strings.Contains(f.What, c.want) {
					return
				}
			}
			t.Errorf("want %q at %d, found %v", c.want, c.at, found)
		})
	}
}

func TestScanPasses(t *testing.T) {
	for _, target := range []string{"gfx1100", "gfx1201"} {
		if found := Scan("f", codeobjtest.New("enc0", target).Bytes(), nil); len(found) > 0 {
			t.Errorf("%s: %v", target, found)
		}
	}
	page := strings.Repeat("mma.sync is PTX, .version and .target are its directives, MZ and PK are initials; %r1 is a register.\n", 400)
	if found := Scan("f", []byte(page), nil); len(found) > 0 {
		t.Errorf("a page of the manual: %v", found)
	}
	digits := strings.Repeat(base64.StdEncoding.EncodeToString([]byte("mma.sync is PTX, .version and .target are its directives. ")), 40)
	if found := Scan("f", []byte(digits), nil); len(found) > 0 {
		t.Errorf("a page of the manual in base64: %v", found)
	}
	w := weights("f16", 64<<10)
	if found := Scan("f", w, []Span{{0, int64(len(w))}}); len(found) > 0 {
		t.Errorf("declared data: %v", found)
	}
	if found := Scan("f", w, []Span{{0, 10 << 10}}); len(found) != 1 || found[0].Offset == 0 {
		t.Errorf("half declared data: %v", found)
	}
	// The manifests of a release with long command lines and many digests.
	tree, err := Load(sample(t, choice{tex: true}))
	if err != nil {
		t.Fatal(err)
	}
	if found := ScanTree(tree); len(found) > 0 {
		t.Errorf("a release: %v", found)
	}
}

// Data symbols that the manifest lists are declared; others are not.
func TestDeclared(t *testing.T) {
	o := codeobjtest.New("enc0", "gfx1201")
	o.Vars = append(o.Vars, codeobjtest.Var{Name: "table", Value: 7, Size: 4})
	data := o.Bytes()
	spans := declared(data, []release.Symbol{{Name: "table", Kind: "data", Size: 4}, {Name: "gone", Kind: "data", Size: 4}})
	if len(spans) != 1 || binary.LittleEndian.Uint32(data[spans[0].Start:]) != 7 || spans[0].End != spans[0].Start+4 {
		t.Errorf("%v", spans)
	}
	if spans := declared(data, []release.Symbol{{Name: "table", Kind: "data", Size: 8}}); len(spans) > 0 {
		t.Errorf("of another size: %v", spans)
	}
}

// An NVIDIA module that is hidden in an object of a release does not get out.
func TestHiddenModule(t *testing.T) {
	module := []byte(standin.Modules()[0].Text)
	for name, hide := range map[string]func([]byte) []byte{
		"PTX": func(b []byte) []byte { return append(b, module...) },
		"fatbin": func(b []byte) []byte {
			return append(b, fatbintest.Container(fatbintest.Entry{PTX: module, Compression: "zstd"})...)
		},
		"cubin":   func(b []byte) []byte { return append(b, elfOf(190)...) },
		"library": func(b []byte) []byte { return append(b, pe("NVIDIA Corporation")...) },
		"weights": func(b []byte) []byte { return append(b, weights("f16", 64<<10)...) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, out := sample(t, choice{object: hide}), filepath.Join(t.TempDir(), "archives")
			for _, a := range []Archive{network, full} {
				_, err := Pack(t.Context(), Options{Release: dir, Out: out, Archives: []Archive{a}})
				refused(t, err, "gfx1201/enc0.hsaco: offset ")
			}
			_, _, err := Install(t.Context(), InstallOptions{Release: dir, To: out})
			refused(t, err, "gfx1201/enc0.hsaco: offset ")
			if _, err := os.Stat(out); err == nil {
				t.Error("there are archives")
			}
		})
	}
}

func FuzzScan(f *testing.F) {
	f.Add(codeobjtest.New("enc0", "gfx1201").Bytes())
	f.Add(pe("NVIDIA"))
	f.Add(elfOf(190))
	f.Fuzz(func(t *testing.T, data []byte) {
		last := int64(0)
		for _, x := range Scan("f", data, declared(data, []release.Symbol{{Name: "d4r_block_z", Kind: "data", Size: 4}})) {
			if x.Offset < last || x.Offset >= int64(len(data)) {
				t.Fatalf("%v behind %d, of %d bytes", x, last, len(data))
			}
			last = x.Offset
		}
	})
}
