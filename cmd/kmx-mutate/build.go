package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kmx/engine"
	"kmx/matrix"
	"kmx/plan"
)

// patience is how long a compiler may take: a loop that never ends can be unrolled
// for ever.
const patience = 10 * time.Minute

// A workshop builds cells in a tree of its own, which holds the kernels' sources.
type workshop struct {
	dir  string
	tool engine.Tool
}

// newWorkshop copies the sources of some kernels into a folder.
func newWorkshop(root, dir string, ks []kernel, tool engine.Tool) (*workshop, error) {
	w := &workshop{dir, tool}
	for _, k := range ks {
		for _, f := range k.files {
			src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f)))
			if err != nil {
				return nil, err
			}
			if err := w.write(f, src); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}

func (w *workshop) write(file string, src []byte) error {
	name := filepath.Join(w.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, src, 0o644)
}

// command is a cell's own command without its dependency file; more stands before
// the source, so before nothing that could undo it.
func command(c *matrix.Cell, out string, more ...string) []string {
	var args []string
	tokens := plan.Command(c)[1:]
	for i := 0; i < len(tokens); i++ {
		switch t := tokens[i].Text; t {
		case "-MD":
		case "-MF", "-MT":
			i++
		case "-o":
			args = append(args, "-o", out)
			i++
		case c.Source:
			args = append(append(args, more...), t)
		default:
			args = append(args, t)
		}
	}
	return args
}

// A refusal is what the compiler says against a source.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// run runs the compiler; a failure of it is a *refusal.
func (w *workshop) run(ctx context.Context, c *matrix.Cell, args []string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(limited, w.tool.Path, args...)
	cmd.Dir = w.dir
	cmd.Env = append(cmd.Environ(), w.tool.Env...)
	for _, e := range c.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	cmd.WaitDelay = time.Minute // a busy machine may take a while to read what was written
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, &refusal{fmt.Sprintf("the compiler has not ended after %v", patience)}
	case errors.As(err, &exit):
		return nil, &refusal{firstError(said.String(), err)}
	}
	return out.Bytes(), err
}

// firstError is the first line of a compiler's messages that is an error.
func firstError(said string, err error) string {
	lines := strings.Split(said, "\n")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "error:") }); i >= 0 {
		return strings.TrimSpace(lines[i])
	}
	return err.Error()
}

// expand is the cell's source after preprocessing.
func (w *workshop) expand(ctx context.Context, c *matrix.Cell) ([]byte, error) {
	return w.run(ctx, c, command(c, "-", "-w", "-E", "-P"))
}

// build is the cell's object. Warnings are off: a mutant that only leaves a name
// unused shall be found by what it computes.
func (w *workshop) build(ctx context.Context, c *matrix.Cell) ([]byte, error) {
	object := filepath.Join(w.dir, "object.hsaco")
	if _, err := w.run(ctx, c, command(c, object, "-w")); err != nil {
		return nil, err
	}
	return os.ReadFile(object)
}
