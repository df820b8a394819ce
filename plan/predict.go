package plan

import (
	"container/heap"
	"slices"
	"time"
)

// A Span is how long something takes: about Likely, and from Low to High as
// things go.
type Span struct{ Low, Likely, High time.Duration }

// Recent is the span of what took these times lately, the last one at the end.
// A single time says little of the spread: a quarter either way is assumed.
// Nothing is said by none.
func Recent(walls []time.Duration) (Span, bool) {
	switch len(walls) {
	case 0:
		return Span{}, false
	case 1:
		return Span{walls[0] * 3 / 4, walls[0], walls[0] * 5 / 4}, true
	}
	sum := time.Duration(0)
	for _, w := range walls {
		sum += w
	}
	return Span{slices.Min(walls), sum / time.Duration(len(walls)), slices.Max(walls)}, true
}

// Unmeasured is the span of something never done before that is guessed to
// take a time.
func Unmeasured(guess time.Duration) Span { return Span{guess / 3, guess, guess * 3} }

// Makespan predicts how long a number of jobs at a time take for all of the
// spans, the longest first: the bounds are those of all being as quick, or as
// slow, as ever. That is wider than chance would have it, as what makes one
// slow, a busy machine, makes all slow.
func Makespan(spans []Span, jobs int) Span {
	all := func(part func(Span) time.Duration) time.Duration {
		times := make([]time.Duration, len(spans))
		for i, s := range spans {
			times[i] = part(s)
		}
		return makespan(times, jobs)
	}
	return Span{
		Low:    all(func(s Span) time.Duration { return s.Low }),
		Likely: all(func(s Span) time.Duration { return s.Likely }),
		High:   all(func(s Span) time.Duration { return s.High }),
	}
}

func makespan(times []time.Duration, jobs int) time.Duration {
	slices.SortFunc(times, func(a, b time.Duration) int { return int(b - a) })
	busy := make(loads, max(1, min(jobs, len(times))))
	for _, t := range times {
		busy[0] += t
		heap.Fix(&busy, 0)
	}
	return slices.Max(busy)
}

// loads is a heap of how long each processor is busy.
type loads []time.Duration

func (l loads) Len() int           { return len(l) }
func (l loads) Less(i, j int) bool { return l[i] < l[j] }
func (l loads) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *loads) Push(x any)        { *l = append(*l, x.(time.Duration)) }
func (l *loads) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}
