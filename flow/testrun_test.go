package flow

import (
	"strings"
	"testing"
)

// What failed is shown, what was skipped is named with its reason, and both
// are counted.
func TestTally(t *testing.T) {
	var out strings.Builder
	y := &tally{w: &out, said: map[[2]string]string{}}
	for _, e := range []testEvent{
		{"output", "a", "TestGood", "    quiet\n"},
		{"pass", "a", "TestGood", ""},
		{"output", "a", "TestBad", "    x_test.go:1: wrong\n"},
		{"output", "a", "TestBad", "--- FAIL: TestBad\n"},
		{"fail", "a", "TestBad", ""},
		{"output", "a", "TestOff", "=== RUN   TestOff\n"},
		{"output", "a", "TestOff", "    x_test.go:2: no compiler here\n"},
		{"output", "a", "TestOff", "--- SKIP: TestOff (0.00s)\n"},
		{"skip", "a", "TestOff", ""},
		{"output", "a", "", "FAIL\ta\t0.1s\n"},
		{"fail", "a", "", ""},
		{"output", "b", "", "PASS\n"},
		{"output", "b", "", "ok  \tb\t0.1s\n"},
	} {
		y.take(e)
	}
	y.summary()
	want := `    x_test.go:1: wrong
--- FAIL: TestBad
FAIL	a	0.1s
ok  	b	0.1s
skipped: a TestOff: x_test.go:2: no compiler here
1 passed, 1 failed, 1 skipped
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}
