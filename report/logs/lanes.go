package logs

import "container/heap"

// lanes hands out the lowest number that is free.
type lanes struct {
	n    int // numbers handed out so far
	free numbers
}

func (l *lanes) take() int {
	if len(l.free) > 0 {
		return heap.Pop(&l.free).(int)
	}
	l.n++
	return l.n - 1
}

func (l *lanes) give(lane int) { heap.Push(&l.free, lane) }

type numbers []int

func (h numbers) Len() int           { return len(h) }
func (h numbers) Less(i, j int) bool { return h[i] < h[j] }
func (h numbers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *numbers) Push(x any)        { *h = append(*h, x.(int)) }
func (h *numbers) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
