package engine

import (
	"container/heap"
	"time"

	"kmx/cache"
)

// task is a node on its way through a run. Only the dispatcher changes it; workers read what is settled before they
// are started: node, action and key.
type task struct {
	node  *Node
	index int
	state State

	waits      int           // needs that are not Done
	dependents []*task       // whom it is needed by, once for each need
	remaining  time.Duration // guess: its own time and that of the longest chain of dependents
	guess      time.Duration // its own

	action Action          // with the inputs that needs add
	made   map[string]bool // the paths of those, and of what is stored
	origin []cache.Field   // what they were made from
	key    cache.Digest
	twins  []*task // with the same key; they look when this one is final

	alone   bool // it was killed for memory once and is tried again with the machine to itself
	held    bool // it was said that it waits for memory
	storing bool // its processes are over, what they made is being stored

	refused *cache.Record // what was stored and refused by the check: it is made anew once

	record *cache.Record
	cached bool
	err    error
}

// queue orders tasks by the longest remaining path: what others wait for longest comes first, which with rough guesses
// keeps the makespan within one or two percent of the best. Equal ones come in graph order.
type queue []*task

func (t *task) before(other *task) bool {
	if t.remaining != other.remaining {
		return t.remaining > other.remaining
	}
	return t.index < other.index
}

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].before(q[j]) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*task)) }
func (q *queue) Pop() any {
	old := *q
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return t
}

func (q *queue) put(t *task) { heap.Push(q, t) }
func (q *queue) take() *task { return heap.Pop(q).(*task) }
func (q queue) first() *task { return q[0] }
