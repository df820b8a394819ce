package flow

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"kmx/internal/diag"
	"kmx/internal/group"
)

// testEvent is a line of `go test -json` (go doc test2json).
type testEvent struct {
	Action, Package, Test, Output string
}

// tally shows the events of a test run as `go test` would, and beyond that
// what was skipped and why: a skipped test is no passed one.
type tally struct {
	w                       io.Writer
	passed, failed, skipped int
	said                    map[[2]string]string // what a running test has said
	reasons                 []string
}

func (t *tally) take(e testEvent) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		io.WriteString(t.w, e.Output)
	case "output":
		switch {
		case e.Test != "":
			t.said[key] += e.Output
		case e.Output != "PASS\n":
			io.WriteString(t.w, e.Output)
		}
	}
	if e.Test == "" {
		return
	}
	switch e.Action {
	case "pass":
		t.passed++
	case "fail":
		t.failed++
		io.WriteString(t.w, t.said[key])
	case "skip":
		t.skipped++
		why := ""
		for line := range strings.SplitSeq(t.said[key], "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
				why = line
			}
		}
		t.reasons = append(t.reasons, fmt.Sprintf("%s %s: %s", e.Package, e.Test, why))
	default:
		return
	}
	delete(t.said, key)
}

// summary names what was skipped and ends with the counts.
func (t *tally) summary() {
	for _, r := range t.reasons {
		fmt.Fprintln(t.w, "skipped:", r)
	}
	fmt.Fprintf(t.w, "%d passed, %d failed, %d skipped\n", t.passed, t.failed, t.skipped)
}

// goTest runs the tests that args select and tells what was skipped.
func (p *Project) goTest(ctx context.Context, args ...string) error {
	cmd := exec.Command("go", append([]string{"test", "-json", "-timeout=30m"}, args...)...)
	cmd.Dir = p.Root
	cmd.Stderr = p.Err
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	tests, err := group.Start(ctx, cmd, grace)
	if err != nil {
		return err
	}
	t := &tally{w: p.Out, said: map[[2]string]string{}}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		var e testEvent
		if len(line) > 0 {
			if json.Unmarshal(line, &e) == nil {
				t.take(e)
			} else {
				p.Out.Write(line)
			}
		}
		if err != nil {
			break
		}
	}
	err = tests.Wait()
	t.summary()
	if err != nil {
		return diag.Failf(diag.Cells, "", "the tests failed: %v", err)
	}
	return nil
}
