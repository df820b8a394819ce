package report

import (
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
)

// Options are what a Printer knows besides the events. Every field may be
// left out.
type Options struct {
	// Declared gives the line of the matrix that declares a cell.
	Declared map[string]diag.Range
	// Origin tells what a cell is made of, for failures; "" says nothing.
	Origin func(label string) string
	// Derived names the cell from whose object a cell's is derived, "" where it is
	// built.
	Derived func(label string) string
	// Facts gives the resources of a finished cell, now and at its last build.
	Facts func(label string) (now, before Facts, ok bool)
	// Lines makes the tty mode print finished cells too, as plain does: for
	// commands that build a few cells for somebody who waits for them.
	Lines bool
	// Log is where the events go in full; messages that are cut point there.
	Log string
	// Defer keeps what is said of failures for the end of the build, where all
	// of it is shown together. That a cell failed is said at once.
	Defer bool
	// Emulated gives more words for the line of a finished cell, "" for none: what
	// a launch of its object executed on the emulator.
	Emulated func(label string, key cache.Digest) string
	// Outcomes ends a build in which something failed with a table of what
	// became of each cell.
	Outcomes bool
	// Same reports that a finished cell is what it was at its last build here.
	// Where it is given, only the others are shown, and no summary where there
	// are none.
	Same func(label string, key cache.Digest) bool
	// Rerun gives the command that builds just this cell; "mage build LABEL"
	// when nil.
	Rerun func(label string) string

	Getenv   func(name string) string   // os.Getenv when nil
	Terminal func() bool                // whether the writer is a terminal; asks the writer when nil
	Size     func() (width, height int) // of the terminal; asks the writer when nil; 0 is unknown
	Now      func() time.Time           // time.Now when nil
	// Ticks drives what happens without events: a redraw, the sign of life.
	// When nil, a ticker of the Printer's own does.
	Ticks <-chan time.Time
}

// Printer writes what the engine tells. Its methods may be called from any
// goroutine.
type Printer struct {
	mu      sync.Mutex
	view    view
	board   board
	derived func(label string) string // Options.Derived
	now     func() time.Time
	stop    chan struct{}
	done    chan struct{}
	ticker  *time.Ticker
}

// view is one mode. It is told each event after the board has taken it in, and
// the time now and then.
type view interface {
	event(b *board, e engine.Event)
	tick(b *board, now time.Time)
	close(b *board)
}

// New makes a Printer for a mode of Modes. An unknown mode is a usage error
// with the nearest ones.
func New(mode string, w io.Writer, o Options) (*Printer, error) {
	fill(w, &o)
	mode, err := choose(mode, o.Getenv, o.Terminal)
	if err != nil {
		return nil, err
	}
	p := &Printer{now: o.Now, derived: o.Derived, stop: make(chan struct{}), done: make(chan struct{})}
	paint := painter(mode == "tty" && o.Getenv("NO_COLOR") == "")
	every := time.Second
	switch mode {
	case "tty":
		p.view = &tty{w: w, o: o, paint: paint}
		every = 200 * time.Millisecond
	case "json":
		p.view = &jsonl{w: w}
	case "github":
		p.view = &plain{w: w, o: o, paint: paint, github: true}
	default:
		p.view = &plain{w: w, o: o, paint: paint}
	}
	ticks := o.Ticks
	if ticks == nil {
		p.ticker = time.NewTicker(every)
		ticks = p.ticker.C
	}
	go p.run(ticks)
	return p, nil
}

func fill(w io.Writer, o *Options) {
	file, isFile := w.(*os.File)
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Terminal == nil {
		o.Terminal = func() bool { return isFile && isTerminal(file) }
	}
	if o.Size == nil {
		o.Size = func() (int, int) {
			if !isFile {
				return 0, 0
			}
			width, height, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 0, 0
			}
			return width, height
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rerun == nil {
		o.Rerun = func(label string) string { return "mage build " + label }
	}
}

func (p *Printer) run(ticks <-chan time.Time) {
	defer close(p.done)
	for {
		select {
		case <-p.stop:
			return
		case _, open := <-ticks:
			if !open {
				return
			}
			p.tick()
		}
	}
}

func (p *Printer) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.view != nil && p.board.begun && !p.board.finished {
		p.view.tick(&p.board, p.now())
	}
}

// Sink takes an event; it is made for engine.Options.
func (p *Printer) Sink(e engine.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.view != nil {
		p.board.take(e)
		if e.Kind == engine.NodeState && e.State == engine.Done && !e.Cached && p.derived != nil && p.derived(e.Label) != "" {
			p.board.derived++
		}
		p.view.event(&p.board, e)
	}
}

// Warn says something that no event of the engine says, such as what the cache
// found out, without tearing the live lines.
func (p *Printer) Warn(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.view != nil {
		p.view.event(&p.board, engine.Event{
			Time: p.now(), Kind: engine.Warning, Node: -1, Message: message, Counts: p.board.counts, Remaining: p.board.remaining,
		})
	}
}

// Close ends the report: live lines go, the cursor comes back. It is for
// every way out, also when no event ever came; closing twice is harmless.
func (p *Printer) Close() {
	p.mu.Lock()
	if p.view == nil {
		p.mu.Unlock()
		return
	}
	p.view.close(&p.board)
	p.view = nil
	p.mu.Unlock()
	if p.ticker != nil {
		p.ticker.Stop()
	}
	close(p.stop)
	<-p.done
}
