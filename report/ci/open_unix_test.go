//go:build unix

package ci

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What only bears the name of a bundle is told with the rest, and nothing waits
// for it.
func TestFindBundlesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name+BundleSuffix) }
	for _, err := range []error{
		syscall.Mkfifo(in("pipe"), 0o600), os.Symlink("/dev/zero", in("zero")), os.Symlink("loop"+BundleSuffix, in("loop")),
		os.WriteFile(in("empty"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	bundles, list := FindBundles([]string{in("pipe"), in("zero"), in("loop"), in("empty"), in("gone")})
	if len(bundles) > 0 || len(list) != 5 {
		t.Fatalf("%d bundles, %v", len(bundles), list)
	}
	for i, want := range []string{"no plain file", "no plain file", "too many levels", "truncated", "no such file"} {
		if said := fmt.Sprint(list[i]); !strings.Contains(said, want) {
			t.Errorf("%s, want %q", said, want)
		}
	}
}
