package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"kmx/cache"
)

// Options is what a run needs besides the graph.
type Options struct {
	Cache *cache.Cache
	Root  string          // of the project; inputs lie under it
	Tools map[string]Tool // by their symbolic names

	Jobs   int   // how many actions run at a time; 0: one for each processor, or make's number
	Memory int64 // bytes that they may take together, by their guesses; 0: no limit

	// Jobserver gives a token for each action that runs besides the first. It is not closed. Nil: there is none.
	Jobserver *Jobserver

	// KeepGoing builds everything that does not need something that failed. Otherwise the first failure stops the
	// run: what is running is killed, nothing more is started.
	KeepGoing bool

	// Repeat tells of a key that has a record whether its action is run all the same and its outputs are held against
	// those of the record. A *Differs fails the node; the record is never replaced. Nil: records are believed.
	Repeat func(key cache.Digest) bool

	Executor Executor      // nil: this machine
	Sink     func(Event)   // receives all events, one call at a time; it should return soon. Nil: nobody listens
	Timeout  time.Duration // of one action on this machine; 0: none
}

// Result is what became of one node.
type Result struct {
	Node   *Node
	State  State // final
	Key    cache.Digest
	Cached bool          // Done without running a process for it
	Record *cache.Record // when Done, or when only its Check failed
	Err    error         // when not Done
}

// Run builds the graph and returns a result for every node, in graph order, whatever happens. The error is nil when all
// are Done, a *GraphError, with no results, when the graph or the options are wrong, and else an *Incomplete. What
// finished before an interruption is in the cache.
func Run(ctx context.Context, g *Graph, o Options) ([]Result, error) {
	if err := validate(g, o); err != nil {
		return nil, err
	}
	if o.Jobs <= 0 && o.Jobserver != nil {
		o.Jobs = o.Jobserver.Jobs
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if o.Executor == nil {
		here, err := newLocal(o)
		if err != nil {
			return nil, err
		}
		defer here.close()
		o.Executor = here
	}
	d := newDispatcher(ctx, g, o)
	d.run()
	return d.results()
}

// validate adds to the graph's problems those of the options.
func validate(g *Graph, o Options) error {
	var problems []string
	var bad *GraphError
	if errors.As(g.Validate(), &bad) {
		problems = bad.Problems
	}
	if o.Cache == nil {
		problems = append(problems, "Options.Cache is nil")
	}
	unknown := map[string]string{}
	for _, n := range g.Nodes {
		if n.hopeless(g) {
			continue
		}
		if _, ok := o.Tools[n.Action.Tool]; !ok && unknown[n.Action.Tool] == "" {
			unknown[n.Action.Tool] = n.Label
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(unknown)) {
		problems = append(problems, fmt.Sprintf("%s: there is no tool %q; there is %s",
			unknown[tool], tool, strings.Join(slices.Sorted(maps.Keys(o.Tools)), ", ")))
	}
	if len(problems) > 0 {
		return &GraphError{Problems: problems}
	}
	return nil
}
