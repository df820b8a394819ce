package release

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A release may hold files at its root, which are proved like any other.
func TestFilesAtTheRoot(t *testing.T) {
	dir := assembled(t)
	r, err := ReadRelease(dir)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("a licence\n")
	r.Files = []File{Describe("LICENSE", text)}
	r.Restricted = []string{"LicenseRef-b", "LicenseRef-a"}
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	problems := func() string {
		var all []string
		for _, p := range VerifyDir(dir) {
			all = append(all, p.String())
		}
		return strings.Join(all, "\n")
	}
	write(ManifestFile, data)
	if got := problems(); got != "LICENSE: missing" {
		t.Errorf("without the file: %s", got)
	}
	write("LICENSE", []byte("A licence\n"))
	if got := problems(); !strings.HasPrefix(got, "LICENSE: altered: BLAKE3") {
		t.Errorf("with another file: %s", got)
	}
	write("LICENSE", text)
	if got := problems(); got != "" {
		t.Errorf("whole: %s", got)
	}
	again, err := ReadRelease(dir)
	if err != nil || !slices.Equal(again.Restricted, []string{"LicenseRef-a", "LicenseRef-b"}) {
		t.Errorf("restricted %v, %v", again.Restricted, err)
	}
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"../x"}, "begins or ends with a dot"},
		{[]string{"Manifest.json"}, "beside manifest.json"},
		{[]string{"a", "A"}, "file a is listed beside A"},
		{[]string{"GFX1100"}, "also set gfx1100"},
	} {
		bad := *again
		bad.Files = nil
		for _, name := range c.files {
			bad.Files = append(bad.Files, Describe(name, nil))
		}
		data, err := bad.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseRelease(data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("files %v: %v, want %q", c.files, err, c.want)
		}
	}
}
