package flow

import (
	"os"
	"path/filepath"
	"testing"

	"kmx/cache"
	"kmx/toolchains"
)

func TestClosures(t *testing.T) {
	c := closures{filepath.Join(t.TempDir(), "toolchains")}
	tc := &toolchains.Toolchain{
		Name: "hip", Version: "19.1.7", Digest: cache.Sum([]byte("tc")),
		Files: []toolchains.File{{Name: "bin/lld", Path: "/a/place/bin/lld", Digest: cache.Sum([]byte("lld"))}},
	}
	digest := tc.Digest.String()
	if _, ok := c.known(digest); ok {
		t.Error("known before it was kept")
	}
	c.keep(map[string]*toolchains.Toolchain{"hip": tc})
	got, ok := c.known(digest)
	if !ok || got.Version != "19.1.7" || len(got.Files) != 1 || got.Files[0].Name != "bin/lld" {
		t.Errorf("got %+v %v", got, ok)
	}
	for _, other := range []string{"", "../" + digest, cache.Sum(nil).String()} {
		if _, ok := c.known(other); ok {
			t.Errorf("%q is known", other)
		}
	}
	if err := os.WriteFile(c.file(digest), []byte(`{"format":"kmx.closure/1","digest":"`+cache.Sum(nil).String()+`"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.known(digest); ok {
		t.Error("a file that speaks of another closure is believed")
	}
	c.keep(map[string]*toolchains.Toolchain{"hip": tc})
	if _, ok := c.known(digest); !ok {
		t.Error("a damaged file is not written anew")
	}
}
