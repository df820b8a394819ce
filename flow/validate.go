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

// The programs behind the validate: targets. Emulator and models are no part of
// the front door, which is started many times an hour.
const (
	validator = "kmx-validate"
	mutator   = "kmx-mutate"
	nvidia    = "kmx-nvidia"
)

// Validate runs a verb of the validator with the user's words and choices. Paths
// among them count from the working directory. Exit codes are the validator's.
func (p *Project) Validate(ctx context.Context, verb string, args ...string) error {
	return p.validateWith(ctx, validator, append([]string{verb}, args...))
}

// Mutate breaks the sources of the network kernels and shows what the validation
// finds, in the same manner.
func (p *Project) Mutate(ctx context.Context, args ...string) error {
	return p.validateWith(ctx, mutator, args)
}

// Nvidia runs the proofs that need an NVIDIA GPU, on the corpus of this checkout.
func (p *Project) Nvidia(ctx context.Context, args ...string) error {
	return p.validateWith(ctx, nvidia, append([]string{"-corpus=" + p.path("emit/testdata")}, args...))
}

func (p *Project) validateWith(ctx context.Context, name string, args []string) error {
	program, err := p.second(ctx, name)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...)
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
	case errors.As(err, &exit) && exit.String() == "signal: broken pipe":
		return nil // whoever reads, such as head, has had enough
	case err != nil:
		return diag.Failf(diag.IO, "", "%s: %w", program, err)
	}
	return nil
}

// second finds such a program: compiled from this checkout where that has its
// sources, else beside the front door that runs.
func (p *Project) second(ctx context.Context, program string) (string, error) {
	name := program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if _, err := os.Stat(p.path("cmd/" + program + "/main.go")); err == nil {
		out := filepath.Join(p.path("bin"), name)
		return out, p.command(ctx, nil, "go", "build", "-o", out, "./cmd/"+program)
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
	return "", diag.Failf(diag.Usage, "compile it in a checkout of kmx: go build -o "+name+" ./cmd/"+program+", and put it beside "+filepath.Base(exe),
		"there is no %s beside this front door, and this project does not have its sources", name)
}
