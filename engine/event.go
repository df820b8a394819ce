package engine

import (
	"time"

	"kmx/cache"
)

// EventFormat is the version of the events. A reader may meet fields that it does not know; a change in the meaning of
// a field needs a new version.
const EventFormat = "kmx.events/1"

// The kinds of events.
const (
	BuildStarted  = "build-started"  // once, first: Format, Counts.Total, Jobs, Remaining
	NodeState     = "node-state"     // a node became Ready, Running, Checking, or final
	Held          = "held"           // a node that comes next waits for memory, though a job is free: Message
	Warning       = "warning"        // Message; Label when it is about one node
	BuildFinished = "build-finished" // once, last: Counts, Wall, Error
)

// Event is one thing that happened in a run. Durations are nanoseconds in JSON.
type Event struct {
	Format string    `json:"format,omitempty"` // of the first event only
	Time   time.Time `json:"time"`
	Kind   string    `json:"kind"`

	Node   int          `json:"node"`            // index in the graph; -1 when the event is not about a node
	Label  string       `json:"label,omitempty"` // of the node
	State  State        `json:"state,omitempty"`
	Cached bool         `json:"cached,omitempty"` // Done without a process in this run
	Key    cache.Digest `json:"key,omitzero"`
	Guess  Cost         `json:"guess,omitzero"`
	Needs  []int        `json:"needs,omitempty"` // when Ready: the nodes that it needed

	// What the action cost: measured now, or, when Cached, when it was built.
	Wall    time.Duration `json:"wall,omitempty"` // of the whole run in BuildFinished
	User    time.Duration `json:"user,omitempty"`
	System  time.Duration `json:"system,omitempty"`
	PeakRSS int64         `json:"peak_rss,omitempty"` // bytes

	Stdout  string `json:"stdout,omitempty"`  // what the tool wrote, also when it did so in an earlier run
	Output  string `json:"output,omitempty"`  // the same for stderr: warnings, and the reason of a failure
	Error   string `json:"error,omitempty"`   // why the node is Failed, Skipped or Cancelled, or the build incomplete
	Err     error  `json:"-"`                 // the same, typed
	Message string `json:"message,omitempty"` // of a warning; when Ready: why the cache has no record to use

	Counts    Counts        `json:"counts"`
	Jobs      int           `json:"jobs,omitempty"`      // how many actions may run at a time
	Remaining time.Duration `json:"remaining,omitempty"` // guess: wall time until the end, from the guesses of the nodes
}

// Counts tells how far a run is. Done includes Cached; what is in none of them has not started.
type Counts struct {
	Total     int `json:"total"`
	Done      int `json:"done"`
	Cached    int `json:"cached"`
	Running   int `json:"running"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	Cancelled int `json:"cancelled"`
}

// Final is the number of nodes that nothing more will happen to.
func (c Counts) Final() int { return c.Done + c.Failed + c.Skipped + c.Cancelled }
