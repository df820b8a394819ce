package ci

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// planned is a sealed plan of two shards.
func planned() *Plan {
	p := &Plan{Runner: Runner{4, 16 << 30}, Asked: 2, Identity: identity(), Shards: []Shard{
		{Expected: 1500 * time.Millisecond, Memory: 1 << 20, Actions: []Action{{Label: "a", Cells: []string{"a"}, Wall: time.Second}}},
		{Actions: []Action{{Label: "b", Cells: []string{"b", "c"}}}},
	}}
	p.Seal()
	return p
}

func TestPlanFile(t *testing.T) {
	p := planned()
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodePlan(data)
	if err != nil || got.Digest != p.Digest || got.Actions() != 2 {
		t.Fatalf("%v %+v", err, got)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"asked": 2`, `"asked": 3`, "it was altered"},
		{`"asked": 2`, `"ask": 2`, "not a plan"},
		{PlanFormat, "kmx.ci-plan/9", "this kmx reads"},
		{`{`, `[`, "not a plan"},
		{`{`, ` {`, "it was altered"},
		{`"asked": 2`, `"asked": 3, "asked": 2`, "it was altered"},
		{string(data), string(data) + "{}", "it was altered"},
		{string(data), "null", "this kmx reads"},
	} {
		if _, err := DecodePlan(bytes.Replace(data, []byte(c.old), []byte(c.new), 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
}

func TestNames(t *testing.T) {
	p := planned()
	n, err := ParseName(p.Name(1).String())
	if err != nil || n != p.Name(1) || n.File() != "shard-2-of-2" {
		t.Errorf("%v %v", n, err)
	}
	for _, bad := range []string{"", "1/2", "@", "0/2@0123456789ab", "3/2@0123456789ab", "1/2@0123", "01/2@0123456789ab", "1/2@0123456789ab ", "x/2@0123456789ab"} {
		if _, err := ParseName(bad); err == nil {
			t.Errorf("%q is a name", bad)
		}
	}
}

func TestJobs(t *testing.T) {
	p := planned()
	line, err := p.GitHub()
	if err != nil || strings.Contains(line, "\n") {
		t.Fatalf("%v %q", err, line)
	}
	var m struct{ Include []map[string]any }
	if err := json.Unmarshal([]byte(line), &m); err != nil || len(m.Include) != 2 || m.Include[0]["shard"] != p.Name(0).String() || m.Include[0]["seconds"] != 1.5 {
		t.Errorf("%v %s", err, line)
	}
	want := "# plan " + short(p.Digest) + `: 2 actions to run, 0 results exist
include:
  - local: "/jobs.yml"

shard:
  extends: .kmx-shard
  parallel:
    matrix:
      - SHARD:
          - "` + p.Name(0).String() + `"
          - "` + p.Name(1).String() + `"

merge:
  extends: .kmx-merge
`
	if got := p.GitLab("jobs.yml"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.Shards = nil
	if line, _ := p.GitHub(); line != `{"include":[]}` {
		t.Errorf("empty: %s", line)
	}
	if got := p.GitLab("jobs.yml"); strings.Contains(got, "shard:") || !strings.Contains(got, "merge:") {
		t.Errorf("empty:\n%s", got)
	}
}
