package flow

import (
	"context"
	"os"

	"kmx/internal/diag"
	"kmx/toolchains"
)

// Setup provides a compiler where there is none and compiles the fast door.
// It is idempotent. Where the network is forbidden, the compiler has to be there.
func (p *Project) Setup(ctx context.Context) error {
	off, err := offline(os.Getenv)
	if err != nil {
		return err
	}
	if off {
		err = p.compilerHere(ctx)
	} else {
		err = toolchains.Setup(ctx, p.Say)
	}
	if err != nil {
		return err
	}
	if err := p.proveDirect(ctx); err != nil {
		return err
	}
	return p.compileDoor(ctx)
}

// proveDirect lets the compiler's files be read and its parts be tried without
// their driver now, so that the first build need not.
func (p *Project) proveDirect(ctx context.Context) error {
	store, err := p.Cache()
	if err != nil {
		return err
	}
	tc, err := toolchains.Find(ctx, toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, store.Memo())
	if err != nil {
		return err
	}
	if tc.Prove(ctx, store.SandboxRoot()) {
		p.Say("  front end and linker make the same object without its driver, and run so")
	}
	return ctx.Err()
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
