package engine

import (
	"context"
	"time"

	"kmx/cache"
)

// Tool is how a symbolic tool is run on this machine. Nothing of it enters a key: the toolchain's digest in the action
// stands for all of it.
type Tool struct {
	Path string   // absolute; argv[0]
	Env  []string // "NAME=value", in addition: where a relocated compiler finds its libraries

	// Owns tells whether a file, by its absolute path, is part of the toolchain's closure and so may be read without
	// being an input. Nil: no file is.
	Owns func(path string) bool

	// Changed names a file of the toolchain that is no longer what the digest in the action was made from, "" while there
	// is none. Besides the files that every run takes part in, it looks at those of its closure that one has read, by
	// absolute path. It is called from many goroutines. Nil: nobody knows.
	Changed func(read []string) string

	// Step does the work in this process instead, which must be little: no process is started, and all other fields are
	// left alone. It is a pure function of the action and its inputs, by path, each of which another node or a step has
	// made, and gives every output, by path. The digest that its actions have in the place of a toolchain's stands for
	// what it does. Nil: the tool is a program.
	Step func(a *Action, inputs map[string][]byte) (outputs map[string][]byte, err error)

	// Direct says how the tool is best run for these arguments in the directory dir; it may use the directory temp,
	// and so may what is run. Nil: as it is, always.
	Direct func(ctx context.Context, args []string, dir, temp string) Way
}

// A Way is how a tool is run for one action. The zero Way is the tool itself.
type Way struct {
	// Commands are the processes, one after the other, that the tool itself would start; argv[0] of each is absolute.
	// Running them must give the same bytes as running the tool. When one of them fails the tool is run, which says
	// what is wrong in its own words. None: only the tool itself can tell.
	Commands [][]string

	Env []string // "NAME=value", for whatever is run; must make no difference to the outputs

	// Ran is called with what the tool itself said on stderr once it has succeeded, in its directory as it left it.
	// Nil: nobody wants to know.
	Ran func(stderr []byte)
}

// Job is an action that is to be executed now.
type Job struct {
	Label  string
	Key    cache.Digest
	Action *Action // with the inputs that come from other nodes
	Tool   Tool

	// Made holds the paths of the inputs that other nodes or steps of this program made: their bytes are in the cache,
	// by digest. All other inputs are files under the root of the project.
	Made map[string]bool

	// Ended is called once the processes are over and only what they made is to be looked at and stored: somebody else
	// may have the processor. It need not be called. Not nil.
	Ended func()
}

// Outcome is what a job gave. Its outputs are in the cache.
type Outcome struct {
	Outputs        []cache.Output // in the order of Action.Outputs
	Stdout, Stderr []byte
	Wall           time.Duration
	User, System   time.Duration
	PeakRSS        int64 // bytes
}

// Executor turns actions into outputs. Execute is called from many goroutines. It returns an outcome with an error
// too when the process ran and failed, as far as it is known, and it returns soon, with nothing left running, when
// the context ends; its error then wraps the context's.
type Executor interface {
	Execute(ctx context.Context, j *Job) (*Outcome, error)
}
