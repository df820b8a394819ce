package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cuda/fatbin"
)

func TestLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "nvngx_dlss.dll")
	var talk strings.Builder
	if code := run([]string{path}, &talk); code != 0 || talk.Len() > 0 {
		t.Fatalf("exit %d: %s", code, talk.String())
	}
	mods, err := fatbin.Read(path)
	if err != nil || len(mods) != 15 {
		t.Errorf("%d modules, %v", len(mods), err)
	}
}

func TestModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	var talk strings.Builder
	if code := run([]string{"-next", "-modules", dir}, &talk); code != 0 {
		t.Fatalf("exit %d: %s", code, talk.String())
	}
	files, err := filepath.Glob(filepath.Join(dir, "dlss-*.ptx"))
	if err != nil || len(files) != 15 {
		t.Errorf("%q, %v", files, err)
	}
}

// TestRefusals: wrong calls and wrong places, and nothing is left behind.
func TestRefusals(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		say  string
	}{
		{nil, 2, "usage:"},
		{[]string{"a", "b"}, 2, "usage:"},
		{[]string{"-no-such", "a"}, 2, "-no-such"},
		{[]string{"-pad", "-1", filepath.Join(dir, "a.dll")}, 2, "usage:"},
		{[]string{"-fault", "rust", filepath.Join(dir, "a.dll")}, 2, `error: no fault is called "rust"`},
		{[]string{"-fault", "overlnog", filepath.Join(dir, "a.dll")}, 2, "hint: did you mean overlong? there are "},
		{[]string{filepath.Join(file, "no", "such", "a.dll")}, 5, "kmx-standin: "},
	} {
		var talk strings.Builder
		if code := run(c.args, &talk); code != c.code || !strings.Contains(talk.String(), c.say) {
			t.Errorf("%q: exit %d: %s", c.args, code, talk.String())
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
