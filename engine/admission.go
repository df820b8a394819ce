package engine

import (
	"fmt"

	"kmx/cache"
)

// mustWait tells whether the first of the queue may not run beside what runs now, and asks for what it lacks. That a node
// waits for memory is told once.
func (d *dispatcher) mustWait(t *task) bool {
	memory := t.node.Guess.Memory
	switch {
	case t.alone || d.alone:
	case d.o.Memory > 0 && d.memory+memory > d.o.Memory:
		if !t.held {
			t.held = true
			d.emitNode(t, Event{Kind: Held, Message: fmt.Sprintf("waits for memory: it takes about %s, and %s of %s are left",
				cache.Size(memory), cache.Size(max(0, d.o.Memory-d.memory)), cache.Size(d.o.Memory))})
		}
	case d.o.Jobserver != nil && d.o.Jobserver.Held() < d.running:
		d.askToken()
	default:
		return false
	}
	return true
}

// askToken asks for one token at a time: there is no telling when it comes, and by then fewer may be needed.
func (d *dispatcher) askToken() {
	if d.asked || d.orphaned {
		return
	}
	d.asked = true
	d.o.Jobserver.Take(func(err error) { d.reports <- report{step: token, err: err} })
}

func (d *dispatcher) tookToken(err error) {
	d.asked = false
	if err != nil && !d.orphaned {
		d.orphaned = true
		d.emit(Event{Kind: Warning, Node: -1, Message: fmt.Sprintf(
			"the jobserver of make gives no more jobs (%v); the rest is built one at a time", err)})
	}
}

// settleTokens gives back what is not needed for what runs now. The first build has make's leave without a token.
func (d *dispatcher) settleTokens() {
	if d.o.Jobserver != nil {
		d.o.Jobserver.Keep(max(0, d.running-1))
	}
}
