package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kmx/cache"
)

func TestGroupCauses(t *testing.T) {
	a, b, c := Cause{Text: "a"}, Cause{Text: "b"}, Cause{Text: "c"}
	groups := GroupCauses([]string{"1", "2", "3", "4", "5"}, [][]Cause{{a, b}, {b}, {b, c}, {c}, nil})
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprintf("%s: %s +%d", g.Cause.Text, strings.Join(g.Cells, " "), g.Also))
	}
	if text := strings.Join(got, "; "); text != "b: 1 2 3 +0; c: 4 +1; a:  +1" {
		t.Error(text)
	}
}

func TestMakespan(t *testing.T) {
	s := time.Second
	for _, c := range []struct {
		times []time.Duration
		jobs  int
		want  time.Duration
	}{
		{nil, 4, 0},
		{[]time.Duration{3 * s}, 4, 3 * s},
		{[]time.Duration{s, 2 * s, 3 * s, 4 * s}, 2, 5 * s},
		{[]time.Duration{s, s, s, 9 * s}, 2, 9 * s},
		{[]time.Duration{s, s, s}, 1, 3 * s},
		{[]time.Duration{s, s, s}, 0, 3 * s},
	} {
		if got := makespan(c.times, c.jobs); got != c.want {
			t.Errorf("%v with %d jobs: %s, want %s", c.times, c.jobs, got, c.want)
		}
	}
	one, _ := Recent([]time.Duration{4 * s})
	many, _ := Recent([]time.Duration{4 * s, 6 * s, 8 * s})
	if _, ok := Recent(nil); ok || one != (Span{3 * s, 4 * s, 5 * s}) || many != (Span{4 * s, 6 * s, 8 * s}) {
		t.Error(one, many)
	}
	if got := Makespan([]Span{one, many}, 1); got != (Span{7 * s, 10 * s, 13 * s}) {
		t.Error(got)
	}
}

func TestToolchainCause(t *testing.T) {
	x, y, z := cache.Sum([]byte("x")), cache.Sum([]byte("y")), cache.Sum([]byte("z"))
	old := Closure{Version: "19.1.7", Files: []ClosureFile{{"bin/clang++", x}, {"bin/lld", y}, {"include/a.h", z}}}
	now := Closure{Version: "19.1.7", Files: []ClosureFile{{"bin/clang++", x}, {"bin/lld", z}, {"include/b.h", z}}}
	known := map[string]Closure{x.String(): old, y.String(): now}
	get := func(d string) (Closure, bool) { c, ok := known[d]; return c, ok }
	for _, c := range []struct {
		get  func(string) (Closure, bool)
		want string
	}{
		{nil, "toolchain hip differs (closure %s -> %s)"},
		{get, "toolchain hip differs (19.1.7, closure %s -> %s; bin/lld changed, include/b.h added, include/a.h removed)"},
	} {
		got := toolchainCause("hip", x.String(), y.String(), c.get)
		if want := fmt.Sprintf(c.want, x.String()[:12], y.String()[:12]); got.Text != want {
			t.Errorf("got %s, want %s", got.Text, want)
		}
	}
	now.Version = "20.1.0"
	known[y.String()] = now
	if got := toolchainCause("hip", x.String(), y.String(), get); !strings.Contains(got.Text, "(19.1.7 -> 20.1.0, closure") {
		t.Error(got.Text)
	}
}
