package group

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell is a command whose standard output, a pipe, everything it starts has as well: its end tells that all are gone.
func shell(t *testing.T, text string) (cmd *exec.Cmd, first func() string, rest func() string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	cmd = exec.Command("/bin/sh", "-c", text)
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	lines := bufio.NewReader(r)
	first = func() string {
		w.Close()
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Errorf("%q, %v", line, err)
		}
		return strings.TrimSpace(line)
	}
	return cmd, first, func() string {
		b, err := io.ReadAll(lines)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
}

func TestGroupEndsAsAWhole(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"obedient", `sleep 1000 & echo up; wait`},
		{"deaf", `trap '' TERM; (trap '' TERM; while :; do sleep 1000; done) & echo up; while :; do wait; done`},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd, first, rest := shell(t, c.text)
			ctx, cancel := context.WithCancel(context.Background())
			p, err := Start(ctx, cmd, 20*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			first()
			cancel()
			if err := p.Wait(); err == nil {
				t.Error("no error")
			}
			if got := rest(); got != "" {
				t.Errorf("said %q", got)
			}
			if err := syscall.Kill(-cmd.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the group is still there: %v", err)
			}
		})
	}
}

func TestRun(t *testing.T) {
	if err := Run(t.Context(), exec.Command("true"), time.Second); err != nil {
		t.Error(err)
	}
	if out, err := Output(t.Context(), exec.Command("echo", "a"), time.Second); err != nil || string(out) != "a\n" {
		t.Errorf("%q, %v", out, err)
	}
	var exit *exec.ExitError
	if err := Run(t.Context(), exec.Command("/bin/sh", "-c", "exit 3"), time.Second); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Error(err)
	}
	if err := Run(t.Context(), exec.Command("/nonexistent/x"), time.Second); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := Run(ctx, exec.Command("sleep", "1000"), time.Second); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := Run(ctx, exec.Command("true"), time.Second); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// Only what has to do with a folder is ended, and nothing that this process started itself.
func TestStrays(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is missing (util-linux)")
	}
	if _, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid())); err != nil {
		t.Skip("this kernel does not list children:", err)
	}
	Adopt()
	mine, others := t.TempDir(), t.TempDir()
	stray := func(dir string) func() string {
		cmd, first, rest := shell(t, `setsid sh -c 'echo up; : > up; sleep 1000' & while [ ! -e up ]; do sleep 0.01; done`)
		cmd.Dir = dir
		if err := Run(context.Background(), cmd, time.Second); err != nil {
			t.Error(err)
		}
		first()
		return rest
	}
	gone := stray(mine)
	stays := stray(others)
	direct := exec.Command("sleep", "1000")
	direct.Dir = mine
	if err := direct.Start(); err != nil {
		t.Fatal(err)
	}
	cmd, _, _ := shell(t, "sleep 1000")
	cmd.Dir = mine
	ctx, cancel := context.WithCancel(context.Background())
	led, err := Start(ctx, cmd, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if n := EndStrays(mine); n < 1 {
		t.Errorf("%d ended", n)
	}
	gone()
	for name, pid := range map[string]int{"started plainly": direct.Process.Pid, "leading a group": cmd.Process.Pid} {
		if err := syscall.Kill(pid, 0); err != nil {
			t.Errorf("the process %s: %v", name, err)
		}
	}
	if n := EndStrays(mine); n != 0 {
		t.Errorf("%d more ended", n)
	}
	if n := EndStrays(others); n < 1 {
		t.Errorf("%d ended elsewhere", n)
	}
	stays()
	cancel()
	_ = led.Wait()
	_ = direct.Process.Kill()
	_ = direct.Wait()
}
