package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// screen is a small terminal: what tty writes, as people would see it.
type screen struct {
	t       *testing.T
	width   int
	lines   []string // everything ever scrolled, the cursor is in the last at row
	row     int
	hidden  bool
	widest  int // the longest line written
	writes  int
	escapes bool // a colour was used
}

var sequence = regexp.MustCompile(`^\x1b\[(\??)([0-9;]*)([A-Za-z])`)

func (s *screen) Write(p []byte) (int, error) {
	s.writes++
	if s.lines == nil {
		s.lines = []string{""}
	}
	text := string(p)
	column := 0
	for len(text) > 0 {
		switch m := sequence.FindStringSubmatch(text); {
		case m != nil:
			text = text[len(m[0]):]
			n, _ := strconv.Atoi(m[2])
			switch m[1] + m[3] {
			case "A":
				s.row -= n
				if s.row < 0 {
					s.t.Errorf("the cursor left the screen")
					s.row = 0
				}
			case "J":
				s.lines = s.lines[:s.row+1]
				s.lines[s.row] = s.lines[s.row][:column]
			case "?l":
				s.hidden = true
			case "?h":
				s.hidden = false
			case "m":
				s.escapes = true
			default:
				s.t.Errorf("unknown sequence %q", m[0])
			}
		case text[0] == '\n':
			text, column = text[1:], 0
			s.row++
			if s.row == len(s.lines) {
				s.lines = append(s.lines, "")
			}
		case text[0] == '\r':
			text, column = text[1:], 0
		case text[0] == 0x1b:
			s.t.Errorf("a bare escape in %q", text)
			return len(p), nil
		default:
			end := strings.IndexAny(text, "\n\r\x1b")
			if end < 0 {
				end = len(text)
			}
			line := s.lines[s.row]
			if column != len(line) {
				s.t.Errorf("text written over %q", line)
			}
			s.lines[s.row] += text[:end]
			column = len(s.lines[s.row])
			s.widest = max(s.widest, len([]rune(s.lines[s.row])))
			text = text[end:]
		}
	}
	return len(p), nil
}

func (s *screen) String() string {
	cursor := "shown"
	if s.hidden {
		cursor = "hidden"
	}
	return fmt.Sprintf("%s\n(cursor %s)\n", strings.TrimRight(strings.Join(s.lines, "\n"), "\n"), cursor)
}
