package flow

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"kmx/internal/diag"
)

// doorName is the compiled front door, relative to the project.
func doorName() string {
	if runtime.GOOS == "windows" {
		return "bin/kmx.exe"
	}
	return "bin/kmx"
}

// fresh refuses to run a compiled front door that is older than the sources it
// was compiled from: it would answer for a program that is no longer here.
// `go tool mage` compiles what has changed by itself.
func (p *Project) fresh() error {
	exe, err := os.Executable()
	if err != nil || !sameFile(exe, p.path(doorName())) {
		return nil
	}
	built, err := os.Stat(exe)
	if err != nil {
		return nil
	}
	newer := ""
	err = p.goFiles(func(name string, info fs.FileInfo) error {
		if info.ModTime().After(built.ModTime()) {
			newer = name
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		return diag.Failf(diag.IO, "", "cannot tell whether %s is current: %v", doorName(), err)
	}
	if newer != "" {
		return diag.Failf(diag.Usage, "refresh it with: go tool mage setup", "%s is older than %s", doorName(), newer)
	}
	return nil
}

// goFiles visits what the front door is compiled from.
func (p *Project) goFiles(visit func(name string, info fs.FileInfo) error) error {
	return filepath.WalkDir(p.Root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(p.Root, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			base := e.Name()
			if name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "kernels" || base == "docs" || base == "dist" || base == "bin") {
				return fs.SkipDir
			}
			return nil
		}
		if name != "go.mod" && name != "go.sum" && (!strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")) {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(name), info)
	})
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// compileDoor makes the fast front door, unless it is current.
func (p *Project) compileDoor(ctx context.Context) error {
	door := p.path(doorName())
	if _, err := os.Stat(p.path("magefiles")); err != nil {
		return nil // a project that uses an installed kmx
	}
	built, err := os.Stat(door)
	if err == nil {
		current := true
		err := p.goFiles(func(_ string, info fs.FileInfo) error {
			if info.ModTime().After(built.ModTime()) {
				current = false
				return fs.SkipAll
			}
			return nil
		})
		if err == nil && current {
			p.Say("fast door: %s is current", doorName())
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(door), 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "tool", "mage", "-compile", door)
	cmd.Dir = p.Root
	cmd.Stdout, cmd.Stderr = p.Err, p.Err
	if err := cmd.Run(); err != nil {
		return diag.Failf(diag.Usage, "", "the fast door could not be compiled: %v", err)
	}
	p.Say("fast door: compiled %s; it takes the same targets as `go tool mage`", doorName())
	return nil
}
