package logs

import (
	"cmp"
	"slices"
	"time"
)

// Why a step of the critical path began when it did.
const (
	AtStart   = "start"     // nothing held it up but being looked at
	ForNeed   = "needs"     // it takes the result of the step before
	ForPlace  = "processor" // all processors were in use; the step before gave one back
	RanBefore = "again"     // it ran before and was killed for want of memory
)

// Step is a process on the critical path.
type Step struct {
	Run    int    // index in Build.Runs
	Why    string // what it waited for: AtStart, ForNeed, ForPlace
	Waited time.Duration
}

// Path is the chain of processes that the end of the build waited for, the first
// one first: from the process that ended last backwards, each time to what its
// start waited for. Shortening a step of it shortens the build, until another
// chain is longer.
func (b *Build) Path() []Step {
	if len(b.Runs) == 0 {
		return nil
	}
	ends := make([]int, len(b.Runs)) // by end
	for i := range ends {
		ends[i] = i
	}
	slices.SortStableFunc(ends, func(x, y int) int { return cmp.Compare(b.Runs[x].End, b.Runs[y].End) })
	at := map[int]int{}
	for i, c := range b.Cells {
		at[c.Node] = i
	}
	var steps []Step
	for cur := ends[len(ends)-1]; len(steps) <= len(b.Runs); {
		step, before := b.before(cur, ends, at)
		steps = append(steps, step)
		if before < 0 {
			break
		}
		cur = before
	}
	slices.Reverse(steps)
	return steps
}

// before finds what the start of a run waited for: the index of that run, -1 for
// none.
func (b *Build) before(cur int, ends []int, at map[int]int) (Step, int) {
	run := b.Runs[cur]
	c := &b.Cells[run.Cell]
	if c.First != cur+1 {
		for i := cur - 1; i >= 0; i-- {
			if b.Runs[i].Cell == run.Cell {
				return Step{cur, RanBefore, run.Start - b.Runs[i].End}, i
			}
		}
	}
	ready := max(c.Ready, 0)
	need := -1
	for _, node := range c.Needs {
		i, ok := at[node]
		if !ok || b.Cells[i].Last == 0 || i == run.Cell {
			continue
		}
		if last := b.Cells[i].Last - 1; b.Runs[last].End <= run.Start && (need < 0 || b.Runs[last].End > b.Runs[need].End) {
			need = last
		}
	}
	// The last end before the start, if the cell was ready by then: it gave the
	// processor.
	n, _ := slices.BinarySearchFunc(ends, run.Start, func(i int, t time.Duration) int {
		if b.Runs[i].End <= t {
			return -1
		}
		return 1
	})
	for n--; n >= 0; n-- {
		i := ends[n]
		if i == cur || b.Runs[i].Start >= run.Start {
			continue
		}
		if b.Runs[i].End > ready && i != need {
			return Step{cur, ForPlace, run.Start - ready}, i
		}
		break
	}
	if need >= 0 {
		return Step{cur, ForNeed, run.Start - b.Runs[need].End}, need
	}
	return Step{cur, AtStart, run.Start}, -1
}

// Bounds are times that no schedule of the same processes could beat.
type Bounds struct {
	Work  time.Duration // of all processes, divided by the number at once
	Chain time.Duration // of the longest chain of processes that need each other
}

// Bounds computes them from the processes that ran.
func (b *Build) Bounds() Bounds {
	var sum time.Duration
	own := make([]time.Duration, len(b.Cells))
	for _, r := range b.Runs {
		sum += r.End - r.Start
		own[r.Cell] += r.End - r.Start
	}
	at := map[int]int{}
	for i, c := range b.Cells {
		at[c.Node] = i
	}
	longest := make([]time.Duration, len(b.Cells))
	state := make([]int8, len(b.Cells)) // 1: being computed, 2: known
	var chain func(i int) time.Duration
	chain = func(i int) time.Duration {
		if state[i] != 0 { // a circle, which no engine writes, ends here
			return longest[i]
		}
		state[i] = 1
		var most time.Duration
		for _, node := range b.Cells[i].Needs {
			if j, ok := at[node]; ok {
				most = max(most, chain(j))
			}
		}
		longest[i], state[i] = most+own[i], 2
		return longest[i]
	}
	var bounds Bounds
	for i := range b.Cells {
		bounds.Chain = max(bounds.Chain, chain(i))
	}
	bounds.Work = sum / time.Duration(max(b.Jobs, 1))
	return bounds
}
