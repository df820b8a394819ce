package kmx

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kmx/engine"
)

// together N FILE... checks that never more than N cells were built at a time in
// all of the builds whose events (KMX_LOG=json) are in the files, and that
// something was built in each.
func together(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: together N FILE...")
	}
	limit, err := strconv.Atoi(args[0])
	ts.Check(err)
	type step struct {
		at   time.Time
		more int
	}
	var steps []step
	for _, file := range args[1:] {
		before := len(steps)
		running := map[int]bool{}
		for line := range bytes.Lines([]byte(ts.ReadFile(file))) {
			var e engine.Event
			if json.Unmarshal(line, &e) != nil || e.Kind != engine.NodeState {
				continue
			}
			switch {
			case e.State == engine.Running:
				running[e.Node] = true
				steps = append(steps, step{e.Time, 1})
			case running[e.Node]:
				delete(running, e.Node)
				steps = append(steps, step{e.Time, -1})
			}
		}
		if len(steps) == before {
			ts.Fatalf("nothing was built, says %s", file)
		}
	}
	// What ends comes before what begins in the same moment.
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(a.at.Compare(b.at), a.more-b.more) })
	now, most := 0, 0
	for _, s := range steps {
		now += s.more
		most = max(most, now)
	}
	if most > limit {
		ts.Fatalf("%d cells were built at a time, of at most %d", most, limit)
	}
	ts.Logf("%d cells were built at a time, of at most %d", most, limit)
}
