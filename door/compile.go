package door

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"kmx/cache"
	"kmx/internal/durable"
)

// Compile makes the door from the sources that are there, unless it is fresh.
// What the Go tools say goes to out. compiled tells whether there was anything
// to do.
func (d Door) Compile(ctx context.Context, out io.Writer) (compiled bool, err error) {
	if _, ok := d.Fresh(); ok {
		return false, nil
	}
	bin := filepath.Dir(d.Fast())
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return false, err
	}
	// Mage compiles in the folder of the targets: one at a time.
	lock, err := durable.Acquire(ctx, filepath.Join(bin, "kmx.lock"), fmt.Sprintf("process %d", os.Getpid()), func(holder string) {
		fmt.Fprintf(out, "waiting for %s, which compiles %s\n", holder, d.name())
	})
	if err != nil {
		return false, err
	}
	defer lock.Release()
	if _, ok := d.Fresh(); ok {
		return false, nil // it has been waited for
	}
	if left, err := filepath.Glob(filepath.Join(bin, ".compile-*")); err == nil {
		for _, dir := range left { // of one that was killed: the lock is ours
			_ = os.RemoveAll(dir)
		}
	}
	durable.SweepTemps(bin)
	work, err := os.MkdirTemp(bin, ".compile-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	folders, err := d.packages(ctx)
	if err != nil {
		return false, err
	}
	before, err := d.read(nil, false, folders)
	if err != nil {
		return false, err
	}
	// Mage's help calls the program by the name it is compiled under.
	main, fast := filepath.Join(work, "kmx"), filepath.Join(work, "fast")
	for _, args := range [][]string{
		{"tool", "mage", "-compile", main},
		{"build", "-ldflags=-s -w", "-o", fast, "./cmd/kmx"},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = d.root
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Run(); err != nil {
			return false, err
		}
	}
	for _, move := range [][2]string{{main, d.Main()}, {fast, d.Fast()}} {
		if err := replace(move[0], move[1]); err != nil {
			return false, err
		}
	}
	s := cache.NewSnapshot()
	all, err := d.read(s, true, folders)
	if err != nil {
		return true, err
	}
	again, err := d.packages(ctx)
	if err != nil {
		return true, err
	}
	after := maps.Clone(all)
	for _, path := range []string{d.Main(), d.Fast()} {
		delete(after, "bin/"+filepath.Base(path))
	}
	if before.differs(after) != "" || !slices.Equal(folders, again) {
		// Nobody knows which of the two was compiled. Without a record the next
		// run compiles again.
		return true, os.RemoveAll(d.record())
	}
	s.SetAnswer(all.encode())
	return true, s.Save(d.record())
}

// replace puts a program in the place of another one, which may be running.
func replace(from, to string) error {
	if runtime.GOOS == "windows" { // a program that runs can be renamed there, not replaced
		old := to + ".old"
		_ = os.Remove(old)
		if err := os.Rename(to, old); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return os.Rename(from, to)
}
