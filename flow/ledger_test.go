package flow

import (
	"fmt"
	"testing"
	"time"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/matrix"
)

func testLedger(t *testing.T, vars ...matrix.Variable) *ledger {
	t.Helper()
	h, err := cache.OpenHistory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	l := newLedger(h, &declared{Matrix: &matrix.Matrix{Files: []matrix.File{{Name: "matrix.hcl", Bytes: []byte("x")}}, Variables: vars}})
	l.cells["a"] = []string{"a", "twin"}
	return l
}

func done(key byte, cached bool, wall time.Duration) engine.Event {
	return engine.Event{Kind: engine.NodeState, State: engine.Done, Label: "a", Key: cache.Digest{key}, Cached: cached, Wall: wall}
}

// What is built is written for every cell that shares the object, with the
// build before and why the cache did not have it.
func TestLedger(t *testing.T) {
	l := testLedger(t, matrix.Variable{Name: "extra", Value: `["-g"]`, Differs: true}, matrix.Variable{Name: "dlss", Value: "x", Differs: true, Machine: true})
	for _, address := range []string{"a", "twin"} {
		l.open(address, &codeobj.Object{})
	}
	said := func() string {
		var out string
		for _, address := range []string{"a", "twin"} {
			last, _ := l.history.Last(address)
			more := pastOf(last)
			out += fmt.Sprintf("%s key %d prev %d miss %q walls %v; ", address, last.Key[0], more.Prev[0], more.Miss, more.Walls)
		}
		return out
	}
	both := func(text string) string { return "a " + text + "; twin " + text + "; " }
	for _, step := range []struct {
		what   string
		events []engine.Event
		want   string
	}{
		{"first build", []engine.Event{{Kind: engine.NodeState, State: engine.Ready, Label: "a", Message: "absent"}, done(1, false, time.Second)}, `key 1 prev 0 miss "absent" walls [1000]`},
		{"a hit of the same", []engine.Event{done(1, true, time.Second)}, `key 1 prev 0 miss "absent" walls [1000]`},
		{"another", []engine.Event{done(2, false, 2*time.Second)}, `key 2 prev 1 miss "absent" walls [1000 2000]`},
		{"back, from the cache", []engine.Event{done(1, true, time.Second)}, `key 1 prev 2 miss "" walls [1000 2000]`},
		{"the same, built again", []engine.Event{done(1, false, 3*time.Second)}, `key 1 prev 1 miss "absent" walls [1000 2000 3000]`},
		{"not finished", []engine.Event{{Kind: engine.NodeState, State: engine.Failed, Label: "a", Key: cache.Digest{9}}}, `key 1 prev 1 miss "absent" walls [1000 2000 3000]`},
		{"many", []engine.Event{done(3, false, time.Second), done(4, false, time.Second), done(5, false, 9*time.Second)}, `key 5 prev 4 miss "absent" walls [2000 3000 1000 1000 9000]`},
	} {
		for _, e := range step.events {
			l.note(e)
		}
		if got := said(); got != both(step.want) {
			t.Errorf("%s: %s, want %s", step.what, got, both(step.want))
		}
	}
	last, _ := l.history.Last("a")
	if vars := pastOf(last).Vars; len(vars) != 1 || vars["extra"] != `["-g"]` {
		t.Errorf("variables: %v", vars)
	}
	if got := walls(l.history, "twin"); len(got) != kept || got[4] != 9*time.Second {
		t.Errorf("walls %v", got)
	}
}

func TestVariableChanges(t *testing.T) {
	file := matrix.File{Name: "matrix.hcl", Bytes: []byte("x")}
	d := &declared{Matrix: &matrix.Matrix{Files: []matrix.File{file}, Variables: []matrix.Variable{
		{Name: "set", Value: "true", Default: "false", Differs: true, Origin: "env SET"},
		{Name: "unset", Value: "1", Default: "1", Origin: "default"},
		{Name: "same", Value: "2", Default: "1", Differs: true, Origin: "-var"},
		{Name: "here", Value: "/lib", Default: "", Differs: true, Machine: true},
	}}}
	if variableChanges(d, past{}) != nil {
		t.Error("a past that says nothing of the matrix")
	}
	c := variableChanges(d, past{Matrix: matrixDigest(d), Vars: map[string]string{"unset": "3", "same": "2"}})
	if got := fmt.Sprint(c.Changed, c.SameMatrix); got != "[{set false true env SET} {unset 3 1 default}] true" {
		t.Error(got)
	}
	d.Files = []matrix.File{{Name: "matrix.hcl", Bytes: []byte("y")}}
	if variableChanges(d, past{Matrix: matrixDigest(&declared{Matrix: &matrix.Matrix{Files: []matrix.File{file}}})}).SameMatrix {
		t.Error("another matrix is the same")
	}
}
