package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
)

// silence is how long plain says nothing before it gives a sign of life: well
// under the ten minutes after which CI systems give a job up.
const silence = 30 * time.Second

// plain writes lines that stay, for files and for CI; under GitHub Actions
// with groups and annotations.
type plain struct {
	w      io.Writer
	o      Options
	paint  painter
	github bool
	spoke  time.Time
}

func (p *plain) event(b *board, e engine.Event) {
	lines := eventLines(b, e, &p.o, p.paint, true)
	if p.github && e.Kind == engine.NodeState && !(p.o.Defer && e.State == engine.Failed) {
		lines = githubLines(lines, e, &p.o)
	}
	if e.Kind == engine.BuildFinished {
		var end []string
		for _, f := range deferred(b, &p.o, p.paint) {
			if p.github {
				f.lines = githubLines(f.lines, f.event, &p.o)
			}
			end = append(end, f.lines...)
		}
		lines = append(append(end, outcomeTable(b, &p.o)...), lines...)
	}
	if p.github && e.Kind == engine.Warning {
		var buf bytes.Buffer
		diag.PrintGitHub(&buf, diag.List{{Severity: diag.Warning, Summary: warning(e), Where: p.o.Declared[e.Label]}})
		lines = []string{strings.TrimRight(buf.String(), "\n")}
	}
	if len(lines) > 0 || e.Kind == engine.BuildStarted {
		p.spoke = e.Time
	}
	p.write(lines)
}

func (p *plain) tick(b *board, now time.Time) {
	if now.Sub(p.spoke) < silence {
		return
	}
	p.spoke = now
	line := "still building: " + b.state(now)
	if l := b.longest(); len(l) > 0 {
		line += fmt.Sprintf("; longest %s, %s", l[0].label, rough(now.Sub(l[0].since)))
	}
	p.write([]string{line})
}

func (p *plain) close(*board) {}

func (p *plain) write(lines []string) {
	if len(lines) > 0 {
		io.WriteString(p.w, strings.Join(lines, "\n")+"\n")
	}
}

// eventLines are the lines that stay of an event: failures, warnings and the
// summary, and finished cells where all is wanted.
func eventLines(b *board, e engine.Event, o *Options, paint painter, all bool) []string {
	switch e.Kind {
	case engine.Warning:
		return []string{paint.with(yellow, "warning:") + " " + warning(e)}
	case engine.Held:
		if b.holds > 1 { // the first says enough: it is told once what limits this build
			return nil
		}
		return []string{paint.with(dim, "memory:") + " " + e.Label + " " + clean(e.Message) + " (KMX_MEMORY)"}
	case engine.BuildFinished:
		if o.Same != nil && b.shown == 0 {
			return nil
		}
		return []string{b.summary()}
	case engine.NodeState:
	default:
		return nil
	}
	width := len(fmt.Sprint(b.counts.Total))
	head := fmt.Sprintf("[%*d/%d] ", width, b.counts.Final(), b.counts.Total)
	switch e.State {
	case engine.Failed:
		b.shown++
		f := failureOf(e, o)
		line := head + paint.with(red, "FAILED") + "  " + f.label + ": " + f.what
		if o.Defer {
			return []string{line}
		}
		return append([]string{line}, f.body()...)
	case engine.Skipped:
		if all {
			return []string{head + "skipped " + clean(e.Error)}
		}
	case engine.Done:
		if e.Cached && o.Same != nil && o.Same(e.Label, e.Key) {
			return nil
		}
		b.shown++
		said, cut := trim(e.Output)
		if !all && len(said) == 0 {
			return nil
		}
		line := head + paint.with(green, "built  ") + " " + e.Label + "  " + exact(e.Wall)
		if o.Derived != nil && o.Derived(e.Label) != "" {
			line = head + paint.with(green, "derived") + " " + e.Label + "  from " + o.Derived(e.Label)
		}
		if e.Cached {
			line = head + paint.with(dim, "cached ") + " " + e.Label
		}
		if o.Facts != nil {
			if now, before, ok := o.Facts(e.Label); ok {
				line += "  " + Delta(now, before)
			}
		}
		if o.Emulated != nil {
			if more := o.Emulated(e.Label, e.Key); more != "" {
				line += "  " + more
			}
		}
		return append([]string{line}, failure{output: said, cut: cut, log: o.Log}.said()...)
	}
	return nil
}

func warning(e engine.Event) string {
	text := clean(e.Message)
	if e.Label != "" && !strings.HasPrefix(text, e.Label) {
		text = e.Label + ": " + text
	}
	return text
}

// githubLines folds what a failed cell has to say into a group and adds the
// annotations. Between stop-commands and its token the runner takes nothing
// for a command, whatever a tool wrote; the token depends on the text, so the
// text cannot hold it.
func githubLines(lines []string, e engine.Event, o *Options) []string {
	if len(lines) < 2 {
		return lines
	}
	token := "kmx-" + cache.Sum([]byte(strings.Join(lines, "\n"))).String()[:32]
	out := []string{"::group::" + lines[0], "::stop-commands::" + token}
	out = append(append(out, lines[1:]...), "::"+token+"::", "::endgroup::")
	if e.State == engine.Failed {
		var buf bytes.Buffer
		diag.PrintGitHub(&buf, failureOf(e, o).annotations())
		out = append(out, strings.TrimRight(buf.String(), "\n"))
	}
	return out
}
