package engine

import (
	"fmt"
	"strings"
	"time"

	"kmx/cache"
)

// GraphError lists everything that is wrong with a graph or with the options it was to run with. It is a mistake of
// the caller, not of the person at the terminal, and nothing has run.
type GraphError struct {
	Problems []string
}

func (e *GraphError) Error() string {
	return "the graph of actions is not in order:\n  " + strings.Join(e.Problems, "\n  ")
}

// ActionError tells that the process of an action ran and did not succeed.
type ActionError struct {
	Label       string
	ExitCode    int    // -1 when a signal ended it
	Signal      string // "SIGSEGV"; empty when it exited
	OutOfMemory bool   // it, or a process that it started, was killed and not by kmx
	Stderr      string // what it said, cut in the middle when very long
	Argv        []string
}

func (e *ActionError) Error() string {
	tool := "the tool"
	if len(e.Argv) > 0 {
		tool = e.Argv[0]
	}
	switch {
	case e.OutOfMemory:
		return fmt.Sprintf("%s: %s was killed from outside, most likely because the machine ran out of memory; run fewer jobs at a time", e.Label, tool)
	case e.Signal != "":
		return fmt.Sprintf("%s: %s was ended by %s", e.Label, tool, e.Signal)
	}
	return fmt.Sprintf("%s: %s failed with exit code %d", e.Label, tool, e.ExitCode)
}

// TimedOut tells that an action was killed because it ran longer than Options.Timeout.
type TimedOut struct {
	Label  string
	After  time.Duration
	Stderr string
}

func (e *TimedOut) Error() string {
	return fmt.Sprintf("%s: still running after %s and was killed", e.Label, e.After)
}

// StartError tells that the process of an action could not be started at all.
type StartError struct {
	Label, Tool, Path string
	Err               error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("%s: cannot start %s (%s): %v", e.Label, e.Tool, e.Path, e.Err)
}
func (e *StartError) Unwrap() error { return e.Err }

// MissingOutput tells that an action succeeded without writing something it promised.
type MissingOutput struct {
	Label, Path, Tool string
	Why               string // "does not exist", "is not a regular file"
	Stderr            string
}

func (e *MissingOutput) Error() string {
	return fmt.Sprintf("%s: %s reported success, but its output %s %s", e.Label, e.Tool, e.Path, e.Why)
}

// DepfileError tells that an action succeeded without a readable list of what it read.
type DepfileError struct {
	Label, Path, Tool string
	Missing           bool
	Err               error // what is wrong in it, when it is there
}

func (e *DepfileError) Error() string {
	if e.Missing {
		return fmt.Sprintf("%s: %s reported success, but did not list what it read in %s", e.Label, e.Tool, e.Path)
	}
	return fmt.Sprintf("%s: the list of what %s read, %s, cannot be understood: %v", e.Label, e.Tool, e.Path, e.Err)
}
func (e *DepfileError) Unwrap() error { return e.Err }

// UndeclaredInput tells that an action read files that are neither its inputs nor part of its toolchain: its result
// would not be rebuilt when they change.
type UndeclaredInput struct {
	Label, Tool string
	Paths       []string // as the depfile names them
}

func (e *UndeclaredInput) Error() string {
	return fmt.Sprintf("%s: %s read files that are neither declared inputs nor part of the toolchain: %s",
		e.Label, e.Tool, strings.Join(e.Paths, ", "))
}

// InputChanged tells that an input no longer has the bytes that the key was made from: it was edited, or removed,
// after the build began.
type InputChanged struct {
	Label, Path string
	Gone        bool
}

func (e *InputChanged) Error() string {
	what := "changed"
	if e.Gone {
		what = "disappeared"
	}
	return fmt.Sprintf("%s: %s %s while the build ran; run the command again", e.Label, e.Path, what)
}

// ToolChanged tells that a file of the toolchain is not what the key was made from any more: it was updated while the
// build ran.
type ToolChanged struct{ Label, Tool, Path string }

func (e *ToolChanged) Error() string {
	return fmt.Sprintf("%s: %s, a part of %s, changed while the build ran; run the command again", e.Label, e.Path, e.Tool)
}

// CheckError tells that the outputs were refused by the node's Check. Their record stays: the next run looks whether
// the action gives the same once more.
type CheckError struct {
	Label string
	Err   error
}

func (e *CheckError) Error() string { return e.Label + ": " + e.Err.Error() }
func (e *CheckError) Unwrap() error { return e.Err }

// StepError tells that a step of this program failed: one before the action, so that nothing was run, or the action itself
// where its tool is one.
type StepError struct {
	Label string
	Err   error
}

func (e *StepError) Error() string { return e.Label + ": " + e.Err.Error() }
func (e *StepError) Unwrap() error { return e.Err }

// Differs tells that an action, run again, did not give what its record says: it is not deterministic, or the record is
// not that of this action.
type Differs struct {
	Label   string
	Key     cache.Digest
	Outputs []Difference
}

// Difference is an output that is other than the stored one. Both blobs are in the cache.
type Difference struct {
	Stored, Made cache.Output
}

func (e *Differs) Error() string {
	s := e.Label + ": run again, it does not give what is stored:"
	for _, d := range e.Outputs {
		s += fmt.Sprintf(" %s is %s (%d bytes), stored is %s (%d bytes);",
			d.Stored.Path, d.Made.Digest, d.Made.Size, d.Stored.Digest, d.Stored.Size)
	}
	return strings.TrimSuffix(s, ";")
}

// MachineError tells that the cache or a sandbox could not be read or written: a full disk, missing permissions.
type MachineError struct {
	Label, Doing string
	Err          error
}

func (e *MachineError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Label, e.Doing, e.Err) }
func (e *MachineError) Unwrap() error { return e.Err }

// SameAction is the error of a node whose action another node shares and which failed there.
type SameAction struct {
	Label, Other string
	Err          error
}

func (e *SameAction) Error() string {
	return fmt.Sprintf("%s: the same action failed for %s", e.Label, e.Other)
}
func (e *SameAction) Unwrap() error { return e.Err }

// NeedFailed is the error of a node that was skipped.
type NeedFailed struct {
	Label, Need string // Need failed itself
}

func (e *NeedFailed) Error() string {
	return fmt.Sprintf("%s: needs %s, which failed", e.Label, e.Need)
}

// Stopped is the error of a node that was cancelled.
type Stopped struct {
	Label string
	Err   error // context.Canceled when interrupted; nil when another node failed
}

func (e *Stopped) Error() string {
	if e.Err == nil {
		return e.Label + ": stopped because another one failed"
	}
	return fmt.Sprintf("%s: stopped: %v", e.Label, e.Err)
}
func (e *Stopped) Unwrap() error { return e.Err }

// Incomplete is the error of Run: not every node is Done. It wraps the errors of the nodes that failed themselves, in
// graph order, and the context's error when the run was interrupted.
type Incomplete struct {
	Counts      Counts
	Failures    []error
	Interrupted error
}

func (e *Incomplete) Error() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{e.Counts.Failed, "failed"}, {e.Counts.Skipped, "skipped"}, {e.Counts.Cancelled, "cancelled"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	s := fmt.Sprintf("%d of %d done, %s", e.Counts.Done, e.Counts.Total, strings.Join(parts, ", "))
	if e.Interrupted != nil {
		s += ": " + e.Interrupted.Error()
	}
	if len(e.Failures) > 0 {
		s += "; first failure: " + e.Failures[0].Error()
	}
	return s
}

// Unwrap lets errors.Is and errors.As find the interruption and the failures.
func (e *Incomplete) Unwrap() []error {
	if e.Interrupted == nil {
		return e.Failures
	}
	return append([]error{e.Interrupted}, e.Failures...)
}
