package pack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseSums(t *testing.T) {
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	got, err := ParseSums([]byte(a + "  x\n" + b + "  y z\n"))
	if err != nil || got["x"] != a || got["y z"] != b || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	for _, c := range []struct{ text, want string }{
		{a + " x\n", "line 1 is no digest"},
		{a[1:] + "  x\n", "line 1 is no digest"},
		{strings.ToUpper(a) + "  x\n", "line 1 is no digest"},
		{a + "  x\n" + b + "  x\n", `line 2: the name "x"`},
		{a + "  y\n" + b + "  x\n", `line 2: the name "x"`},
		{a + "  ../x\n", "leads elsewhere"},
		{a + "  ..\n", "leads elsewhere"},
		{a + "  a\\b\n", "leads elsewhere"},
		{a + "  \n", "leads elsewhere"},
		{a + "  x", "cut off"},
		{"", "line 1"},
	} {
		_, err := ParseSums([]byte(c.text))
		refused(t, err, c.want)
	}
}

// Every kind of change in a folder of archives is named.
func TestCheckSums(t *testing.T) {
	release := sample(t, choice{})
	key, _ := testKey(t, 1)
	for _, c := range []struct {
		name  string
		spoil func(out string) error
		want  string
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"a byte of an archive", flipFile("d4r-kernels-1.2.0-nonvidia-full.zip"), "full.zip: altered: SHA-256"},
		{"a byte of a bill", flipFile("d4r-kernels-1.2.0-nonvidia-full.spdx.json"), "full.spdx.json: altered"},
		{"a byte of a provenance", flipFile("d4r-kernels-1.2.0-nonvidia-full.provenance.json"), "full.provenance.json: altered"},
		{"a list gone", func(out string) error { return os.Remove(filepath.Join(out, B3File)) }, "B3SUMS: "},
		{"an archive gone", func(out string) error { return os.Remove(filepath.Join(out, "d4r-kernels-1.2.0-nonvidia-full.zip")) }, "full.zip: missing"},
		{"a file more", func(out string) error { return os.WriteFile(filepath.Join(out, "x"), nil, 0o644) }, "x: extra"},
		{"a signature of nothing", func(out string) error { return os.WriteFile(filepath.Join(out, "x.minisig"), nil, 0o644) }, "x.minisig: extra"},
		{"a line of one list gone", func(out string) error {
			name := filepath.Join(out, B3File)
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			_, rest, _ := strings.Cut(string(data), "\n")
			return os.WriteFile(name, []byte(rest), 0o644)
		}, "SHA256SUMS names it, B3SUMS does not"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "archives")
			if _, err := Pack(t.Context(), Options{Release: release, Out: out, Archives: []Archive{full}, Key: key}); err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(out); err != nil {
				t.Fatal(err)
			}
			err := sumsError(out, CheckSums(out))
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			refused(t, err, c.want)
		})
	}
}

func flipFile(name string) func(string) error {
	return func(out string) error {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			return err
		}
		data[len(data)/2] ^= 1
		return os.WriteFile(filepath.Join(out, name), data, 0o644)
	}
}
