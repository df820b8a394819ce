//go:build unix

package flow

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// An interrupt of `mage test` and `mage lint` ends what the Go tools have started, not the Go tools alone. The output,
// a pipe that all of them have, ends when nobody is left.
func TestInterruptEndsTestsAsAWhole(t *testing.T) {
	bin := t.TempDir()
	const tool = "#!/bin/sh\n(trap '' HUP; exec sleep 1000) >&2 &\necho up >&2\nwait\n"
	for _, name := range []string{"go", "gofmt"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(tool), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for name, verb := range map[string]func(context.Context, *Project) error{
		"test": func(ctx context.Context, p *Project) error { return p.Test(ctx) },
		"vet":  func(ctx context.Context, p *Project) error { return p.command(ctx, nil, "go", "vet") }, // as Lint and Bench do
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan error)
			go func() {
				err := verb(ctx, &Project{Root: t.TempDir(), Out: io.Discard, Err: w})
				w.Close()
				done <- err
			}()
			lines := bufio.NewReader(r)
			if line, err := lines.ReadString('\n'); line != "up\n" {
				t.Fatalf("%q, %v", line, err)
			}
			cancel()
			if err := <-done; err == nil {
				t.Error("no error")
			}
			if _, err := io.ReadAll(lines); err != nil {
				t.Error(err)
			}
		})
	}
}
