package engine

import "fmt"

// State is where a node stands. A node moves down this list, skipping what does not apply, and never back, with one
// exception: an action that was killed for want of memory goes from Running to Ready once, to run again alone.
//
//	Waiting → Looking → Done                                found in the cache
//	Waiting → Looking → Ready → Running → Checking → Done   built
//	Looking, Running, Checking → Failed
//	Waiting → Skipped
//	any that is not final → Cancelled
//	Waiting → Failed                                        a step before its action failed (Node.Err)
type State int

const (
	// Waiting: at least one need is not Done, or all are and the node has not been looked at yet. It has no key.
	// Every node starts here.
	Waiting State = iota

	// Looking: all needs are Done, so the inputs and the key are known. The node waits for a worker, or a worker reads
	// the record of the key and lets the node's Check look at the outputs. Or another node with the same key is on its
	// way: this one looks when that one is final.
	Looking

	// Ready: the cache has no usable record for the key, or one whose outputs the Check refused. The node waits for a processor and for memory, the
	// longest remaining path first.
	Ready

	// Running: the node holds a processor and its guessed memory. The lock of the key is held or waited for; then
	// the process runs in its sandbox. When that has ended, others have the processor while its outputs are stored.
	Running

	// Checking: the process has ended and the processor is free for others. What it made is stored, with its record, if
	// it succeeded; then the node's Check looks at the outputs.
	Checking

	// Done: the record is in the cache and the check passed. Result.Record and, for dependents, the digests of the
	// outputs are known. Final.
	Done

	// Failed: the action or its check failed, or the cache could not be used. Result.Err says how. Final.
	Failed

	// Skipped: something that it needs, directly or not, failed, so that it cannot be built. Final.
	Skipped

	// Cancelled: the run stopped before the node was final: it was interrupted, or another node failed and the run
	// does not keep going. Final.
	Cancelled
)

var stateNames = [...]string{
	"waiting", "looking", "ready", "running", "checking", "done", "failed", "skipped", "cancelled",
}

// Final tells whether a node stays in the state.
func (s State) Final() bool { return s >= Done }

// String is the name of the state in events.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("state %d", int(s))
	}
	return stateNames[s]
}

// MarshalText gives the name of the state.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a state.
func (s *State) UnmarshalText(text []byte) error {
	for i, name := range stateNames {
		if name == string(text) {
			*s = State(i)
			return nil
		}
	}
	return fmt.Errorf("no state of a node is called %q", text)
}
