package flow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"kmx/internal/diag"
)

// worktreePrefix begins the names of folders with trees of other revisions; the
// process that made one follows.
const worktreePrefix = "kmx-guard-"

// checkoutAt makes the project as it was at a revision, in a git worktree in
// the system's folder for temporary files. The caller calls remove on every way
// out; nothing is left then, here or in git's own files.
func (p *Project) checkoutAt(ctx context.Context, revision string) (there *Project, commit string, remove func(), err error) {
	commit, err = p.commitOf(ctx, revision, "mage guard m@gfx1201 -since=HEAD~1")
	if err != nil {
		return nil, "", nil, err
	}
	below, err := p.git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, "", nil, diag.Failf(diag.IO, "", "where the project lies in its git checkout is not known: %v", err)
	}
	p.sweepWorktrees(ctx)
	tmp, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", worktreePrefix, os.Getpid()))
	if err != nil {
		return nil, "", nil, diag.Failf(diag.IO, "", "no place for the tree of %s: %v", revision, err)
	}
	if real, err := filepath.EvalSymlinks(tmp); err == nil {
		tmp = real
	}
	tree := filepath.Join(tmp, "tree")
	there = &Project{
		Root: filepath.Join(tree, filepath.FromSlash(strings.TrimSpace(string(below)))),
		Out:  p.Out, Err: p.Err, Color: p.Color, store: p.store, leaving: p.leaving, unlocked: true,
	}
	remove = func() {
		// Also after an interrupt, within the time that is left then.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		if state, err := there.state(); err == nil {
			_ = os.RemoveAll(state)
		}
		p.removeWorktree(ctx, tree)
	}
	// Hooks of the checkout are for people's checkouts.
	if _, err := p.git(ctx, "-c", "core.hooksPath="+os.DevNull, "worktree", "add", "--quiet", "--detach", tree, commit); err != nil {
		remove()
		if ctx.Err() != nil {
			return nil, "", nil, ctx.Err()
		}
		return nil, "", nil, diag.Failf(diag.IO, "", "git cannot make the tree of %s: %v", revision, err)
	}
	return there, commit, remove, nil
}

// commitOf is the commit that a revision names; usage says how to name one.
func (p *Project) commitOf(ctx context.Context, revision, usage string) (string, error) {
	if revision == "" || strings.HasPrefix(revision, "-") || strings.ContainsAny(revision, ":\x00") {
		return "", diag.Failf(diag.Usage, usage, "%q is no git revision", revision)
	}
	out, err := p.git(ctx, "rev-parse", "--verify", "--quiet", revision+"^{commit}")
	var says *exec.ExitError
	switch {
	case errors.As(err, &says):
		return "", diag.Failf(diag.Usage, usage, "%s is no git revision of this checkout", revision)
	case err != nil:
		return "", diag.Failf(diag.Usage, usage, "git cannot be asked for %s: %v", revision, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// removeWorktree removes a tree and the folder that was made for it.
func (p *Project) removeWorktree(ctx context.Context, tree string) {
	_, err := p.git(ctx, "worktree", "remove", "--force", "--force", tree)
	if gone := os.RemoveAll(filepath.Dir(tree)); gone != nil {
		p.Warn(fmt.Sprintf("%s could not be removed: %v", filepath.Dir(tree), gone))
	}
	if err != nil { // git made no entry, or wants the folder gone first
		_, _ = p.git(ctx, "worktree", "remove", "--force", "--force", tree)
	}
}

// sweepWorktrees removes what a killed run has left.
func (p *Project) sweepWorktrees(ctx context.Context) {
	out, err := p.git(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(out)) {
		tree, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree ")
		if !ok || filepath.Base(tree) != "tree" {
			continue
		}
		var pid int
		name, ours := strings.CutPrefix(filepath.Base(filepath.Dir(tree)), worktreePrefix)
		if _, err := fmt.Sscanf(name, "%d-", &pid); !ours || err != nil || running(pid) {
			continue
		}
		p.removeWorktree(ctx, filepath.FromSlash(tree))
	}
}

// running reports whether there is a process of that number, as far as can be
// told.
func running(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer process.Release()
	if runtime.GOOS == "windows" {
		return true // it was found
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
