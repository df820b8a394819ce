// Package group runs a process together with everything that it starts, and leaves nothing of that behind.
//
// A compiler driver starts a front end, `go test` starts test programs: a signal to the first process alone leaves the
// others running. So each process started here leads a process group of its own.
//
// Invariants:
//   - When the context ends the whole group is asked to end (SIGTERM), and killed after a grace period.
//   - When Wait returns, nothing of the group is alive, however the process ended.
//   - On Linux a process is killed when the program that started it is gone, be it by SIGKILL. What that process had
//     started lives on until somebody finds it.
//   - On Linux, after Adopt, processes that left their group, for a session of their own, are found when those who
//     started them are gone, and ended by EndStrays.
//
// Where there are no process groups (Windows) only the process itself is ended.
//
// What does not belong here: what is run, in which folder and environment, and what an end means.
package group

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// A Process leads a group.
type Process struct {
	cmd  *exec.Cmd
	stop func() bool // listening to the context
	gone chan struct{}

	mu    sync.Mutex
	ended bool // its number may be another's
}

// leaders are the numbers of the processes that were started here and not waited for yet. Nobody may wonder whose a
// process is while one is starting and not in the list yet.
var leaders = struct {
	starting sync.RWMutex // held for reading by who starts one
	mu       sync.Mutex
	pid      map[int]bool
}{pid: map[int]bool{}}

// Start starts a command that was made without a context. The goroutine that called it is the one to call Wait. grace
// is the time between asking and killing.
func Start(ctx context.Context, cmd *exec.Cmd, grace time.Duration) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	runtime.LockOSThread() // the life of the process is tied to the thread that starts it
	own(cmd)
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = grace // for pipes that a process outside the group holds open
	}
	leaders.starting.RLock()
	err := cmd.Start()
	if err == nil {
		mark(cmd.Process.Pid, true)
	}
	leaders.starting.RUnlock()
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	p := &Process{cmd: cmd, gone: make(chan struct{})}
	p.stop = context.AfterFunc(ctx, func() {
		p.signal(ask)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.gone:
		case <-timer.C:
			p.signal(kill)
		}
	})
	return p, nil
}

// signal signals the group, which is ours until its leader is reaped.
func (p *Process) signal(send func(pid int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		send(p.cmd.Process.Pid)
	}
}

// Wait waits for the end of the process and ends what it has left behind. The error is that of exec.Cmd.Wait.
func (p *Process) Wait() error {
	defer runtime.UnlockOSThread()
	pid := p.cmd.Process.Pid
	err := wait(p.cmd, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		kill(pid)
		p.ended = true
	})
	close(p.gone)
	p.stop()
	reap(pid)
	mark(pid, false)
	return err
}

// Run starts a command and waits for its end. After the end of the context the error is that of the context.
func Run(ctx context.Context, cmd *exec.Cmd, grace time.Duration) error {
	p, err := Start(ctx, cmd, grace)
	if err != nil {
		return err
	}
	err = p.Wait()
	if err != nil && ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return err
}

// Output is Run for a command whose standard output is wanted, also when it failed.
func Output(ctx context.Context, cmd *exec.Cmd, grace time.Duration) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := Run(ctx, cmd, grace)
	return out.Bytes(), err
}

func mark(pid int, alive bool) {
	leaders.mu.Lock()
	defer leaders.mu.Unlock()
	if alive {
		leaders.pid[pid] = true
	} else {
		delete(leaders.pid, pid)
	}
}
