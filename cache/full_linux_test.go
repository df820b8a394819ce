package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFullDisk fills a tiny file system: everything that writes fails with
// "no space left", nothing is half there, and it works again with space.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skip("cannot mount a small file system: ", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	var warnings []string
	c, err := Open(filepath.Join(dir, "cache"), func(msg string) { warnings = append(warnings, msg) })
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.now = later
	good, err := c.PutBytes(noise(1000))
	if err != nil {
		t.Fatal(err)
	}
	state, err := c.State(".")
	if err != nil {
		t.Fatal(err)
	}
	h := must(OpenHistory(state))
	h.Append(Past{Label: "a"})
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	f.Close()

	big := newFile(t, string(noise(2*chunk)))
	c.Memo().PutDerived("k", Sum(nil), string(noise(1<<15)))
	s := newSnapshot(later)
	s.SetAnswer(noise(1 << 15))
	for name, do := range map[string]func() error{
		"PutBytes": func() error { _, err := c.PutBytes(noise(9000)); return err },
		"PutFile":  func() error { _, _, err := c.PutFile(big); return err },
		"Store":    func() error { return c.Store(&Record{Key: Sum(nil), Stderr: noise(1 << 15)}) },
		"Place":    func() error { return c.Place(good, filepath.Join(dir, "placed"), 0o644) },
		"Memo":     c.Memo().Save,
		"Snapshot": func() error { return s.Save(filepath.Join(state, "snapshot")) },
		"History": func() error {
			return h.Append(Past{Label: "b", Facts: fmt.Appendf(nil, "%q", bytes.Repeat([]byte("x"), 1<<15))})
		},
	} {
		if err := do(); !errors.Is(err, unix.ENOSPC) {
			t.Errorf("%s on a full disk: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "placed")); err == nil {
		t.Error("half a file was placed")
	}
	// The folder of this process stays until Close; nothing may lie in it.
	_ = filepath.WalkDir(c.path("tmp"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(path, ".lock") {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if _, err := c.Blob(good); err != nil {
		t.Errorf("reading on a full disk: %v", err)
	}
	os.Remove(ballast)
	if err := c.Store(&Record{Key: Sum(nil)}); err != nil {
		t.Error(err)
	}
	if err := h.Append(Past{Label: "c"}); err != nil {
		t.Error(err)
	}
	h.Close()
	if _, ok := must(OpenHistory(state)).Last("c"); !ok {
		t.Error("the line after a torn one is lost")
	}
	if len(warnings) != 0 {
		t.Errorf("warnings: %s", warnings)
	}
}

// TestTmpApart keeps the sandboxes on a file system of their own, as people do
// who have memory to spare: blobs and records still get their names by rename,
// and a collection still removes.
func TestTmpApart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	tmp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", tmp, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("cannot mount a file system: ", err)
	}
	defer unix.Unmount(tmp, unix.MNT_DETACH)
	c, err := Open(dir, func(msg string) { t.Error(msg) })
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	small, large := noise(1000), noise(2*chunk)
	d, err := c.PutBytes(small)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := c.PutFile(newFile(t, string(large)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Blob(d); err != nil || !bytes.Equal(got, small) {
		t.Error(err)
	}
	if got, err := c.Blob(other); err != nil || !bytes.Equal(got, large) {
		t.Error(err)
	}
	if err := c.Store(&Record{Key: Sum(nil)}); err != nil {
		t.Error(err)
	}
	now := c.now
	c.now = func() time.Time { return now().Add(100 * day) }
	done, err := c.Collect(t.Context(), Collection{Age: day})
	if err != nil || done.Blobs != 2 || done.Records != 1 || done.Failed != 0 {
		t.Errorf("%+v, %v", done, err)
	}
}
