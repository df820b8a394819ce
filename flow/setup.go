package flow

import (
	"context"
	"os"

	"kmx/internal/diag"
	"kmx/toolchains"
)

// Setup provides a compiler where there is none and compiles the fast door.
// It is idempotent.
func (p *Project) Setup(ctx context.Context) error {
	if err := toolchains.Setup(ctx, p.Say); err != nil {
		return err
	}
	return p.compileDoor(ctx)
}

// Clean removes what was built here. The cache stays: it is shared, and it
// makes the next build short.
func (p *Project) Clean() error {
	for _, name := range []string{"dist", "bin"} {
		if _, err := os.Lstat(p.path(name)); err != nil {
			continue
		}
		if err := os.RemoveAll(p.path(name)); err != nil {
			return diag.Failf(diag.IO, "", "%w", err)
		}
		p.Say("removed %s", name)
	}
	return nil
}
