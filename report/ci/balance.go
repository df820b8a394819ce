package ci

import (
	"cmp"
	"slices"
	"time"
)

// Runner is what one machine of the CI system offers.
type Runner struct {
	Jobs   int   `json:"jobs"`   // processes at a time
	Memory int64 `json:"memory"` // bytes for all of them
}

// Work is one action with what it is expected to take. Helpers are the indexes
// of the actions that make its helpers; a shard makes each of them once.
type Work struct {
	Label   string
	Wall    time.Duration
	Memory  int64 // peak, bytes
	Helpers []int
}

// weight is the processor time that an action keeps from others: one that
// takes more than its share of the memory keeps several processors idle.
func (r Runner) weight(w Work) time.Duration {
	share := max(1, r.Memory/int64(max(1, r.Jobs)))
	if w.Memory <= share {
		return w.Wall
	}
	return time.Duration(float64(w.Wall) * float64(min(w.Memory, r.Memory)) / float64(share))
}

// load is what one shard has to do so far.
type load struct {
	weight  time.Duration
	longest time.Duration
	helpers map[int]bool
	work    []int
}

// balancer shares work out.
type balancer struct {
	runner  Runner
	helpers []Work
}

// with is the load after taking on a work; nothing is changed.
func (b *balancer) with(l *load, w Work) (weight, longest time.Duration) {
	weight, longest = l.weight+b.runner.weight(w), max(l.longest, w.Wall)
	before := time.Duration(0)
	for _, h := range w.Helpers {
		if !l.helpers[h] {
			weight += b.runner.weight(b.helpers[h])
			before = max(before, b.helpers[h].Wall)
		}
	}
	return weight, max(longest, before+w.Wall)
}

// time is how long a shard is expected to take.
func (b *balancer) time(weight, longest time.Duration) time.Duration {
	return max(longest, weight/time.Duration(max(1, b.runner.Jobs)))
}

// share gives each work to the shard that is done with it first, the longest
// work first. Equal ones go by their labels, so that the answer depends on
// nothing but what is known of the work.
func (b *balancer) share(work []Work, n int) []load {
	order := make([]int, len(work))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(b.runner.weight(work[y]), b.runner.weight(work[x])), cmp.Compare(work[x].Label, work[y].Label))
	})
	loads := make([]load, n)
	for _, i := range order {
		best, least := 0, time.Duration(-1)
		for s := range loads {
			if t := b.time(b.with(&loads[s], work[i])); least < 0 || t < least || t == least && loads[s].weight < loads[best].weight {
				best, least = s, t
			}
		}
		l := &loads[best]
		l.weight, l.longest = b.with(l, work[i])
		for _, h := range work[i].Helpers {
			if l.helpers == nil {
				l.helpers = map[int]bool{}
			}
			l.helpers[h] = true
		}
		l.work = append(l.work, i)
	}
	return loads
}

// slowest is when the last shard is done.
func (b *balancer) slowest(loads []load) time.Duration {
	most := time.Duration(0)
	for _, l := range loads {
		most = max(most, b.time(l.weight, l.longest))
	}
	return most
}

// Balance shares the work that is to be done out among at most n shards: as
// few as are done by when n would be if all the work, known results too, were
// to be done. Each shard lists indexes of todo, in the order of todo.
func Balance(all, todo, helpers []Work, r Runner, n int) [][]int {
	if len(todo) == 0 || n < 1 {
		return nil
	}
	b := &balancer{runner: r, helpers: helpers}
	limit := b.slowest(b.share(all, min(n, len(all))))
	total := time.Duration(0)
	for _, w := range todo {
		total += r.weight(w)
	}
	n = min(n, len(todo))
	few := 1
	if limit > 0 { // fewer cannot do
		few = max(1, min(n, int(total/time.Duration(max(1, r.Jobs))/limit)))
	}
	loads := b.share(todo, few)
	for few < n && b.slowest(loads) > limit {
		few++
		loads = b.share(todo, few)
	}
	var out [][]int
	for _, l := range loads {
		if len(l.work) > 0 {
			slices.Sort(l.work)
			out = append(out, l.work)
		}
	}
	return out
}

// Expected is how long a shard with some of the work takes on a runner.
func Expected(todo, helpers []Work, shard []int, r Runner) time.Duration {
	b := &balancer{runner: r, helpers: helpers}
	var part []Work
	for _, i := range shard {
		part = append(part, todo[i])
	}
	return b.slowest(b.share(part, 1))
}
