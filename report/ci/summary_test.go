package ci

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kmx/internal/diag"
)

func TestSummary(t *testing.T) {
	s := Summary{Title: "Merge <b>", Lines: []string{"a line"}, Rows: []Row{
		{Label: "c", Outcome: OutcomeCached}, {Label: "b", Outcome: OutcomeBuilt, Shard: "1/2", Wall: 1500 * time.Millisecond, Memory: 100 << 20},
		{Label: "b2", Outcome: OutcomeBuilt, Wall: 2 * time.Second}, {Label: "a|x", Outcome: OutcomeFailed, Text: "why\n````\nnot"},
	}, More: "## More\n"}
	got := s.Markdown(GitHubSummary)
	want := []string{"## Merge &lt;b&gt;", "a line", "<code>a&#124;x</code> | FAILED", "<code>b2</code>", "| <code>b</code> | built | 1/2 | 1.5 s | 100 MiB |", "<code>c</code>", "<details>", "` ` ` `", "## More"}
	at := 0
	for _, w := range want {
		i := strings.Index(got[at:], w)
		if i < 0 {
			t.Fatalf("%q is not where it should be in\n%s", w, got)
		}
		at += i
	}
	if strings.Contains(got, "left out") {
		t.Errorf("nothing was left out:\n%s", got)
	}
}

func TestSummaryStaysBelowItsLimit(t *testing.T) {
	var s Summary
	for i := range 30000 {
		r := Row{Label: fmt.Sprintf("m/kernel_%05d@gfx1201", i), Outcome: OutcomeCached}
		if i%3000 == 7 {
			r.Outcome, r.Text = OutcomeFailed, strings.Repeat("clang said something\n", 3000)
		}
		s.Rows = append(s.Rows, r)
	}
	s.More = strings.Repeat("| a row of a comparison | of two releases |\n", 20000)
	for _, limit := range []int{50_000, 200_000, GitHubSummary} {
		got := s.Markdown(limit)
		if len(got) > limit {
			t.Errorf("%d bytes, limit %d", len(got), limit)
		}
		if n := strings.Count(got, "| FAILED |"); n != 10 {
			t.Errorf("limit %d: %d failures are shown, want all 10", limit, n)
		}
		rows := strings.Count(got, "| cached |")
		if !strings.Contains(got, fmt.Sprintf("%d more rows are left out, as a summary has a limit: %d cached.", 29990-rows, 29990-rows)) {
			t.Errorf("limit %d: what is left out is not said, %d rows are there", limit, rows)
		}
		if strings.Count(got, "<details>") != strings.Count(got, "</details>") || strings.Count(got, "````")%2 != 0 {
			t.Errorf("limit %d: something is left open", limit)
		}
		for _, what := range []string{"(details of failures)", "(lines)"} {
			if !strings.Contains(got, what) {
				t.Errorf("limit %d: %s is not said to be cut", limit, what)
			}
		}
	}
}

func TestQuality(t *testing.T) {
	at := diag.Range{File: "kernels/a.hip", Start: diag.Pos{Line: 7}}
	data, err := Quality(diag.List{
		{Summary: "no such name", Detail: "in m/a@gfx1201\nand more", Where: at}, {Summary: "no such name", Detail: "in m/a@gfx1201", Where: at},
		{Severity: diag.Warning, Summary: "odd"},
	}, "matrix.hcl")
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Description, Fingerprint, Severity string
		Check                              string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal(data, &got); err != nil || len(got) != 2 {
		t.Fatalf("%v\n%s", err, data)
	}
	slices.SortFunc(got, func(a, b struct {
		Description, Fingerprint, Severity string
		Check                              string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}) int {
		return cmp.Compare(a.Location.Path, b.Location.Path)
	})
	if g := got[0]; g.Description != "no such name: in m/a@gfx1201" || g.Severity != "critical" || g.Location.Lines.Begin != 7 || g.Check == "" || g.Fingerprint == "" {
		t.Errorf("%+v", g)
	}
	if g := got[1]; g.Location.Path != "matrix.hcl" || g.Severity != "minor" || g.Location.Lines.Begin != 1 {
		t.Errorf("%+v", g)
	}
	if data, err := Quality(nil, "matrix.hcl"); err != nil || string(data) != "[]\n" {
		t.Errorf("%v %q", err, data)
	}
}
