package engine

import (
	"context"
	"os"
	"os/exec"
	"time"

	"kmx/internal/group"
)

// process is one command with everything it is given: nothing is inherited but the files named here.
type process struct {
	argv           []string // argv[0] absolute
	env            []string
	dir            string
	stdout, stderr *os.File      // files, not pipes: no goroutine and no copy for each process
	grace          time.Duration // between asking the group to end and killing it
}

// ending is how a process ended and what it used, with everything that it started and waited for.
type ending struct {
	success bool
	code    int    // exit code, -1 after a signal
	signal  string // name of the signal that ended it
	killed  bool   // that signal was SIGKILL

	wall, user, system time.Duration
	peakRSS            int64 // bytes; may not be below that of kmx itself, which the process briefly shares
}

// run starts the process in a group of its own and waits for it. When the context ends, the group is asked to end and
// killed after the grace period. When run returns, nothing of the group is left alive. The error tells that the process
// could not be started; it is nil for every other end.
func (p *process) run(ctx context.Context) (ending, error) {
	cmd := &exec.Cmd{Path: p.argv[0], Args: p.argv, Env: p.env, Dir: p.dir, Stdout: p.stdout, Stderr: p.stderr}
	start := time.Now()
	running, err := group.Start(ctx, cmd, p.grace)
	if err != nil {
		return ending{}, err
	}
	_ = running.Wait() // ProcessState says what its error says
	e := describe(cmd.ProcessState)
	e.wall = time.Since(start)
	return e, nil
}
