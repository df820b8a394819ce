package release

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kmx/cuda/fatbin/fatbintest"
	"kmx/internal/diag"
)

// The whole way: libraries as they ship, raw, LZ4 and zstd, PE and ELF, with
// Windows line ends; the hashes are recomputed here from the texts.
func TestStampFromLibraries(t *testing.T) {
	hash := func(text []byte) uint64 {
		h := fnv.New64a()
		h.Write(text)
		return h.Sum64()
	}
	k, m := fatbintest.Text(kName, "\r\n"), fatbintest.Text(mName+" something_else", "\n")
	newer := fatbintest.Text(kName+" "+mName, "\r\n")
	libs := t.TempDir()
	write := func(name string, data []byte) string {
		file := filepath.Join(libs, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	first := write("310.7.0/nvngx_dlss.dll", fatbintest.PE(
		fatbintest.Container(fatbintest.Entry{PTX: k, Compression: "lz4"}, fatbintest.Entry{Kind: 2, PTX: []byte("machine code")}),
		fatbintest.Container(fatbintest.Entry{PTX: m, Compression: "none", NULs: 3}),
	))
	second := write("310.9.1/nvngx_dlss.dll", fatbintest.ELF(true, fatbintest.Container(fatbintest.Entry{PTX: newer, Compression: "zstd"})))
	foreign := write("nvngx_dlssd.dll", fatbintest.PE(fatbintest.Container(fatbintest.Entry{PTX: fatbintest.Text(kName+" "+mName, "\n")})))

	dir := assembled(t)
	if err := Stamp(t.Context(), dir, []string{first, filepath.Dir(second), foreign}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "accuracy", "gfx1201-fp8", KernelsFile))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseKernels(data)
	if err != nil {
		t.Fatal(err)
	}
	want := KernelHashes{kName: {hash(k), hash(newer)}, mName: {hash(m), hash(newer)}}
	if string(data) != string(want.Text()) || len(got) != 2 || !slices.Contains(got[mName], hash(m)) {
		t.Errorf("stamp is\n%swant\n%s", data, want.Text())
	}
	if p := VerifyDir(dir); len(p) > 0 {
		t.Errorf("problems: %v", p)
	}

	before := listing(t, dir)
	damaged := write("damaged/nvngx_dlss.dll", []byte("MZ, and then nothing"))
	err = Stamp(t.Context(), dir, []string{damaged})
	if diag.ExitCode(err) != int(diag.Usage) || !strings.Contains(err.Error(), "nvngx_dlss.dll") {
		t.Errorf("damaged library: %v", err)
	}
	if err := Stamp(t.Context(), dir, []string{foreign}); err == nil || !strings.Contains(err.Error(), "give nvngx_dlss.dll too") {
		t.Errorf("only the wrong library: %v", err)
	}
	if listing(t, dir) != before {
		t.Error("something changed")
	}
}
