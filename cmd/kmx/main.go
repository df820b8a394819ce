// kmx is the small program of the compiled front door. It answers `release`
// from the snapshot of the last one while everything that one was made from
// holds, and hands everything else, with the same arguments, to kmx-mage beside
// it, which has all targets. It is never stale: where the sources of the two
// have changed it compiles both again first.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"kmx/cache"
	"kmx/door"
	"kmx/internal/diag"
)

func main() {
	debug.SetGCPercent(-1) // what is needed here is one snapshot
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	exe, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error: kmx does not know where it lies:", err)
		return int(diag.IO)
	}
	if code := refresh(exe); code != 0 {
		return code
	}
	if choices, ok := upToDateAsked(args); ok {
		if answer, ok := unchanged(door.Beside(exe), choices); ok {
			if _, err := os.Stderr.Write(answer); err != nil {
				return int(diag.IO)
			}
			return 0
		}
	}
	code, err := become(door.Beside(exe), args)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w; make it with: go tool mage setup", err)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error: the program with the targets cannot be started:", err)
		return int(diag.IO)
	}
	return code
}

// refresh compiles the door again where its sources have changed, and returns
// the exit code for when that is not possible.
func refresh(exe string) int {
	d, ok := door.Around(exe)
	if !ok {
		return 0
	}
	why, ok := d.Fresh()
	if ok {
		_ = door.Vouch()
		return 0
	}
	fmt.Fprintf(os.Stderr, "kmx: compiled again before it runs: %s\n", why)
	if _, err := d.Compile(context.Background(), os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "Error: kmx is older than its sources and cannot be compiled: %v; try: go tool mage setup\n", err)
		return int(diag.Usage)
	}
	_ = door.Vouch()
	return 0
}

// unchanged gives the answer of the last release that the program at main made
// with these choices, if everything it was made from is as it was.
func unchanged(main, choices string) ([]byte, bool) {
	root, ok := project()
	if !ok {
		return nil, false
	}
	name, err := cache.SnapshotPath(root, main, "release", choices)
	if err != nil {
		return nil, false
	}
	answer, _, ok := cache.CheckSnapshot(name)
	return answer, ok
}

// project finds the directory of the matrix around the working directory.
// Whatever is odd about it is left to the other program to tell.
func project() (string, bool) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err = os.Stat(filepath.Join(dir, "matrix.hcl")); err == nil {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir || !errors.Is(err, os.ErrNotExist) {
			break
		}
		dir, err = up, nil
	}
	return "", false
}
