package main

import (
	"slices"
	"strings"
)

// kind of a token.
type kind int

const (
	word kind = iota
	number
	text // string or character
	mark // operator or punctuation
)

// A token of a C++ source. Comments are none.
type token struct {
	kind
	text       string
	start, end int // bytes in the source
	line       int // from 1
	// spaced marks have blanks on both sides. The sources are formatted: blanks
	// tell a binary operator from a sign, a pointer or a template's bracket.
	spaced    bool
	directive string // "define" on such a line, "" on others
	function  string // whose body it stands in
	fixed     bool   // it says what must hold, or how to compile: not mutated
}

// marks of more than one character, the longest first.
var marks = []string{"<<=", ">>=", "...", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"}

// lex splits a source into tokens.
func lex(src string) []token {
	var list []token
	line, directive, fresh := 1, "", true
	for i := 0; i < len(src); {
		switch rest := src[i:]; {
		case strings.HasPrefix(rest, "\\\n"):
			line++
			i += 2
			continue
		case rest[0] == '\n':
			line++
			i++
			directive, fresh = "", true
			continue
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			i++
			continue
		case strings.HasPrefix(rest, "//"):
			i += upTo(rest, "\n")
			continue
		case strings.HasPrefix(rest, "/*"):
			n := min(upTo(rest[2:], "*/")+4, len(rest))
			line += strings.Count(rest[:n], "\n")
			i += n
			continue
		}
		k, n := next(src[i:])
		t := token{kind: k, text: src[i : i+n], start: i, end: i + n, line: line, directive: directive}
		t.spaced = k == mark && i > 0 && blank(src[i-1]) && i+n < len(src) && blank(src[i+n])
		if directive == "#" {
			directive = t.text
			t.directive = directive
		}
		if fresh && t.text == "#" {
			directive = "#"
			t.directive = "#"
		}
		fresh = false
		list = append(list, t)
		i += n
	}
	return list
}

func upTo(s, end string) int {
	if n := strings.Index(s, end); n >= 0 {
		return n
	}
	return len(s)
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// next is the kind and length of the token that s begins with.
func next(s string) (kind, int) {
	n := 1
	switch c := s[0]; {
	case c >= '0' && c <= '9':
		for n < len(s) && (letter(s[n]) || s[n] == '.') {
			n++
		}
		return number, n
	case letter(c):
		for n < len(s) && letter(s[n]) {
			n++
		}
		return word, n
	case c == '"' || c == '\'':
		for n < len(s) && s[n] != c && s[n] != '\n' {
			if s[n] == '\\' {
				n++
			}
			n++
		}
		return text, min(n+1, len(s))
	}
	if i := slices.IndexFunc(marks, func(m string) bool { return strings.HasPrefix(s, m) }); i >= 0 {
		return mark, len(marks[i])
	}
	return mark, n
}
