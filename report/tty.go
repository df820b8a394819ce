package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"kmx/engine"
)

const (
	// liveLines is the most that is kept moving at the bottom of a terminal.
	liveLines = 8
	// frame is the least time between two redraws that no line waits for.
	frame = 50 * time.Millisecond

	clearBelow = "\x1b[J"
)

// tty keeps some lines moving at the bottom of a terminal. Lines that stay are
// written above them. Every frame is one write, so that none is seen half. The
// cursor is never hidden: a process that is killed could not bring it back.
type tty struct {
	w     io.Writer
	o     Options
	paint painter
	drawn int       // live lines on the screen, the cursor is below the last
	at    time.Time // of the last frame
}

func (t *tty) event(b *board, e engine.Event) {
	stay := eventLines(b, e, &t.o, t.paint, t.o.Lines)
	if e.Kind == engine.BuildFinished {
		var end []string
		for _, f := range deferred(b, &t.o, t.paint) {
			end = append(end, f.lines...)
		}
		stay = append(append(end, outcomeTable(b, &t.o)...), stay...)
	}
	if len(stay) == 0 && e.Time.Sub(t.at) < frame {
		return
	}
	t.draw(b, e.Time, stay)
}

func (t *tty) tick(b *board, now time.Time) { t.draw(b, now, nil) }

func (t *tty) close(b *board) {
	var s strings.Builder
	t.erase(&s)
	io.WriteString(t.w, s.String())
}

func (t *tty) erase(s *strings.Builder) {
	if t.drawn > 0 {
		fmt.Fprintf(s, "\x1b[%dA\r%s", t.drawn, clearBelow)
		t.drawn = 0
	}
}

func (t *tty) draw(b *board, now time.Time, stay []string) {
	t.at = now
	var s strings.Builder
	t.erase(&s)
	for _, line := range stay {
		s.WriteString(line + "\n")
	}
	for _, line := range t.live(b, now) {
		s.WriteString(line + "\n")
		t.drawn++
	}
	io.WriteString(t.w, s.String())
}

// live is the moving lines: the state of the build, then the running cells,
// those first that began first.
func (t *tty) live(b *board, now time.Time) []string {
	if !b.begun || b.finished {
		return nil
	}
	width, height := t.o.Size()
	if width <= 0 {
		width = 80
	}
	most := liveLines
	if height > 0 {
		most = max(1, min(most, height-1)) // the cursor needs a line too
	}
	lines := []string{fit(b.state(now), width)}
	running := b.longest()
	for i, r := range running {
		if len(lines) == most-1 && len(running)-i > 1 {
			lines = append(lines, fit(fmt.Sprintf("        and %d more", len(running)-i), width))
			break
		}
		if len(lines) == most {
			break
		}
		lines = append(lines, fit(fmt.Sprintf("%6s  %s", rough(now.Sub(r.since)), r.label), width))
	}
	lines[0] = t.paint.with(bold, lines[0])
	return lines
}

// fit cuts a line to one less than the width: a character in the last column
// makes some terminals begin a new line.
func fit(s string, width int) string {
	r := []rune(s)
	if len(r) < width {
		return s
	}
	if width < 3 {
		return ""
	}
	return string(r[:width-2]) + "…"
}
