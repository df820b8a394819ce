package engine

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A tool that fails on a full disk cannot even say why: its messages go there,
// too. The disk is named, not the tool.
func TestToolOnFullDisk(t *testing.T) {
	p := newProject(t)
	dir := filepath.Join(t.TempDir(), "disk")
	if err := unix.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("cannot mount a small file system: ", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	p.cache = openCache(t, filepath.Join(dir, "cache"))
	p.o.Cache = p.cache
	results, err := p.run(t.Context(), script("a", "cat /dev/zero > out || exit 1"))
	var machine *MachineError
	if !errors.As(err, &machine) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("%v", err)
	}
	p.wantStates(results, "a:failed")
	p.wantStates(p.must(script("b", "echo x > out")), "b:done")
	p.cache.Close()
}
