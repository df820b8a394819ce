package plan

import (
	"fmt"
	"strings"
)

// A directive is one way a C-family source names another file.
type directive struct {
	Line   int    // 1-based line of the '#' or of the __has_include
	Name   string // the file as written, without quotes or angle brackets
	Quoted bool   // "name": looked up beside the including file first
	Probe  bool   // __has_include: the file's existence matters, it need not exist
	Embed  bool   // #embed: the bytes are taken, their text is not scanned
	Next   bool   // #include_next: any file of that name on the path may be meant
}

// A computedError reports an include whose file name comes from a macro.
type computedError struct {
	Line int
	Text string
}

func (e *computedError) Error() string {
	return fmt.Sprintf("line %d: %s names its file by a macro", e.Line, e.Text)
}

// scan lists every file that src may name by #include, #include_next, #import,
// #embed or __has_include. Conditionals are ignored, so the list is a superset
// of what any compilation reads: a name in a branch not taken costs at most a
// rebuild, a name overlooked would cost a stale object. Comments, string
// literals and spliced lines are understood.
func scan(src []byte) ([]directive, []*computedError) {
	var found []directive
	var computed []*computedError
	for _, l := range logicalLines(src) {
		rest, isDirective := strings.CutPrefix(strings.TrimLeft(l.text, " \t\f\v"), "#")
		if isDirective {
			rest = strings.TrimLeft(rest, " \t")
			word := identifier(rest)
			switch word {
			case "include", "include_next", "import", "embed":
				arg := strings.TrimSpace(rest[len(word):])
				d, ok := fileName(arg)
				if !ok {
					computed = append(computed, &computedError{Line: l.number, Text: "#" + word + " " + arg})
					continue
				}
				d.Line, d.Embed = l.number, word == "embed"
				d.Next = word == "include_next"
				found = append(found, d)
				continue
			}
		}
		text := l.text
		for {
			i := strings.Index(text, "__has_")
			if i < 0 {
				break
			}
			word := identifier(text[i:])
			text = text[i+len(word):]
			switch word {
			case "__has_include", "__has_include_next", "__has_embed":
			default:
				continue
			}
			arg, ok := strings.CutPrefix(strings.TrimLeft(text, " \t"), "(")
			if !ok {
				continue // defined(__has_include) and the like
			}
			d, ok := fileName(strings.TrimSpace(arg))
			if !ok {
				computed = append(computed, &computedError{Line: l.number, Text: word + "(" + arg})
				continue
			}
			d.Line, d.Probe = l.number, true
			d.Next = word == "__has_include_next"
			found = append(found, d)
		}
	}
	return found, computed
}

// fileName reads "name" or <name> at the start of s.
func fileName(s string) (directive, bool) {
	if s == "" {
		return directive{}, false
	}
	var end byte
	switch s[0] {
	case '"':
		end = '"'
	case '<':
		end = '>'
	default:
		return directive{}, false
	}
	n := strings.IndexByte(s[1:], end)
	if n <= 0 {
		return directive{}, false
	}
	return directive{Name: s[1 : 1+n], Quoted: end == '"'}, true
}

func identifier(s string) string {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return s[:i]
		}
	}
	return s
}

type logicalLine struct {
	number int
	text   string
}

// logicalLines splits src into lines after the first three phases of
// translation: spliced lines joined, comments replaced by a space. Only lines
// that can matter here, those with a '#' or a "__has_", are kept.
func logicalLines(src []byte) []logicalLine {
	var lines []logicalLine
	var b strings.Builder
	number, first := 1, 1
	flush := func() {
		t := b.String()
		if strings.Contains(t, "#") || strings.Contains(t, "__has_") {
			lines = append(lines, logicalLine{first, t})
		}
		b.Reset()
		first = number
	}
	splice := func(i int) int { // length of a backslash-newline at i, 0 if none
		if src[i] != '\\' {
			return 0
		}
		if i+1 < len(src) && src[i+1] == '\n' {
			return 2
		}
		if i+2 < len(src) && src[i+1] == '\r' && src[i+2] == '\n' {
			return 3
		}
		return 0
	}
	for i := 0; i < len(src); {
		if n := splice(i); n > 0 {
			number++
			i += n
			continue
		}
		c := src[i]
		switch {
		case c == '\n':
			number++
			flush()
			i++
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' {
				if n := splice(i); n > 0 {
					number++
					i += n
					continue
				}
				i++
			}
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			i += 2
			for i < len(src) && (src[i] != '*' || i+1 >= len(src) || src[i+1] != '/') {
				if src[i] == '\n' {
					number++
				}
				i++
			}
			i = min(i+2, len(src))
			b.WriteByte(' ')
		case c == '"' && strings.HasSuffix(b.String(), "R") && rawDelimiter(src[i:]) >= 0:
			n := rawLiteral(src[i:])
			number += strings.Count(string(src[i:i+n]), "\n")
			b.WriteString(`""`)
			i += n
		case c == '\'' && inNumber(b.String()): // a digit separator
			b.WriteByte(c)
			i++
		case c == '"' || c == '\'':
			n := literal(src[i:])
			if isIncludeOperand(b.String()) {
				b.Write(src[i : i+n])
			} else {
				b.WriteByte(c)
				b.WriteByte(c)
			}
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	flush()
	return lines
}

// isIncludeOperand says whether a quote after this text opens a file name
// rather than a string literal.
func isIncludeOperand(before string) bool {
	t := strings.TrimRight(before, " \t")
	if strings.HasSuffix(t, "(") {
		t = strings.TrimRight(t[:len(t)-1], " \t")
		return strings.HasSuffix(t, "__has_include") || strings.HasSuffix(t, "__has_include_next") || strings.HasSuffix(t, "__has_embed")
	}
	for _, word := range []string{"include", "include_next", "import", "embed"} {
		if head, ok := strings.CutSuffix(t, word); ok && strings.TrimSpace(head) == "#" {
			return true
		}
	}
	return false
}

// literal is the length of the string or character literal that starts s. It
// ends at the closing quote or, unterminated, before the end of the line (an
// apostrophe may be a digit separator).
func literal(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return i
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// inNumber says whether text ends within a number, so that an apostrophe after
// it separates digits.
func inNumber(text string) bool {
	i := len(text)
	for i > 0 && (text[i-1] == '\'' || text[i-1] == '.' || identifier(text[i-1:]) != "") {
		i--
	}
	return i < len(text) && text[i] >= '0' && text[i] <= '9'
}

// rawDelimiter is the length of the delimiter of the raw string literal whose
// opening quote starts s, -1 if s starts no raw literal.
func rawDelimiter(s []byte) int {
	for i := 1; i < len(s) && i <= 17; i++ {
		switch s[i] {
		case '(':
			return i - 1
		case ' ', ')', '\\', '\t', '\n', '\v', '\f', '"':
			return -1
		}
	}
	return -1
}

func rawLiteral(s []byte) int {
	n := rawDelimiter(s)
	end := ")" + string(s[1:1+n]) + `"`
	if i := strings.Index(string(s), end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}
