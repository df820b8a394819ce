package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"kmx/cache"
	"kmx/internal/group"
)

// termGrace is how long an action may take to end when it is asked to, before it is killed. Mage gives a whole build
// five seconds after an interrupt.
const termGrace = 2 * time.Second

// local executes actions on this machine, each in a sandbox of its own.
type local struct {
	cache   *cache.Cache
	root    string        // of the project, where inputs are copied from
	boxes   string        // where sandboxes are made: absolute, without symbolic links
	timeout time.Duration // of one action; 0: none
	grace   time.Duration

	mu   sync.Mutex
	free []*sandbox // ready to be used again
}

func newLocal(o Options) (*local, error) {
	boxes, err := filepath.Abs(o.Cache.SandboxRoot())
	if err == nil {
		err = os.MkdirAll(boxes, 0o755)
	}
	if err == nil {
		boxes, err = filepath.EvalSymlinks(boxes)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make the folder for sandboxes: %w", err)
	}
	group.Adopt()
	closeInherited()
	return &local{cache: o.Cache, root: o.Root, boxes: boxes, timeout: o.Timeout, grace: termGrace}, nil
}

var errTimeout = errors.New("time limit")

// Execute runs the job in a sandbox, checks what it did against what it declared and puts its outputs into the
// cache.
func (l *local) Execute(ctx context.Context, j *Job) (*Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if j.Tool.Step != nil {
		return l.step(j)
	}
	if l.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.timeout, errTimeout)
		defer cancel()
	}
	box, err := l.take(j.Action)
	if err != nil {
		return nil, &MachineError{Label: j.Label, Doing: "cannot make a sandbox", Err: err}
	}
	out, err := l.inside(ctx, box, j)
	if err != nil {
		box.remove()
		return out, err
	}
	l.mu.Lock()
	l.free = append(l.free, box)
	l.mu.Unlock()
	return out, nil
}

// take gives a sandbox for the action: one that is free, or a new one.
func (l *local) take(a *Action) (*sandbox, error) {
	l.mu.Lock()
	var box *sandbox
	if last := len(l.free) - 1; last >= 0 {
		box, l.free = l.free[last], l.free[:last]
	}
	l.mu.Unlock()
	if box != nil {
		if box.prepare(a) == nil {
			return box, nil
		}
		box.remove()
	}
	return newSandbox(l.boxes)
}

// close removes the sandboxes. No action may be executing.
func (l *local) close() {
	for _, box := range l.free {
		box.remove()
	}
	l.free = nil
}

// inside does the work of Execute in the given sandbox.
func (l *local) inside(ctx context.Context, box *sandbox, j *Job) (*Outcome, error) {
	if err := l.fill(box, j); err != nil {
		return nil, err
	}
	out, err := l.spawn(ctx, box, j)
	var owned []string
	if err == nil {
		j.Ended()
		owned, err = checkDepfile(box, j)
	}
	if err == nil && j.Tool.Changed != nil {
		if path := j.Tool.Changed(owned); path != "" {
			err = &ToolChanged{Label: j.Label, Tool: j.Action.Tool, Path: path}
		}
	}
	if err == nil {
		err = l.collect(box, j, out)
	}
	return out, err
}

// fill puts the inputs into the sandbox and makes the folders of the outputs.
func (l *local) fill(box *sandbox, j *Job) error {
	a := j.Action
	for _, in := range a.Inputs {
		if j.Made[in.Path] {
			err := box.folderOf(in.Path)
			if err == nil {
				err = l.cache.Place(in.Digest, box.path(in.Path), 0o644)
			}
			if err != nil {
				return &MachineError{Label: j.Label, Doing: "cannot place " + in.Path + ", which another action made", Err: err}
			}
			continue
		}
		err := box.copyIn(filepath.Join(l.root, filepath.FromSlash(in.Path)), in.Path, in.Content())
		var writing sandboxError
		switch {
		case err == nil:
		case errors.Is(err, errChanged):
			return &InputChanged{Label: j.Label, Path: in.Path}
		case errors.As(err, &writing):
			return &MachineError{Label: j.Label, Doing: "cannot fill the sandbox", Err: err}
		case errors.Is(err, fs.ErrNotExist):
			return &InputChanged{Label: j.Label, Path: in.Path, Gone: true}
		default:
			return &MachineError{Label: j.Label, Doing: "cannot read the input " + in.Path, Err: err}
		}
	}
	for _, out := range append(slices.Clip(a.Outputs), a.Depfile) {
		if err := box.folderOf(out); err != nil {
			return &MachineError{Label: j.Label, Doing: "cannot fill the sandbox", Err: err}
		}
	}
	return nil
}

// spawn runs the tool, or what it would run, and tells how it ended.
func (l *local) spawn(ctx context.Context, box *sandbox, j *Job) (*Outcome, error) {
	tool := [][]string{append([]string{j.Tool.Path}, j.Action.Args...)}
	if j.Tool.Direct == nil || len(j.Action.Env) > 0 {
		return l.processes(ctx, box, j, tool, nil)
	}
	way := j.Tool.Direct(ctx, j.Action.Args, box.dir, box.path(scratch))
	if len(way.Commands) > 0 {
		out, err := l.processes(ctx, box, j, way.Commands, way.Env)
		if err == nil || ctx.Err() != nil || outOfMemory(err) {
			return out, err
		}
		if err := box.forget(j.Action); err != nil {
			return out, &MachineError{Label: j.Label, Doing: "cannot empty the sandbox", Err: err}
		}
		return l.processes(ctx, box, j, tool, nil)
	}
	out, err := l.processes(ctx, box, j, tool, way.Env)
	if err == nil && way.Ran != nil {
		way.Ran(out.Stderr)
	}
	return out, err
}

// processes runs commands one after the other, up to the first that fails, and tells how that went.
func (l *local) processes(ctx context.Context, box *sandbox, j *Job, commands [][]string, env []string) (*Outcome, error) {
	var p process
	var end ending
	for _, argv := range commands {
		p = process{argv: argv, env: append(environment(box, j), env...), dir: box.dir, stdout: box.stdout, stderr: box.stderr, grace: l.grace}
		e, err := p.run(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			return nil, &StartError{Label: j.Label, Tool: j.Action.Tool, Path: argv[0], Err: err}
		case err != nil:
			e.success = false // it is too late to start it
		}
		e.wall, e.user, e.system = e.wall+end.wall, e.user+end.user, e.system+end.system
		e.peakRSS = max(e.peakRSS, end.peakRSS)
		if end = e; !end.success {
			break
		}
	}
	group.EndStrays(box.dir)
	var err error
	out := &Outcome{Wall: end.wall, User: end.user, System: end.system, PeakRSS: end.peakRSS}
	if out.Stdout, err = box.readMessages(box.stdout); err == nil {
		out.Stderr, err = box.readMessages(box.stderr)
	}
	switch {
	case err != nil:
		return out, &MachineError{Label: j.Label, Doing: "cannot read what the tool said", Err: err}
	case end.success:
		return out, nil
	case context.Cause(ctx) == errTimeout:
		return out, &TimedOut{Label: j.Label, After: l.timeout, Stderr: string(out.Stderr)}
	case ctx.Err() != nil:
		return out, ctx.Err()
	case full(box.dir) || bytes.Contains(out.Stderr, []byte("No space left on device")):
		return out, &MachineError{Label: j.Label, Doing: filepath.Base(p.argv[0]) + " failed in " + box.dir, Err: syscall.ENOSPC}
	}
	return out, &ActionError{
		Label: j.Label, ExitCode: end.code, Signal: end.signal, Stderr: string(out.Stderr), Argv: p.argv,
		// The kernel kills the largest process, which is the front end; clang's driver then says so and exits.
		OutOfMemory: end.killed || bytes.Contains(out.Stderr, []byte("unable to execute command: Killed")),
	}
}

// environment is all that a process inherits. The fixed part comes first, so that an action may say otherwise, in
// which case its key says so too.
func environment(box *sandbox, j *Job) []string {
	env := []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "SOURCE_DATE_EPOCH=0"} // what asks for the time gets none
	env = append(env, j.Tool.Env...)
	for _, e := range j.Action.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	return append(env, "TMPDIR="+box.path(scratch))
}
