package engine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A tool that puts a helper into a session of its own, as daemons do, leaves nothing running, whatever the end; what
// the helper starts goes as well. The pipe tells that nobody holds it any more.
func TestNothingSurvivesInASessionOfItsOwn(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is missing (util-linux)")
	}
	const daemon = `setsid sh -c 'trap "" TERM HUP; (trap "" TERM; sleep 1000) & echo up >&3; sleep 1000' & `
	for _, c := range []struct {
		name, text string
		want       State
	}{
		{"success", daemon + `while [ ! -e .tmp/go ]; do sleep 0.01; done; : > out`, Done},
		{"failure", daemon + `while [ ! -e .tmp/go ]; do sleep 0.01; done; exit 1`, Failed},
		{"interruption", daemon + `wait`, Cancelled},
		{"elsewhere", `cd /; ` + daemon + `wait`, Cancelled},
		{"a double fork", `(` + daemon + `) ; wait; while [ ! -e .tmp/go ]; do sleep 0.01; done; : > out`, Done},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			pipe, up := fifo(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan struct{})
			go func() {
				defer close(done)
				r, _ := p.run(ctx, script("a", "exec 3> "+pipe+"; "+c.text))
				if r[0].State != c.want {
					t.Errorf("%s: %v", states(r), r[0].Err)
				}
			}()
			end := up()
			if c.want == Cancelled {
				cancel()
			} else {
				boxes, err := filepath.Glob(filepath.Join(p.cache.SandboxRoot(), "*", scratch))
				if err != nil || len(boxes) != 1 {
					t.Fatalf("%v, %v", boxes, err)
				}
				if err := os.WriteFile(filepath.Join(boxes[0], "go"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			<-done
			end()
			p.noSandboxes()
		})
	}
}

// What a shell or a make has left open when it started kmx is not seen by any action.
func TestActionsInheritNothing(t *testing.T) {
	p := newProject(t)
	fd, err := unix.Open("/dev/null", unix.O_RDONLY, 0) // inherited by what is started
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	const list = `ls -l /proc/self/fd | grep -c /dev/null > out`
	before, err := exec.Command("/bin/sh", "-c", strings.Replace(list, "> out", "", 1)).Output()
	if err != nil {
		t.Fatal(err)
	}
	// Standard input is /dev/null; by hand the two others, which are pipes here or what the test has.
	if got := p.out(p.must(script("a", list))[0]); got != "1\n" {
		t.Errorf("the action sees /dev/null %s times, a process by hand %s", strings.TrimSpace(got), before)
	}
	if strings.TrimSpace(string(before)) == "1" {
		t.Error("a process started by hand does not see it either: the test shows nothing")
	}
}

// A process is not left behind when the thread that started it has other things to do, nor by the program that started
// it: TestMain plays that one, and is killed.
func TestNothingSurvivesTheProgram(t *testing.T) {
	dir := t.TempDir()
	pipe, up := fifo(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "KMX_TEST_KILLED_PROCESS="+dir, "KMX_TEST_PIPE="+pipe)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := up()
	_ = cmd.Process.Kill()
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) {
		t.Errorf("it ended by itself: %v", err)
	}
	end()
}
