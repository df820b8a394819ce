package pack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kmx/internal/diag"
)

var at = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

func items() []Item {
	return []Item{
		{"gfx1100/a.hsaco", bytes.Repeat([]byte("code "), 1000)},
		{"gfx1100-fp8/" + strings.Repeat("n", 120) + ".hsaco", []byte("x")},
		{"manifest.json", []byte("{}\n")},
	}
}

func archived(t *testing.T, format string) []byte {
	t.Helper()
	tree := &Tree{Items: items()}
	tree.sort()
	m, err := write(format, "base", tree, at)
	if err != nil {
		t.Fatal(err)
	}
	return m.data
}

func TestReadBack(t *testing.T) {
	for _, format := range []string{TarZst, Zip} {
		c, err := Read("base."+format, archived(t, format))
		if err != nil {
			t.Fatal(err)
		}
		if !c.Time.Equal(at) || len(c.Items) != 3 || c.Root != root(format, "base") {
			t.Errorf("%s: %+v", format, c)
		}
		for _, want := range items() {
			found := false
			for _, got := range c.Items {
				found = found || got.Path == want.Path && bytes.Equal(got.Data, want.Data)
			}
			if !found {
				t.Errorf("%s: no %s", format, want.Path)
			}
		}
	}
}

// A changed bit is an error, or one that decoders pass over: never other content.
// That it changed is for the sums to find.
func TestEveryByteCounts(t *testing.T) {
	for _, format := range []string{TarZst, Zip} {
		data := archived(t, format)
		passed := 0
		for i := range data {
			for bit := range 8 {
				bad := bytes.Clone(data)
				bad[i] ^= 1 << bit
				c, err := Read("base."+format, bad)
				if err != nil {
					continue
				}
				if passed++; !c.Time.Equal(at) || !sameItems(c.Items) {
					t.Fatalf("%s: byte %d of %d may be %#x instead of %#x", format, i, len(data), bad[i], data[i])
				}
			}
		}
		if passed*50 > 8*len(data) {
			t.Errorf("%s: %d of %d bits are passed over", format, passed, 8*len(data))
		}
	}
}

func sameItems(got []Item) bool {
	tree := &Tree{Items: items()}
	tree.sort()
	if len(got) != len(tree.Items) {
		return false
	}
	for i, want := range tree.Items {
		if got[i].Path != want.Path || !bytes.Equal(got[i].Data, want.Data) {
			return false
		}
	}
	return true
}

func TestNothingHidesInATar(t *testing.T) {
	stream, err := tarOf("base", items(), at)
	if err != nil {
		t.Fatal(err)
	}
	frame := func(b []byte) []byte {
		t.Helper()
		c, err := compress(b)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	written := func(headers ...*tar.Header) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range headers {
			h.ModTime = at
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			w.Write(make([]byte, h.Size))
		}
		w.Close()
		return frame(b.Bytes())
	}
	whole := frame(stream)
	padding := bytes.Clone(stream)
	padding[bytes.Index(padding, []byte("{}\n"))+100] = 'x'
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"behind the frame", append(bytes.Clone(whole), "hidden"...), "6 bytes behind the end of the frame"},
		{"a second frame", append(bytes.Clone(whole), whole...), "behind the end of the frame"},
		{"a frame to skip", append([]byte("\x50\x2a\x4d\x18\x02\x00\x00\x00hi"), whole...), "a frame that decoders skip"},
		{"behind the end of the tar", frame(append(bytes.Clone(stream), make([]byte, 512)...)), "no entry accounts for"},
		{"in the padding", frame(padding), "no entry accounts for"},
		{"cut", whole[:len(whole)-1], "unexpected EOF"},
		{"nothing", nil, "no whole zstd frame"},
		{"no tar", frame(bytes.Repeat([]byte("hello"), 200)), "no tar file"},
		{"a link", written(&tar.Header{Name: "base/x", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd", Mode: fileMode}), "no plain file"},
		{"a device", written(&tar.Header{Name: "base/x", Typeflag: tar.TypeChar, Mode: fileMode}), "no plain file"},
		{"way out", written(&tar.Header{Name: "../x", Typeflag: tar.TypeReg, Mode: fileMode}), "leads out"},
		{"absolute", written(&tar.Header{Name: "/x/y", Typeflag: tar.TypeReg, Mode: fileMode}), "leads out"},
		{"another mode", written(&tar.Header{Name: "base/", Typeflag: tar.TypeDir, Mode: dirMode}, &tar.Header{Name: "base/x", Typeflag: tar.TypeReg, Mode: 0o755}), "not as kmx writes it"},
		{"an owner", written(&tar.Header{Name: "base/", Typeflag: tar.TypeDir, Mode: dirMode}, &tar.Header{Name: "base/x", Typeflag: tar.TypeReg, Mode: fileMode, Uid: 1000}), "not as kmx writes it"},
		{"a folder more", written(&tar.Header{Name: "base/", Typeflag: tar.TypeDir, Mode: dirMode}, &tar.Header{Name: "base/e/", Typeflag: tar.TypeDir, Mode: dirMode}, &tar.Header{Name: "base/x", Typeflag: tar.TypeReg, Mode: fileMode}), "not as kmx writes it"},
		{"a file and a folder", written(&tar.Header{Name: "base/x", Typeflag: tar.TypeReg, Mode: fileMode}, &tar.Header{Name: "base/x/y", Typeflag: tar.TypeReg, Mode: fileMode}), "x/y cannot lie beside x"},
		{"names that differ in case", written(&tar.Header{Name: "base/X", Typeflag: tar.TypeReg, Mode: fileMode}, &tar.Header{Name: "base/x", Typeflag: tar.TypeReg, Mode: fileMode}), "x cannot lie beside X"},
		{"folders that differ in case", written(&tar.Header{Name: "base/A/x", Typeflag: tar.TypeReg, Mode: fileMode}, &tar.Header{Name: "base/a/y", Typeflag: tar.TypeReg, Mode: fileMode}), "a/y cannot lie beside A/"},
		{"a name for a terminal", written(&tar.Header{Name: "base/\x1b[2Jx", Typeflag: tar.TypeReg, Mode: fileMode}), `holds '\x1b'`},
		{"a name in lines", written(&tar.Header{Name: "base/x\ny", Typeflag: tar.TypeReg, Mode: fileMode}), `holds '\n'`},
		{"a name from right to left", written(&tar.Header{Name: "base/x\u202ey", Typeflag: tar.TypeReg, Mode: fileMode}), `holds '\u202e'`},
		{"a name that is no text", written(&tar.Header{Name: "base/\xff", Typeflag: tar.TypeReg, Mode: fileMode}), "is not UTF-8"},
		{"a stream of Windows", written(&tar.Header{Name: "base/x:y", Typeflag: tar.TypeReg, Mode: fileMode}), `holds ':'`},
		{"a sparse file", frame(sparse("3000000000")), "claims more bytes than the archive has"},
		{"a sparse file without end", frame(sparse("9223372036854775000")), "claims more bytes than the archive has"},
		{"a name twice", written(&tar.Header{Name: "base/", Typeflag: tar.TypeDir, Mode: dirMode}, &tar.Header{Name: "base/x", Typeflag: tar.TypeReg, Mode: fileMode}, &tar.Header{Name: "base/x", Typeflag: tar.TypeReg, Mode: fileMode}), "stands behind"},
		{"an extended header", written(&tar.Header{Name: "base/", Typeflag: tar.TypeDir, Mode: dirMode}, &tar.Header{Name: "base/x", Typeflag: tar.TypeReg, Mode: fileMode, PAXRecords: map[string]string{"NVIDIA.hidden": "x"}}), "not as kmx writes it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read("base.tar.zst", c.data)
			refused(t, err, c.want)
		})
	}
}

func TestNothingHidesInAZip(t *testing.T) {
	whole := archived(t, Zip)
	written := func(change func(w *zip.Writer)) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		change(w)
		w.Close()
		return b.Bytes()
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"before the first entry", append([]byte("hidden"), whole...), "no entry accounts for"},
		{"behind the end", append(bytes.Clone(whole), "hidden"...), "no"},
		{"a comment", written(func(w *zip.Writer) { w.SetComment("hidden") }), "no entry accounts for"},
		{"an extra field", written(func(w *zip.Writer) {
			w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/x", Extra: []byte("\xfe\xca\x04\x00data")})
		}), "no entry accounts for"},
		{"a descriptor", written(func(w *zip.Writer) { w.Create("d4r/kernels/x") }), "no entry accounts for"},
		{"outside of its folder", written(func(w *zip.Writer) { w.CreateRaw(&zip.FileHeader{Name: "dxgi.dll"}) }), "is not below d4r/kernels"},
		{"way out", written(func(w *zip.Writer) { w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/../../x"}) }), ""},
		{"backslash", written(func(w *zip.Writer) { w.CreateRaw(&zip.FileHeader{Name: `d4r/kernels/..\..\x`}) }), ""},
		{"two headers of one file", bytes.Replace(whole, []byte("d4r/kernels/gfx1100/a.hsaco"), []byte("d4r/kernels/gfx1100/b.hsaco"), 1), "no entry accounts for"},
		{"a name twice", written(func(w *zip.Writer) {
			w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/x"})
			w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/x"})
		}), "stands behind"},
		{"a file and a folder", written(func(w *zip.Writer) {
			w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/x"})
			w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/x/y"})
		}), "x/y cannot lie beside x"},
		{"a name for a terminal", written(func(w *zip.Writer) { w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/\x1b[2J"}) }), `holds '\x1b'`},
		{"behind a content", written(func(w *zip.Writer) {
			f, _ := w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/x", Method: zip.Deflate, CompressedSize64: 8})
			f.Write([]byte("\x03\x00hidden"))
		}), "6 bytes behind its compressed content"},
		{"another size", written(func(w *zip.Writer) {
			f, _ := w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/x", Method: zip.Store, CompressedSize64: 2, UncompressedSize64: 1})
			f.Write([]byte("ab"))
		}), "damaged"},
		{"another method", written(func(w *zip.Writer) { w.CreateRaw(&zip.FileHeader{Name: "d4r/kernels/x", Method: 93}) }), "compression method 93"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read("base.zip", c.data)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestOpenSaysWhich(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(name, []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := Open(name)
	refused(t, err, name, "no zip file")
	if diag.ExitCode(err) != int(diag.Verify) {
		t.Errorf("exit code %d", diag.ExitCode(err))
	}
	_, err = Read("x.rar", nil)
	refused(t, err, "ends in neither .tar.zst nor .zip")
}

func FuzzRead(f *testing.F) {
	tree := &Tree{Items: items()}
	tree.sort()
	for _, format := range []string{TarZst, Zip} {
		m, err := write(format, "base", tree, at)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(format, m.data)
	}
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		c, err := Read("x."+format, data)
		if err != nil {
			return
		}
		for _, item := range c.Items {
			if !filepath.IsLocal(filepath.FromSlash(item.Path)) {
				t.Fatalf("%q leads out", item.Path)
			}
		}
	})
}
