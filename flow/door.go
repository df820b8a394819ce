package flow

import (
	"context"
	"os"

	"kmx/door"
	"kmx/internal/diag"
)

// fresh refuses to run a compiled front door that is older than the sources it
// was compiled from: it would answer for a program that is no longer here. The
// small program before it compiles it again where needed, and `go tool mage`
// compiles what has changed by itself, so this is for one called by its name.
func (p *Project) fresh() error {
	if door.Vouched() {
		return nil
	}
	d := door.Of(p.Root)
	exe, err := os.Executable()
	if err != nil || !sameFile(exe, d.Main()) || !d.HasSources() {
		return nil
	}
	if why, ok := d.Fresh(); !ok {
		return diag.Failf(diag.Usage, "refresh it with: go tool mage setup", "the front door is older than its sources: %s", why)
	}
	return nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// compileDoor makes the front door, unless it is current.
func (p *Project) compileDoor(ctx context.Context) error {
	d := door.Of(p.Root)
	if !d.HasSources() {
		return nil // a project that uses an installed kmx
	}
	compiled, err := d.Compile(ctx, p.Err)
	switch {
	case err != nil:
		return diag.Failf(diag.Usage, "", "the front door could not be compiled: %v", err)
	case compiled:
		p.Say("fast door: compiled bin/kmx; it takes the same targets as `go tool mage`")
	default:
		p.Say("fast door: bin/kmx is current")
	}
	return nil
}
