package main

import (
	"slices"
	"strings"
)

// A source is a file with its tokens and what belongs together among them.
type source struct {
	path   string // in the project, with slashes
	src    string
	tokens []token
	match  []int // of a bracket the other one; -1
}

// fixedCalls are names whose arguments are not mutated: they say what must hold,
// or concern nothing but how code is scheduled.
var fixedCalls = []string{"static_assert", "__attribute__", "asm", "__builtin_amdgcn_sched_barrier", "__builtin_amdgcn_s_sleep", "defined"}

// fixedFunctions only serve assertions.
var fixedFunctions = []string{"laid_out"}

func newSource(path, src string) *source {
	s := &source{path: path, src: src, tokens: lex(src)}
	s.brackets()
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.directive != "" && t.directive != "define" {
			t.fixed = true
		}
		if t.text == "{" {
			if name := s.bodyOf(i); name != "" {
				for j := i; j <= s.match[i]; j++ {
					s.tokens[j].function = name
					s.tokens[j].fixed = s.tokens[j].fixed || slices.Contains(fixedFunctions, name)
				}
			}
		}
		if open, _, ok := s.condition(i); ok && s.is(s.match[open]+1, scheduling...) {
			s.fix(span{i, s.match[open]})
		}
		if slices.Contains(fixedCalls, t.text) && s.is(i+1, "(") {
			s.fix(span{i, s.match[i+1]})
		}
	}
	return s
}

func (s *source) fix(p span) {
	for i := p.first; i <= p.last; i++ {
		s.tokens[i].fixed = true
	}
}

func (s *source) brackets() {
	var open []int
	s.match = make([]int, len(s.tokens))
	for i, t := range s.tokens {
		s.match[i] = -1
		if t.kind != mark {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 {
				s.match[i], s.match[open[n-1]] = open[n-1], i
				open = open[:n-1]
			}
		}
	}
	for _, i := range open { // never closed: the end of the file closes it
		s.match[i] = len(s.tokens) - 1
	}
}

// bodyOf is the name of the function whose body the bracket opens, or "".
func (s *source) bodyOf(i int) string {
	j := i - 1
	if s.is(j, "const") {
		j--
	}
	if !s.is(j, ")") || s.match[j] < 1 {
		return ""
	}
	t := s.tokens[s.match[j]-1]
	if t.kind != word || slices.Contains([]string{"if", "for", "while", "switch", "constexpr"}, t.text) {
		return ""
	}
	return t.text
}

// is says whether token i exists and reads so.
func (s *source) is(i int, texts ...string) bool {
	return i >= 0 && i < len(s.tokens) && slices.Contains(texts, s.tokens[i].text)
}

// isKind says whether token i exists and is of a kind.
func (s *source) isKind(i int, k kind) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == k
}

// binary says whether token i is a binary operator that reads so.
func (s *source) binary(i int, texts ...string) bool {
	return s.is(i, texts...) && s.tokens[i].spaced && !s.is(i-1, "template", "operator", "(", ",", "return", "=", "?", ":", "&&", "||")
}

// read is the source from token i to token j, nothing when j stands before i.
func (s *source) read(i, j int) string {
	if j < i {
		return ""
	}
	return s.src[s.tokens[i].start:s.tokens[j].end]
}

// A span is a run of tokens, both ends included.
type span struct{ first, last int }

func (s *source) readSpan(p span) string { return s.read(p.first, p.last) }

// arguments are what commas part between the bracket at i and its partner.
func (s *source) arguments(i int) []span {
	var list []span
	first := i + 1
	for j := i + 1; j <= s.match[i]; j++ {
		switch {
		case j == s.match[i] || s.is(j, ","):
			if j > first {
				list = append(list, span{first, j - 1})
			}
			first = j + 1
		case s.is(j, "(", "[", "{"):
			j = s.match[j]
		case s.is(j, "<") && !s.tokens[j].spaced:
			if end := s.templateEnd(j); end > 0 {
				j = end
			}
		}
	}
	return list
}

// templateEnd is the bracket that closes template arguments, or -1.
func (s *source) templateEnd(i int) int {
	depth := 0
	for j := i; j < len(s.tokens) && j < i+40; j++ {
		switch {
		case s.is(j, "<") && !s.tokens[j].spaced:
			depth++
		case s.is(j, ">") && !s.tokens[j].spaced:
			if depth--; depth == 0 {
				return j
			}
		case s.is(j, "(", "[", "{"):
			j = s.match[j]
		case s.is(j, ";", ")", "]", "}"):
			return -1
		}
	}
	return -1
}

// templateStart is the bracket that opens the template arguments that end at i,
// or -1.
func (s *source) templateStart(i int) int {
	for j := i - 1; j > max(0, i-40); j-- {
		if s.is(j, "<") && !s.tokens[j].spaced && s.templateEnd(j) == i {
			return j
		}
	}
	return -1
}

// declares says whether a span reads like parameters or types: two words in a
// row, or a reference.
func (s *source) declares(p span) bool {
	for i := p.first; i < p.last; i++ {
		a, b := s.tokens[i], s.tokens[i+1]
		if a.kind == word && b.kind == word || strings.Contains("& * >", a.text) && !a.spaced && b.kind == word && i > p.first && s.tokens[i-1].kind == word && b.start > a.end {
			return true
		}
	}
	return s.tokens[p.first].text == "const"
}
