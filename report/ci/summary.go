package ci

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"kmx/internal/diag"
)

// GitHubSummary is how many bytes GitHub shows of what one step adds to the
// job's summary; a longer one is not shown at all (docs.github.com, "Workflow
// commands", limits of job summaries).
const GitHubSummary = 1 << 20

// Outcomes of actions, worst first.
const (
	OutcomeFailed    = "FAILED"
	OutcomeSkipped   = "skipped" // for want of a helper
	OutcomeCancelled = "stopped"
	OutcomeBuilt     = "built"
	OutcomeHere      = "to be built by the merge" // there is no result of it
	OutcomeCached    = "cached"                   // its result existed
)

var worst = []string{OutcomeFailed, OutcomeSkipped, OutcomeCancelled, OutcomeHere, OutcomeBuilt, OutcomeCached}

// Row is one action in a summary.
type Row struct {
	Label   string
	Outcome string
	Shard   string // who built it, "" for nobody or somebody else
	Wall    time.Duration
	Memory  int64
	Text    string // of a failure: what went wrong, with what the tool said behind it
}

// Summary is what a CI system shows of a run.
type Summary struct {
	Title string
	Lines []string // below the title, Markdown
	Rows  []Row
	More  string // Markdown at the end, such as a comparison of releases; cut by lines
}

// Markdown writes the summary in at most limit bytes. What does not fit is left
// out from its end, the best outcomes first, and a line says how much that is.
func (s *Summary) Markdown(limit int) string {
	rows := slices.Clone(s.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Wall, a.Wall), cmp.Compare(a.Label, b.Label))
	})
	b := &budget{left: limit - reserve}
	b.add("## " + inline(s.Title) + "\n\n")
	for _, line := range s.Lines {
		b.add(line + "\n")
	}
	// A third is kept for the details of failures and a third for what follows,
	// as far as these need it.
	details := failureDetails(rows)
	keep := min(len(details), limit/3) + min(len(s.More), limit/3)
	left := b.table(rows, keep)
	if left != "" {
		b.must(left)
	}
	b.lines(details, "details of failures", min(len(s.More), limit/3))
	b.lines(s.More, "lines", 0)
	return b.text.String()
}

// reserve is for the lines that say what is left out.
const reserve = 1024

func rank(r Row) int { return slices.Index(worst, r.Outcome) }

type budget struct {
	text strings.Builder
	left int
}

func (b *budget) add(s string) bool {
	if len(s) > b.left {
		return false
	}
	b.must(s)
	return true
}

func (b *budget) must(s string) {
	b.left -= len(s)
	b.text.WriteString(s)
}

// table writes rows while more than keep bytes are left, and says what became
// of the others.
func (b *budget) table(rows []Row, keep int) string {
	if len(rows) == 0 {
		return ""
	}
	b.left -= keep
	defer func() { b.left += keep }()
	b.add("\n| cell | outcome | shard | time | memory |\n|---|---|---|--:|--:|\n")
	for i, r := range rows {
		line := fmt.Sprintf("| %s | %s | %s | %s | %s |\n", code(r.Label), r.Outcome, r.Shard, seconds(r.Wall), mebibytes(r.Memory))
		if b.add(line) {
			continue
		}
		counts := map[string]int{}
		for _, r := range rows[i:] {
			counts[r.Outcome]++
		}
		var parts []string
		for _, o := range worst {
			if counts[o] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", counts[o], o))
			}
		}
		return fmt.Sprintf("\n%d more rows are left out, as a summary has a limit: %s.\n", len(rows)-i, strings.Join(parts, ", "))
	}
	return ""
}

// lines writes text line by line while more than keep bytes are left. A block
// of code that is cut is closed.
func (b *budget) lines(text, what string, keep int) {
	if text == "" {
		return
	}
	b.left -= keep
	defer func() { b.left += keep }()
	all := strings.SplitAfter("\n"+text, "\n")
	fence, details := false, 0
	for i, line := range all {
		if b.add(line) {
			switch {
			case strings.HasPrefix(line, "````"):
				fence = !fence
			case !fence:
				details += strings.Count(line, "<details>") - strings.Count(line, "</details>")
			}
			continue
		}
		if fence {
			b.must("\n````\n")
		}
		b.must(strings.Repeat("</details>\n", max(0, details)))
		b.must(fmt.Sprintf("\n%d more lines are left out (%s), as a summary has a limit.\n", len(all)-i, what))
		return
	}
}

// failureDetails is what went wrong with each failed action.
func failureDetails(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		if r.Outcome != OutcomeFailed || r.Text == "" {
			continue
		}
		fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n````\n%s\n````\n</details>\n", code(r.Label), strings.ReplaceAll(strings.TrimSpace(diag.Plain(strings.ReplaceAll(r.Text, "\r\n", "\n"))), "````", "` ` ` `"))
	}
	return b.String()
}

// code is a word in a table that Markdown leaves alone.
func code(s string) string { return "<code>" + inline(s) + "</code>" }

// inline makes a text one harmless line.
func inline(s string) string {
	return diag.Plain(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;", "`", "&#96;", "\n", " ", "\r", " ").Replace(s))
}

func seconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func mebibytes(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
