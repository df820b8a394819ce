package main

import (
	"context"
	"sync"
)

// beginning does the things 0, 1, 2 ... of total, jobs at a time, until n of them
// count, and gives how many were done. Which ones does not depend on who is quick:
// it is the shortest beginning in which n count, or everything. The first error
// ends it.
func beginning(ctx context.Context, jobs, n, total int, do func(ctx context.Context, worker, i int) (counts bool, err error)) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	turn := sync.NewCond(&mu)
	next, underway, counted := 0, 0, 0
	var workers sync.WaitGroup
	for worker := range jobs {
		workers.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			defer turn.Broadcast()
			for {
				// What is under way may be enough.
				for counted < n && counted+underway >= n && ctx.Err() == nil {
					turn.Wait()
				}
				if counted >= n || next == total || ctx.Err() != nil {
					return
				}
				i := next
				next++
				underway++
				mu.Unlock()
				counts, err := do(ctx, worker, i)
				mu.Lock()
				underway--
				if err != nil {
					cancel(err)
					return
				}
				if counts {
					counted++
				}
				turn.Broadcast()
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return next, context.Cause(ctx)
	}
	return next, nil
}
