package flow

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kmx/internal/diag"
)

// patience is how long the work may take to stop after it was asked to. The
// engine kills compilers after two seconds; Mage gives up after five.
const patience = 4500 * time.Millisecond

// An interrupt turns the signals that ask a program to end into the end of a
// context, so that compilers and sandboxes are cleaned up before the program
// goes. Mage itself hears only SIGINT; a terminal that closes sends SIGHUP, and
// a reader of the output that has seen enough SIGPIPE.
type interrupt struct {
	errOut  io.Writer
	signals chan os.Signal
	done    chan struct{}
	pipe    atomic.Bool // nobody reads the output any more
	exit    func(code int)

	mu      sync.Mutex
	cleanup []func() // before an exit that does not wait for the work
}

// first has something done before an exit that leaves the work behind; it has
// to take no time. Nothing is done for nobody who listens.
func (i *interrupt) first(f func()) {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cleanup = append(i.cleanup, f)
}

// interruptible begins to listen; leave ends it.
func interruptible(ctx context.Context, errOut io.Writer) (context.Context, *interrupt) {
	ctx, cancel := context.WithCancel(ctx)
	i := &interrupt{errOut: errOut, signals: make(chan os.Signal, 1), done: make(chan struct{}), exit: os.Exit}
	heard := []os.Signal{os.Interrupt, syscall.SIGTERM}
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGPIPE} {
		if !signal.Ignored(s) { // as under nohup
			heard = append(heard, s)
		}
	}
	signal.Notify(i.signals, heard...)
	go i.listen(ctx, cancel, patience)
	return ctx, i
}

func (i *interrupt) listen(ctx context.Context, cancel context.CancelFunc, patience time.Duration) {
	defer cancel()
	select {
	case <-i.done:
		return
	case <-ctx.Done(): // Mage has heard it first, or has a time limit
	case s := <-i.signals:
		i.pipe.Store(s == syscall.SIGPIPE)
		cancel()
	}
	select {
	case <-i.done:
	case <-time.After(patience):
		// A file system that does not answer cannot be interrupted.
		fmt.Fprintln(i.errOut, "Error: interrupted; something does not stop and is left behind, the same command cleans up")
		i.mu.Lock()
		for _, f := range i.cleanup {
			f()
		}
		i.mu.Unlock()
		i.exit(int(diag.Interrupted))
	}
}

// leave stops listening. Where nobody reads the output any more it ends the
// process with the code that a shell gives for that signal, and says nothing.
func (i *interrupt) leave() {
	close(i.done)
	signal.Stop(i.signals)
	if i.pipe.Load() {
		i.exit(128 + int(syscall.SIGPIPE))
	}
}
