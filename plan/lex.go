package plan

import (
	"bytes"
	"slices"
	"strings"
)

// lineComment leaves out what stands up to the end of the line.
func (l *lexer) lineComment() {
	for {
		c, start, end := l.at(l.i)
		if start > l.i {
			l.traits |= odd
		}
		if c == '\n' || start == len(l.src) {
			l.i = start
			return
		}
		l.i = end
	}
}

// blockComment leaves out a comment in one piece.
func (l *lexer) blockComment() {
	var before byte
	for n := 0; ; n++ {
		c, start, end := l.at(l.i)
		if start == len(l.src) {
			l.i = start
			l.traits |= irregular
			return
		}
		if start > l.i {
			l.traits |= odd
		}
		l.take(start, end)
		switch c {
		case '\n':
			l.broke, l.gap = true, l.gap[:0]
		case '\t':
			l.gap = append(l.gap, c)
		default:
			l.gap = append(l.gap, ' ')
		}
		switch {
		case n >= 3 && before == '*' && c == '/':
			return
		case n >= 3 && before == '/' && c == '*':
			l.traits |= odd
		}
		before = c
	}
}

// fileName writes <name> to the letter.
func (l *lexer) fileName() {
	var text []byte
	for {
		c, start, end := l.at(l.i)
		if c == '\n' || start == len(l.src) {
			l.traits |= irregular
			break
		}
		l.take(start, end)
		text = append(text, c)
		if c == '>' {
			break
		}
	}
	l.emit(text)
}

// literal reads a string or character behind its prefix, with the suffix that a
// user can define. What is between the quotes stays as it is.
func (l *lexer) literal(text []byte) []byte {
	quote, _, _ := l.at(l.i)
	for escaped := true; ; {
		c, start, end := l.at(l.i)
		if c == '\n' || start == len(l.src) {
			l.traits |= irregular
			return text
		}
		l.take(start, end)
		text = append(text, c)
		if c == quote && !escaped {
			break
		}
		escaped = c == '\\' && !escaped
	}
	return l.suffix(text)
}

// rawLiteral reads a raw string whose prefix is text, in which no lines are
// spliced.
func (l *lexer) rawLiteral(text []byte) []byte {
	rest := l.src[l.i:]
	n := rawDelimiter(rest)
	if rest[0] != '"' || n < 0 { // a splice before the quote, or no raw string at all
		l.traits |= irregular
		return l.literal(text)
	}
	last := ")" + string(rest[1:1+n]) + `"`
	length := bytes.Index(rest[n+1:], []byte(last))
	if length < 0 {
		l.traits |= irregular
		l.i = len(l.src)
		return append(text, rest...)
	}
	length += n + 1 + len(last)
	l.i += length
	if bytes.IndexByte(rest[:length], '\n') >= 0 {
		l.broke = true
	}
	return l.suffix(append(text, rest[:length]...))
}

// assemblerReads are the directives by which an asm statement takes in a file.
// No compiler lists what they read.
var assemblerReads = []string{".incbin", ".include"}

// suffix adds the word that stands directly behind a literal. One that is the
// prefix of another literal can be read in two ways.
func (l *lexer) suffix(text []byte) []byte {
	for _, word := range assemblerReads {
		if bytes.Contains(text, []byte(word)) {
			l.traits |= assembles
		}
	}
	n := len(text)
	text = l.run(text)
	if c, _, _ := l.at(l.i); len(text) > n && (c == '"' || c == '\'') {
		if raw, plain := isPrefix(string(text[n:])); raw || plain {
			l.traits |= irregular
		}
	}
	return text
}

// run adds the characters of a word.
func (l *lexer) run(text []byte) []byte {
	for {
		c, start, end := l.at(l.i)
		if start == len(l.src) || !isWord(c) {
			return text
		}
		l.take(start, end)
		text = append(text, c)
	}
}

// number adds a number as the preprocessor sees it, which is more than those
// that mean something.
func (l *lexer) number(text []byte) []byte {
	for {
		c, start, end := l.at(l.i)
		var last byte
		if len(text) > 0 {
			last = text[len(text)-1] | 0x20
		}
		next, _, _ := l.at(end)
		switch {
		case start == len(l.src):
			return text
		case isWord(c), c == '.':
		case (c == '+' || c == '-') && (last == 'e' || last == 'p'):
		case c == '\'' && len(text) > 0 && isWord(next):
		default:
			return text
		}
		l.take(start, end)
		text = append(text, c)
	}
}

// isPrefix says whether a word can be part of a literal that follows it.
func isPrefix(word string) (raw, plain bool) {
	switch word {
	case "R", "LR", "uR", "UR", "u8R":
		return true, false
	case "L", "u", "U", "u8":
		return false, true
	}
	return false, false
}

// word reads a word, or a literal with its prefix.
func (l *lexer) word() {
	text := l.run(nil)
	c, _, _ := l.at(l.i)
	if c == '"' || c == '\'' {
		switch raw, plain := isPrefix(string(text)); {
		case raw && c == '"':
			l.emit(l.rawLiteral(text))
			return
		case plain:
			l.emit(l.literal(text))
			return
		}
	}
	word := string(text)
	l.emit(text)
	switch {
	case slices.Contains(positions, word):
		l.traits |= positional
	case isPiece(word):
		l.traits |= piece
	case word == "import" || word == "module":
		l.traits |= spaced
	}
	switch {
	case strings.HasPrefix(word, "__has_"):
		l.header = 2
	case l.directive == "#":
		l.directive = word
		switch word {
		case "include", "include_next", "import", "embed", "__include_macros":
			l.header = 1
		}
	case l.directive == "define" && !l.named:
		l.named = true
		if c == '(' { // with parameters
			l.mark('(')
		}
	}
}

// operator reads operators that stand together and may be one.
func (l *lexer) operator() {
	var text []byte
	awaits, begins := l.header == 2, l.begins
	for {
		c, start, end := l.at(l.i)
		next, _, _ := l.at(end)
		if n := len(text); n > 0 {
			if text[n-1] == '.' && isDigit(c) {
				text = l.number(text)
				break
			}
			comment := c == '/' && (next == '/' || next == '*')
			if start == len(l.src) || c >= 128 || !joins[text[n-1]][c] || comment {
				break
			}
		}
		l.take(start, end)
		text = append(text, c)
	}
	hashes := bytes.Count(text, []byte("#"))
	switch {
	case bytes.Contains(text, []byte("%:")):
		l.traits |= irregular
	case begins && string(text) == "#":
		l.mark('#')
		l.directive = "#"
	case hashes > 0 && hashes == len(text) && hashes%2 == 0:
		l.traits |= pastes
	case hashes > 0:
		l.traits |= spaced | pastes
	}
	l.emit(text)
	if awaits && string(text) == "(" {
		l.header = 1
	}
}
