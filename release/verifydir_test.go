package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/internal/diag"
)

func TestVerifyFindsEveryKindOfChange(t *testing.T) {
	flip := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			file := filepath.Join(dir, name)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)/2] ^= 1
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	object := "gfx1201/" + kName + ObjectSuffix
	tests := []struct {
		name  string
		spoil func(t *testing.T, dir string)
		want  []string // problems, by prefix
	}{
		{"byte in an object", flip(object), []string{object + ": altered: BLAKE3"}},
		{"byte in a set manifest", flip("gfx1201/manifest.json"), []string{"gfx1201/manifest.json: altered: BLAKE3"}},
		{"byte in a marker", flip("accuracy/gfx1100/d4r-accuracy.txt"), []string{"accuracy/gfx1100/d4r-accuracy.txt: altered: BLAKE3"}},
		{"byte in the hashes", flip("gfx1100/d4r-kernels.txt"), []string{"gfx1100/d4r-kernels.txt: altered: BLAKE3"}},
		{"byte in the root manifest", flip("manifest.json"), []string{"manifest.json: "}},
		{"object gone", remove(object), []string{object + ": missing"}},
		{"marker gone", remove("accuracy/gfx1100/d4r-accuracy.txt"), []string{"accuracy/gfx1100/d4r-accuracy.txt: missing"}},
		{"set manifest gone", remove("gfx1201/manifest.json"), []string{"gfx1201/manifest.json: missing"}},
		{"root manifest gone", remove("manifest.json"), []string{"manifest.json: missing"}},
		{"set gone", remove("accuracy/gfx1201-fp8"), []string{"accuracy/gfx1201-fp8/manifest.json: missing"}},
		{"truncated object", func(t *testing.T, dir string) {
			os.Truncate(filepath.Join(dir, object), 3)
		}, []string{object + ": altered: 3 bytes"}},
		{"foreign object", func(t *testing.T, dir string) {
			os.WriteFile(filepath.Join(dir, "gfx1201", "x.hsaco"), nil, 0o644)
		}, []string{"gfx1201/x.hsaco: extra"}},
		{"empty folder", func(t *testing.T, dir string) {
			os.Mkdir(filepath.Join(dir, "accuracy", "gfx1200"), 0o755)
		}, []string{"accuracy/gfx1200: extra folder"}},
		{"object swapped for the twin's", func(t *testing.T, dir string) {
			data, _ := os.ReadFile(filepath.Join(dir, "gfx1201-fp8", mName+ObjectSuffix))
			os.WriteFile(filepath.Join(dir, "gfx1201", mName+ObjectSuffix), data, 0o644)
		}, []string{"gfx1201/" + mName + ".hsaco: altered"}},
		{"set swapped with its manifest", func(t *testing.T, dir string) {
			os.RemoveAll(filepath.Join(dir, "gfx1100"))
			os.CopyFS(filepath.Join(dir, "gfx1100"), os.DirFS(filepath.Join(dir, "gfx1201")))
		}, []string{"gfx1100/manifest.json: altered"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, libs := assembled(t), t.TempDir()
			fakeLibrary(t, libs, "nvngx_dlss.dll", KernelHashes{kName: {7}, mName: {9}})
			if err := quick.stamp(t.Context(), dir, []string{libs}, readFake); err != nil {
				t.Fatal(err)
			}
			tt.spoil(t, dir)
			problems := VerifyDir(dir)
			var found []string
			for _, p := range problems {
				found = append(found, p.String())
			}
			for _, w := range tt.want {
				if len(found) == 0 || !strings.Contains("\n"+strings.Join(found, "\n"), "\n"+w) {
					t.Errorf("no problem begins with %q:\n%s", w, strings.Join(found, "\n"))
				}
			}
			if len(found) != len(tt.want) {
				t.Errorf("problems:\n%s", strings.Join(found, "\n"))
			}
			if err := ProblemsError(dir, problems); diag.ExitCode(err) != int(diag.Verify) {
				t.Errorf("exit code %d", diag.ExitCode(err))
			}
		})
	}
}

func TestVerifyThroughALink(t *testing.T) {
	dir := assembled(t)
	link := filepath.Join(t.TempDir(), "current")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if p := VerifyDir(link); len(p) > 0 {
		t.Errorf("problems: %v", p)
	}
	// A link inside is no file of a release, even to the right bytes.
	name := filepath.Join(dir, "gfx1100", kName+ObjectSuffix)
	if err := os.Rename(name, filepath.Join(t.TempDir(), "x")); err != nil {
		t.Skip(err)
	}
	os.Symlink(filepath.Join(dir, "gfx1201", kName+ObjectSuffix), name)
	if p := VerifyDir(dir); len(p) != 1 || p[0].What != "not a plain file" {
		t.Errorf("problems: %v", p)
	}
}
