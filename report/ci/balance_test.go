package ci

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// works makes n works of different sizes, each of whose labels is unique.
func works(n int) []Work {
	var list []Work
	for i := range n {
		list = append(list, Work{Label: fmt.Sprintf("w%03d", i), Wall: time.Duration(1+i*i%17) * time.Second, Memory: int64(100+i%7*50) << 20})
	}
	return list
}

func TestBalance(t *testing.T) {
	r := Runner{Jobs: 2, Memory: 8 << 30}
	for _, n := range []int{1, 2, 4, 7, 256} {
		all := works(60)
		shards := Balance(all, all, nil, r, n)
		if len(shards) > n || len(shards) == 0 {
			t.Fatalf("%d shards of %d", len(shards), n)
		}
		var seen []int
		slowest, total, longest := time.Duration(0), time.Duration(0), time.Duration(0)
		for _, s := range shards {
			if !slices.IsSorted(s) {
				t.Errorf("shard out of order: %v", s)
			}
			seen = append(seen, s...)
			slowest = max(slowest, Expected(all, nil, s, r))
		}
		for _, w := range all {
			total += w.Wall
			longest = max(longest, w.Wall)
		}
		slices.Sort(seen)
		if len(seen) != len(all) || len(slices.Compact(seen)) != len(all) {
			t.Errorf("%d shards: each work once, got %v", n, seen)
		}
		// The bound of longest-first on equal machines.
		if ideal := max(longest, total/time.Duration(2*len(shards))); slowest > ideal*4/3 {
			t.Errorf("%d shards: the slowest takes %v, %v would do", n, slowest, ideal)
		}
	}
}

func TestBalanceIsDeterministic(t *testing.T) {
	r := Runner{Jobs: 4, Memory: 16 << 30}
	all := works(50)
	first := labels(all, Balance(all, all, nil, r, 5))
	slices.Reverse(all)
	if again := labels(all, Balance(all, all, nil, r, 5)); again != first {
		t.Errorf("the order of the work decides:\n%s\n%s", first, again)
	}
}

func labels(work []Work, shards [][]int) string {
	var out []string
	for _, s := range shards {
		var names []string
		for _, i := range s {
			names = append(names, work[i].Label)
		}
		slices.Sort(names)
		out = append(out, strings.Join(names, " "))
	}
	return strings.Join(out, "\n")
}

func TestFewerShardsWhenResultsExist(t *testing.T) {
	r := Runner{Jobs: 1, Memory: 1 << 30}
	var all []Work
	for i := range 40 {
		all = append(all, Work{Label: fmt.Sprintf("w%02d", i), Wall: time.Second})
	}
	last := 9
	for _, n := range []int{40, 20, 11, 5, 1} {
		got := len(Balance(all, all[:n], nil, r, 8))
		if want := (n + 4) / 5; got != want { // 40 works in 8 shards take 5 seconds
			t.Errorf("%d of 40 to do: %d shards, want %d", n, got, want)
		}
		if got > last {
			t.Errorf("more shards for less work")
		}
		last = got
	}
	if got := Balance(all, nil, nil, r, 8); len(got) != 0 {
		t.Errorf("nothing to do makes %d shards", len(got))
	}
}

func TestMemoryCounts(t *testing.T) {
	// Four works, two of which take the whole machine each: they keep it to
	// themselves, so they go apart.
	r := Runner{Jobs: 4, Memory: 4 << 30}
	all := []Work{
		{Label: "big1", Wall: 4 * time.Second, Memory: 4 << 30}, {Label: "big2", Wall: 4 * time.Second, Memory: 4 << 30},
		{Label: "s1", Wall: 4 * time.Second, Memory: 1 << 28}, {Label: "s2", Wall: 4 * time.Second, Memory: 1 << 28},
	}
	shards := Balance(all, all, nil, r, 2)
	if len(shards) != 2 || slices.Contains(shards[0], 0) == slices.Contains(shards[0], 1) {
		t.Errorf("got %v", shards)
	}
}

func TestHelpersStayTogether(t *testing.T) {
	// Two groups with a dear helper each: making both helpers twice costs more
	// than it gains.
	r := Runner{Jobs: 1, Memory: 1 << 30}
	helpers := []Work{{Label: "h0", Wall: 10 * time.Second}, {Label: "h1", Wall: 10 * time.Second}}
	var all []Work
	for i := range 8 {
		all = append(all, Work{Label: fmt.Sprint(i), Wall: time.Second, Helpers: []int{i % 2}})
	}
	for _, s := range Balance(all, all, helpers, r, 2) {
		for _, i := range s {
			if i%2 != s[0]%2 {
				t.Errorf("a shard needs both helpers: %v", s)
			}
		}
	}
}
