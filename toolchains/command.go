package toolchains

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// runCommand runs a package tool with the caller's environment (it holds proxies)
// in plain English and without questions, and returns what it printed. A
// cancelled tool is asked to end first, so that it leaves no half-made state.
func runCommand(ctx context.Context, c command) (string, error) {
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", "LANGUAGE=C")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	var out strings.Builder
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewReader(r)
		for {
			text, err := lines.ReadString('\n')
			out.WriteString(text)
			if text = strings.TrimSpace(text); text != "" && c.line != nil {
				c.line(text)
			}
			if err != nil {
				return
			}
		}
	}()
	err := cmd.Run()
	w.Close()
	<-done
	if ctx.Err() != nil {
		return out.String(), ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", c, err, lastLines(out.String(), 8))
	}
	return out.String(), err
}

// lastLines keeps the end of an output, where the reason usually is; lines in
// which apt names errors come first.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var errors []string
	for _, l := range lines {
		if strings.HasPrefix(l, "E: ") || strings.HasPrefix(l, "Err:") {
			errors = append(errors, l)
		}
	}
	if len(errors) > 0 {
		lines = errors
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
