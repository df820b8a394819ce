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
	"kmx/internal/durable"
)

// doorName is the compiled front door, relative to the project.
func doorName() string {
	if runtime.GOOS == "windows" {
		return "bin/kmx.exe"
	}
	return "bin/kmx"
}

// fresh refuses to run a compiled front door that was compiled from other
// sources than those that are here: it would answer for a program that is no
// longer here. `go tool mage` compiles what has changed by itself.
func (p *Project) fresh() error {
	exe, err := os.Executable()
	if err != nil || !sameFile(exe, p.path(doorName())) {
		return nil
	}
	why, err := p.stale()
	if err != nil {
		return diag.Failf(diag.IO, "", "cannot tell whether %s is current: %v", doorName(), err)
	}
	if why != "" {
		return diag.Failf(diag.Usage, "refresh it with: go tool mage setup", "%s is not compiled from what is here: %s", doorName(), why)
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
	if why, err := p.stale(); err == nil && why == "" {
		p.Say("fast door: %s is current", doorName())
		return nil
	}
	sources, err := p.listSources() // first: what changes while it is compiled is not in it
	if err != nil {
		return diag.Failf(diag.IO, "", "the sources of kmx cannot be read: %v", err)
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
	if err := durable.WriteFile(p.path(sourcesName), sources, 0o644); err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	p.Say("fast door: compiled %s; it takes the same targets as `go tool mage`", doorName())
	return nil
}
