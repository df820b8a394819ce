package flow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"kmx/internal/diag"
	"kmx/internal/group"
	"kmx/matrix"
)

// MatrixDiff are the choices of matrix:diff.
type MatrixDiff struct {
	Old, New string // files, or git revisions of the project's matrix
	JSON     bool
	Check    bool // a difference is an exit code
	Vars     string
}

// MatrixDiff compares what two matrices expand to.
func (p *Project) MatrixDiff(ctx context.Context, v MatrixDiff) error {
	before, err := p.loadVersion(ctx, v.Old, v.Vars)
	if err != nil {
		return err
	}
	after, err := p.loadVersion(ctx, v.New, v.Vars)
	if err != nil {
		return err
	}
	d := matrix.Diff(before.Expansion, after.Expansion)
	if v.JSON {
		err = d.WriteJSON(p.Out)
	} else {
		err = d.WriteText(p.Out)
	}
	if err == nil && v.Check && !d.Empty() {
		err = &diag.Failure{Class: toDo, Err: fmt.Errorf("the matrices differ (-check, exit code %d)", toDo)}
	}
	return err
}

// loadVersion reads a matrix from a file or, where there is no such file, the
// project's matrix as it was at a git revision.
func (p *Project) loadVersion(ctx context.Context, version, vars string) (*declared, error) {
	info, err := os.Stat(version)
	switch {
	case err == nil && info.IsDir():
		version = filepath.Join(version, matrixFile)
		fallthrough
	case err == nil:
		dir := filepath.Dir(version)
		return p.loadFile(filepath.Base(version), vars, matrix.Options{ReadFile: func(name string) ([]byte, error) {
			return os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		}})
	}
	if strings.HasPrefix(version, "-") || strings.ContainsAny(version, ":\x00") {
		return nil, diag.Failf(diag.Usage, "mage matrix:diff HEAD~1 matrix.hcl", "%q is neither a file nor a git revision", version)
	}
	if _, err := p.git(ctx, "rev-parse", "--verify", "--quiet", version+"^{commit}"); err != nil {
		return nil, diag.Failf(diag.Usage, "mage matrix:diff HEAD~1 matrix.hcl", "%s is neither a file nor a git revision: %v", version, err)
	}
	return p.loadFile(matrixFile, vars, matrix.Options{ReadFile: func(name string) ([]byte, error) {
		return p.git(ctx, "show", version+":./"+path.Clean(name))
	}})
}

// git asks git about the project's files.
func (p *Project) git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...) // asked to end, git takes its lock files away
	cmd.Dir = p.Root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := group.Output(ctx, cmd, grace)
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		err = errors.New(text)
	}
	return out, err
}
