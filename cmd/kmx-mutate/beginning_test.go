package main

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestBeginning holds that exactly the shortest beginning is done, whatever the
// number of workers and whoever is quick.
func TestBeginning(t *testing.T) {
	for _, c := range []struct{ n, total, every, want int }{
		{5, 100, 1, 5}, {5, 100, 3, 13}, {1, 1, 1, 1}, {5, 12, 3, 12}, {2, 10, 20, 10}, {3, 0, 1, 0},
	} {
		for jobs := 1; jobs < 9; jobs++ {
			for round := range 20 {
				var done [100]atomic.Int32
				got, err := beginning(t.Context(), jobs, c.n, c.total, func(_ context.Context, worker, i int) (bool, error) {
					for range (i*7 + worker*3 + round) % 5 {
						runtime.Gosched()
					}
					done[i].Add(1)
					return i%c.every == 0, nil
				})
				if err != nil || got != c.want {
					t.Fatalf("%+v, %d jobs: %d, %v", c, jobs, got, err)
				}
				for i := range done {
					if want := i < c.want; (done[i].Load() == 1) != want {
						t.Fatalf("%+v, %d jobs: thing %d was done %d times", c, jobs, i, done[i].Load())
					}
				}
			}
		}
	}
}

func TestBeginningFails(t *testing.T) {
	bad := errors.New("no")
	for jobs := 1; jobs < 5; jobs++ {
		_, err := beginning(t.Context(), jobs, 50, 100, func(ctx context.Context, _, i int) (bool, error) {
			if i == 7 {
				return false, bad
			}
			return true, ctx.Err()
		})
		if !errors.Is(err, bad) {
			t.Errorf("%d jobs: %v", jobs, err)
		}
	}
}
