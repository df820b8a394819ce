package ci

import (
	"encoding/json"
	"fmt"
	"strings"
)

// How many jobs the CI systems make of one matrix.
const (
	GitHubJobs = 256 // docs.github.com, "Running variations of jobs in a workflow"
	GitLabJobs = 200 // docs.gitlab.com, CI/CD YAML syntax reference, parallel:matrix
)

// GitHub is the value of a job's strategy.matrix, on one line. A plan with
// nothing to build has an empty include; a job with that is to be skipped.
func (p *Plan) GitHub() (string, error) {
	type job struct {
		Shard   string  `json:"shard"`
		File    string  `json:"file"` // of its bundle, without the ending
		Actions int     `json:"actions"`
		Seconds float64 `json:"seconds"`
	}
	jobs := []job{}
	for i, s := range p.Shards {
		jobs = append(jobs, job{p.Name(i).String(), p.Name(i).File(), len(s.Actions), s.Expected.Round(1e8).Seconds()})
	}
	text, err := json.Marshal(map[string]any{"include": jobs})
	return string(text), err
}

// GitLab is a child pipeline: a job for each shard and the merge. It extends
// the jobs .kmx-shard and .kmx-merge of a file in the repository, which say
// where they run and what they keep. A plan with nothing to build has the merge
// only.
func (p *Plan) GitLab(jobs string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# plan %s: %d actions to run, %d results exist\n", short(p.Digest), p.Actions(), p.Cached)
	fmt.Fprintf(&b, "include:\n  - local: %s\n", quote("/"+jobs))
	if len(p.Shards) > 0 {
		b.WriteString("\nshard:\n  extends: .kmx-shard\n  parallel:\n    matrix:\n      - SHARD:\n")
		for i := range p.Shards {
			fmt.Fprintf(&b, "          - %s\n", quote(p.Name(i).String()))
		}
	}
	b.WriteString("\nmerge:\n  extends: .kmx-merge\n")
	return b.String()
}

// quote is a YAML scalar: JSON's strings are YAML's.
func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// File names the bundle of a shard, without an ending.
func (n Name) File() string { return fmt.Sprintf("shard-%d-of-%d", n.Shard, n.Of) }
