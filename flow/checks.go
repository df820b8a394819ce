package flow

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"kmx/internal/diag"
	"kmx/internal/group"
)

// Test runs every test of the repository, those of kernels and compilers
// included where a compiler is found.
func (p *Project) Test(ctx context.Context) error {
	return p.goTest(ctx, "-tags=mage", "./...")
}

// Bench measures kmx against its peers, with a program of its own: what it needs
// is no part of the front door.
func (p *Project) Bench(ctx context.Context, b Bench) error {
	return p.command(ctx, nil, "go", "run", "./cmd/kmx-bench", "-cells="+b.Cells, fmt.Sprintf("-rounds=%d", b.Rounds),
		fmt.Sprintf("-cold=%d", b.Cold), fmt.Sprintf("-large=%d", b.Large), "-parts="+b.Parts, "-own="+b.Own, fmt.Sprintf("-quick=%t", b.Quick))
}

// Bench are the choices of the bench.
type Bench struct {
	Cells  string // sizes of the projects with nothing to do, comma-separated
	Rounds int    // of each of these
	Cold   int    // rounds of cold builds
	Large  int    // cells of one more cold build; 0: none
	Own    string // selectors of the cells here that are built cold; "": a release
	Parts  string // which of the parts, comma-separated: noop, makespan, tiny, own, ptx
	Quick  bool   // little of everything
}

// Lint runs every static check, the race detector and the cross-builds. All
// of them run; the error names those that failed.
func (p *Project) Lint(ctx context.Context) error {
	var failed []string
	check := func(what string, env []string, name string, args ...string) {
		if ctx.Err() != nil {
			return
		}
		p.Say("lint: %s", what)
		if err := p.command(ctx, env, name, args...); err != nil {
			failed = append(failed, what)
		}
	}
	p.Say("lint: gofmt")
	if err := p.gofmt(ctx); err != nil {
		p.Say("%v", err)
		failed = append(failed, "gofmt")
	}
	check("vet", nil, "go", "vet", "-tags=mage", "./...")
	check("staticcheck", nil, "go", "tool", "staticcheck", "-tags=mage", "./...")
	check("build for Windows", []string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}, "go", "vet", "-tags=mage", "./...")
	check("build for macOS", []string{"GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0"}, "go", "vet", "-tags=mage", "./...")
	check("race detector, short tests", []string{"CGO_ENABLED=1"}, "go", "test", "-tags=mage", "-race", "-short", "-timeout=30m", "./...")
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(failed) > 0 {
		return diag.Failf(diag.Cells, "", "failed: %s", strings.Join(failed, ", "))
	}
	return nil
}

func (p *Project) gofmt(ctx context.Context) error {
	cmd := exec.Command("gofmt", "-l", ".")
	cmd.Dir = p.Root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := group.Run(ctx, cmd, grace)
	if err != nil {
		return fmt.Errorf("gofmt: %w\n%s", err, &out)
	}
	if len(bytes.TrimSpace(out.Bytes())) > 0 {
		return fmt.Errorf("not formatted:\n%s", &out)
	}
	return nil
}

// grace is how long a program that this one has started may take to end when it
// is asked to, with everything it has started.
const grace = 2 * time.Second

// command runs a program in the project with its output to people. An interrupt
// ends it as a whole: tests of `go test` as well.
func (p *Project) command(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = p.Root
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = p.Out, p.Err
	if err := group.Run(ctx, cmd, grace); err != nil {
		return diag.Failf(diag.Cells, "", "%s %s: %v", name, strings.Join(args, " "), err)
	}
	return nil
}
