//go:build unix

package release

import (
	"strings"
	"syscall"
	"testing"
)

func TestUmaskDoesNotMatter(t *testing.T) {
	want := listing(t, assembled(t))
	dist := t.TempDir() // made before the mask below could lock us out
	defer syscall.Umask(syscall.Umask(0o077))
	dir, _, err := Assemble(t.Context(), dist+"/a/b", samplePlan(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := listing(t, dir)
	if got != want {
		t.Errorf("with umask 077:\n%s\nwith the usual one:\n%s", got, want)
	}
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "-rw-r--r-- ") && !strings.HasPrefix(line, "drwxr-xr-x ") {
			t.Errorf("mode: %s", line)
		}
	}
	if modes := listing(t, dist); !strings.HasPrefix(modes, "drwxr-xr-x a\ndrwxr-xr-x a/b\ndrwxr-xr-x a/b/d4r-kernels-1.2.0\n") {
		t.Errorf("folders above the release:\n%s", modes)
	}
}
