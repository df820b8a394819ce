package engine

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"time"
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
	ownGroup(cmd)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return ending{}, err
	}
	// The number of the group is ours until its leader is reaped: no signal may be sent after that.
	var (
		mu    sync.Mutex
		ended bool
		gone  = make(chan struct{})
		wall  time.Duration
	)
	signal := func(send func(pid int)) {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			send(cmd.Process.Pid)
		}
	}
	cancel := context.AfterFunc(ctx, func() {
		signal(askGroup)
		timer := time.NewTimer(p.grace)
		defer timer.Stop()
		select {
		case <-gone:
		case <-timer.C:
			signal(killGroup)
		}
	})
	defer cancel()
	wait(cmd, func() {
		wall = time.Since(start)
		mu.Lock()
		defer mu.Unlock()
		killGroup(cmd.Process.Pid) // what it left behind: its sandbox goes away now
		ended = true
	})
	close(gone)
	e := describe(cmd.ProcessState)
	e.wall = wall
	return e, nil
}
