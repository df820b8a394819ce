package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"kmx/cache"
	"kmx/engine"
)

// tell runs a small build of three cells, of which one fails.
func tell(t *testing.T, mode string, o func(*Options)) string {
	t.Helper()
	var buf bytes.Buffer
	s := &story{}
	options := s.options(0, 0, nil)
	options.Facts = nil
	o(&options)
	p, err := New(mode, &buf, options)
	if err != nil {
		t.Fatal(err)
	}
	s.p, s.now = p, start
	s.counts.Total = 4
	s.send(engine.Event{Kind: engine.BuildStarted, Node: -1, Jobs: 2})
	s.node(0, "m/a@gfx1201", engine.Done, engine.Event{Cached: true})
	s.node(1, "m/b@gfx1201", engine.Failed, engine.Event{Wall: 2 * time.Second, Error: "m/b@gfx1201: it failed", Output: "b.hip:1:1: error: why\n"})
	s.node(2, "m/c@gfx1201", engine.Done, engine.Event{Wall: time.Second})
	s.node(3, "m/d@gfx1201", engine.Skipped, engine.Event{Error: "m/d@gfx1201: needs m/b@gfx1201"})
	s.send(engine.Event{Kind: engine.BuildFinished, Node: -1, Wall: 3 * time.Second})
	p.Close()
	return buf.String()
}

func TestOutcomes(t *testing.T) {
	got := tell(t, "plain", func(o *Options) { o.Outcomes = true })
	want := `outcomes:
  1 from the cache
  m/c@gfx1201  built    1.0s
  m/d@gfx1201  skipped
  m/b@gfx1201  FAILED   2.0s
`
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwithout\n%s", got, want)
	}
	if got := tell(t, "plain", func(*Options) {}); strings.Contains(got, "outcomes") {
		t.Errorf("a table nobody wanted:\n%s", got)
	}
}

func TestDeferred(t *testing.T) {
	for _, mode := range []string{"plain", "tty", "github"} {
		got := tell(t, mode, func(o *Options) { o.Defer = true })
		first, said := strings.Index(got, "m/b@gfx1201: it failed"), strings.Index(got, "error: why")
		between := strings.Index(got, "m/c@gfx1201")
		if mode == "tty" {
			between = said // it shows no finished cells here
		}
		if first < 0 || said < between || between < first || strings.Count(got, "  | b.hip:1:1: error: why") != 1 {
			t.Errorf("%s:\n%s", mode, got)
		}
	}
}

func TestOnlyWhatIsOther(t *testing.T) {
	got := tell(t, "plain", func(o *Options) { o.Same = func(string, cache.Digest) bool { return true } })
	if strings.Contains(got, "cached  m/a") || !strings.Contains(got, "built   m/c") || !strings.Contains(got, "4 cells: ") {
		t.Errorf("got\n%s", got)
	}
	var buf bytes.Buffer
	s := &story{}
	options := s.options(0, 0, nil)
	options.Same = func(string, cache.Digest) bool { return true }
	s.p, _ = New("plain", &buf, options)
	s.now, s.counts.Total = start, 1
	s.send(engine.Event{Kind: engine.BuildStarted, Node: -1, Jobs: 2})
	s.node(0, "m/a@gfx1201", engine.Done, engine.Event{Cached: true})
	s.send(engine.Event{Kind: engine.BuildFinished, Node: -1})
	s.p.Close()
	if buf.Len() > 0 {
		t.Errorf("nothing is new, and it says\n%s", buf.String())
	}
}
