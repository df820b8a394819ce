//go:build unix

package pack

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kmx/internal/durable"
)

// What has no end is not read.
func TestNothingWaits(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		syscall.Mkfifo(in("pipe"), 0o600), os.Symlink("/dev/zero", in("zero")), os.Symlink("loop", in("loop")),
		os.WriteFile(in("file"), []byte("1234"), 0o600), os.Symlink("file", in("link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		dir: "no plain file", in("pipe"): "no plain file", in("zero"): "no plain file", in("loop"): "too many levels", in("gone"): "no such file",
	} {
		_, err := durable.ReadFile(name, 100)
		refused(t, err, want)
	}
	for _, name := range []string{"file", "link"} {
		if data, err := durable.ReadFile(in(name), 4); err != nil || string(data) != "1234" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		_, err := durable.ReadFile(in(name), 3)
		refused(t, err, "has more than 3 bytes")
	}
	for _, name := range []string{"x.zip", "x.tar.zst"} {
		if err := os.Symlink("/dev/zero", in(name)); err != nil {
			t.Fatal(err)
		}
		_, _, err := Open(in(name))
		refused(t, err, "no plain file")
	}
	_, err := ReadKey("/dev/zero", "")
	refused(t, err, "has more than 65536 bytes")
	_, err = PublicKey("/dev/zero")
	refused(t, err, "is no public key", "has more than 65536 bytes")
	for _, list := range []string{SHA256File, B3File} {
		if err := os.WriteFile(in(list), sums(map[string][]byte{"pipe": nil, "zero": nil}, sha256Of), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := ""
	for _, p := range CheckSums(dir) {
		found += p.String() + "\n"
	}
	for _, want := range []string{"pipe: read ", "zero: read "} {
		if !strings.Contains(found, want) {
			t.Errorf("want %q in:\n%s", want, found)
		}
	}
}
