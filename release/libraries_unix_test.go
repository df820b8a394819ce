//go:build unix

package release

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kmx/internal/diag"
)

// What cannot be a library is refused unread: reading it might never end.
func TestWhatIsNoLibraryIsNotRead(t *testing.T) {
	for name, test := range map[string]struct {
		make func(path string) error
		want string
	}{
		"pipe":   {func(path string) error { return syscall.Mkfifo(path, 0o644) }, "is not a plain file"},
		"device": {func(path string) error { return os.Symlink("/dev/zero", path) }, "is not a plain file"},
		"endless": {func(path string) error {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(path, maxLibrary+1)
		}, "more than a library has"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "nvngx_dlss.dll")
			if err := test.make(path); err != nil {
				t.Skip(err)
			}
			rules := []LibraryRule{{Name: "dlss", Match: "nvngx_dlss.dll"}}
			for _, given := range []string{path, dir} {
				_, err := ReadLibraries(t.Context(), rules, []string{given})
				var f *diag.Failure
				if !errors.As(err, &f) || f.Class != diag.Usage || !strings.Contains(f.Error(), test.want) {
					t.Errorf("%s: %v", given, err)
				}
			}
		})
	}
}
