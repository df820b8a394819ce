//go:build unix

package flow

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExposedCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	t.Setenv("KMX_CACHE", dir)
	for _, c := range []struct {
		mode os.FileMode
		want string
	}{{0o755, ""}, {0o775, ""}, {0o700, ""}, {0o777, "everybody can write to it"}, {0o777 | os.ModeSticky, "everybody can write to it"}} {
		var said bytes.Buffer
		p := &Project{Root: t.TempDir(), Err: &said}
		if _, err := p.Cache(); err != nil {
			t.Fatal(err)
		}
		p.close()
		said.Reset()
		if err := os.Chmod(dir, c.mode); err != nil {
			t.Fatal(err)
		}
		p.store = nil
		if _, err := p.Cache(); err != nil {
			t.Fatal(err)
		}
		p.close()
		if got := said.String(); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: %q", c.mode, got)
		}
	}
	if exposed(filepath.Join(dir, "none")) != "" {
		t.Error("a folder that is not there")
	}
}
