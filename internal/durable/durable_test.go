package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// names lists what is in dir, for tests that want no leftovers.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func wantMode(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != mode {
		t.Errorf("%s: mode %o, want %o", path, info.Mode().Perm(), mode)
	}
}

func TestWriteFileReplacesWithExactMode(t *testing.T) {
	defer setUmask(0o077)()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, mode := range []fs.FileMode{0o644, 0o755, 0o666, 0o400} {
		if err := WriteFile(path, []byte(mode.String()), mode); err != nil {
			t.Fatal(err)
		}
		wantMode(t, path, mode)
		if b, _ := os.ReadFile(path); string(b) != mode.String() {
			t.Errorf("content %q", b)
		}
	}
	if got := names(t, dir); got != "f" {
		t.Errorf("leftovers: %s", got)
	}
}

func TestFailuresLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(taken, []byte("x"), 0o644); err == nil {
		t.Error("WriteFile replaced a directory")
	}
	if err := WriteFile(filepath.Join(dir, "no", "f"), nil, 0o644); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if err := Place(filepath.Join(dir, "none"), filepath.Join(dir, "f"), 0o644); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing source: %v", err)
	}
	tmp, err := NewTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	tmp.Discard()
	tmp.Discard()
	if got := names(t, dir); got != "taken" {
		t.Errorf("leftovers: %s", got)
	}
}

func TestPlaceSharesNoInode(t *testing.T) {
	defer setUmask(0o077)()
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	for _, size := range []int{0, 1, 1 << 20} {
		want := bytes.Repeat([]byte{7}, size)
		if err := os.WriteFile(src, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Place(src, dst, 0o755); err != nil {
			t.Fatal(err)
		}
		wantMode(t, dst, 0o755)
		got, _ := os.ReadFile(dst)
		if !bytes.Equal(got, want) {
			t.Fatalf("%d bytes: copy differs", size)
		}
		a, _ := os.Stat(src)
		b, _ := os.Stat(dst)
		if os.SameFile(a, b) {
			t.Fatal("one inode under two names")
		}
	}
	if err := SyncFS(dir); err != nil {
		t.Errorf("SyncFS: %v", err)
	}
}

func TestLockWaitsTellsAndLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "l")
	ctx := context.Background()
	first, err := Acquire(ctx, path, "first", nil)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := TryAcquire(path, "x"); l != nil || err != nil {
		t.Fatalf("TryAcquire of a held lock: %v, %v", l, err)
	}
	told := make(chan string, 10)
	cancelled, cancel := context.WithCancel(ctx)
	_, err = Acquire(cancelled, path, "x", func(h string) { told <- h; cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled wait: %v", err)
	}
	got := make(chan *Lock)
	go func() {
		l, _ := Acquire(ctx, path, "second", func(h string) { told <- h })
		got <- l
	}()
	for range 2 {
		if h := <-told; h != "first" {
			t.Errorf("holder %q", h)
		}
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second := <-got
	if second == nil {
		t.Fatal("second holder has no lock")
	}
	second.Release()
	second.Release()
	if len(told) != 0 {
		t.Error("waiting was called more than once")
	}
	if got := names(t, dir); got != "" {
		t.Errorf("leftovers: %s", got)
	}
}

// What nobody writes any more goes, whatever its age; what is being written
// stays.
func TestSweepTemps(t *testing.T) {
	dir := t.TempDir()
	live, err := NewTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, tempPrefix+"1-a"), filepath.Join(dir, tempPrefix+"1-b")
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * leftoverAge)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if err := Recover(filepath.Join(dir, "final")); err != nil {
		t.Fatal(err)
	}
	want := filepath.Base(live.Name())
	if runtime.GOOS == "windows" { // no locks: age decides
		want += " " + filepath.Base(young)
	}
	if got := names(t, dir); got != want {
		t.Errorf("left: %s", got)
	}
	if err := live.Commit(filepath.Join(dir, "final"), 0); err != nil {
		t.Error(err)
	}
	if err := Recover(filepath.Join(dir, "none", "final")); err != nil {
		t.Errorf("no folder: %v", err)
	}
	SweepTemps(filepath.Join(dir, "none"))
}

// No sweep takes a file away between its making and its naming.
func TestSweepBesideWriters(t *testing.T) {
	dir := t.TempDir()
	over := make(chan struct{})
	var sweeps, writers sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					SweepTemps(dir)
				}
			}
		})
	}
	for w := range 4 {
		writers.Go(func() {
			for i := range 300 {
				name := filepath.Join(dir, fmt.Sprintf("file-%d-%d", w, i))
				if err := WriteFile(name, []byte(name), 0o644); err != nil {
					t.Error(err)
					return
				}
				if b, err := os.ReadFile(name); err != nil || string(b) != name {
					t.Errorf("%s holds %q, %v", name, b, err)
				}
			}
		})
	}
	writers.Wait()
	close(over)
	sweeps.Wait()
	SweepTemps(dir)
	if found, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); len(found) > 0 {
		t.Errorf("left: %s", found)
	}
}
