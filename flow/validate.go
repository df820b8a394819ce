package flow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"kmx/internal/diag"
	"kmx/internal/group"
)

// validator is the program behind the validate: targets. Emulator and models
// are no part of the front door, which is started many times an hour.
const validator = "kmx-validate"

// Validate runs a verb of the validator with the user's words and choices. Paths
// among them count from the working directory. Exit codes are the validator's.
func (p *Project) Validate(ctx context.Context, verb string, args ...string) error {
	program, err := p.validator(ctx)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, append([]string{verb}, args...)...)
	cmd.Stdout, cmd.Stderr = p.Out, p.Err
	err = group.Run(ctx, cmd, grace)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		code := diag.Class(exit.ExitCode())
		if code == toDo {
			return &diag.Failure{Class: toDo, Err: fmt.Errorf("it is not as asked for (exit code %d)", toDo)}
		}
		return &diag.Failure{Class: code} // it has said why
	case err != nil:
		return diag.Failf(diag.IO, "", "%s: %w", program, err)
	}
	return nil
}

// validator finds the program: compiled from this checkout where that has its
// sources, else beside the front door that runs.
func (p *Project) validator(ctx context.Context) (string, error) {
	name := validator
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if _, err := os.Stat(p.path("cmd/" + validator + "/main.go")); err == nil {
		out := filepath.Join(p.path("bin"), name)
		return out, p.command(ctx, nil, "go", "build", "-o", out, "./cmd/"+validator)
	}
	exe, err := os.Executable()
	if err == nil {
		beside := filepath.Join(filepath.Dir(exe), name)
		if _, err = os.Stat(beside); err == nil {
			return beside, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", diag.Failf(diag.IO, "", "%w", err)
		}
	}
	return "", diag.Failf(diag.Usage, "compile it in a checkout of kmx: go build -o "+name+" ./cmd/"+validator+", and put it beside "+filepath.Base(exe),
		"there is no %s beside this front door, and this project does not have its sources", name)
}
