package flow

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func place(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestCopyProject(t *testing.T) {
	from := t.TempDir()
	place(t, from, map[string]string{
		"matrix.hcl": "m", "kernels/k/a.hip": "a", "kernels/bin/b.hip": "b", "dist/x": "x", "bin/kmx": "x", ".git/config": "x",
		".cache/CACHEDIR.TAG": "x", ".cache/cas/x": "x", "work/copy/x": "x", ".editorconfig": "e",
	})
	to := filepath.Join(from, "work", "copy")
	if err := copyProject(from, filepath.Join(to, "tree"), to); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(filepath.Join(to, "tree"), func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(filepath.Join(to, "tree"), name)
			got = append(got, filepath.ToSlash(rel))
		}
		return err
	})
	slices.Sort(got)
	if want := ".editorconfig kernels/bin/b.hip kernels/k/a.hip matrix.hcl"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("copied %v, %v", got, err)
	}
}

func TestCompareTrees(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	place(t, a, map[string]string{"same": "1", "other": "1", "gone": "1", "mode": "1"})
	place(t, b, map[string]string{"same": "1", "other": "2", "new": "1", "mode": "1"})
	want := []string{"gone: only in the first build", "new: only in the second build", "other: "}
	if runtime.GOOS != "windows" {
		for dir, mode := range map[string]os.FileMode{a: 0o644, b: 0o600} {
			if err := os.Chmod(filepath.Join(dir, "mode"), mode); err != nil {
				t.Fatal(err)
			}
		}
		want = slices.Insert(want, 1, "mode: mode -rw-r--r-- and -rw-------")
	}
	found, total, err := compareTrees(a, b)
	var got []string
	for _, d := range found {
		got = append(got, d.file+": "+d.what)
	}
	if err != nil || total != 5 || !slices.Equal(got, want) {
		t.Errorf("%d files, %q, %v", total, got, err)
	}
	if _, _, err := compareTrees(a, filepath.Join(b, "absent")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

func TestConditions(t *testing.T) {
	c := conditions{place: "/x/a", tmp: "/x/t", zone: "A12", locale: "C"}
	got := c.environment([]string{"TZ=UTC", "HOME=/home/u", "MAKEFLAGS=-j8", "KMX_CACHE=/c", "LC_ALL=de_DE"})
	for _, want := range []string{"TZ=A12", "HOME=/home/u", "LC_ALL=C", "TMPDIR=/x/t", "KMX_CACHE=" + filepath.Join("/x/a", "cache")} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %v", want, got)
		}
	}
	if slices.ContainsFunc(got, func(e string) bool { return strings.HasPrefix(e, "MAKEFLAGS=") || e == "TZ=UTC" }) {
		t.Errorf("%v", got)
	}
	// Each condition changes something, and all of them make the second of the first.
	from, to := conditions{"a", "b", "c", "d", "e", 1}, conditions{"A", "B", "C", "D", "E", 2}
	for _, k := range allConditions {
		c := from
		if k.change(&c, to); c == from {
			t.Errorf("%s changes nothing", k.name)
		}
		k.change(&from, to)
	}
	if from != to {
		t.Errorf("%+v is no condition", from)
	}
}
