package main

import "slices"

// notOperands are words that stand before an expression and belong to none.
var notOperands = []string{"return", "const", "constexpr", "else", "case", "template", "using", "if", "for", "while", "operator"}

// before is the operand that ends before token i: a name with its qualifiers,
// calls, subscripts and members, a number, or something in brackets.
func (s *source) before(i int) (span, bool) {
	j := i - 1
	for {
		switch {
		case s.is(j, ")", "]", "}"):
			open := s.match[j]
			if open < 0 {
				return span{}, false
			}
			j = open
			if p := j - 1; s.isKind(p, word) && !slices.Contains(notOperands, s.tokens[p].text) && s.tokens[p].end == s.tokens[j].start || s.is(p, ")", "]") && s.tokens[p].end == s.tokens[j].start {
				j = p
				continue
			}
			if s.is(j-1, ">") && s.tokens[j-1].end == s.tokens[j].start {
				if at := s.templateStart(j - 1); at > 0 {
					j = at - 1
					continue
				}
			}
		case s.isKind(j, number):
		case s.isKind(j, word) && !slices.Contains(notOperands, s.tokens[j].text):
			if s.is(j-1, "::", ".", "->") && j >= 2 {
				j -= 2
				if s.is(j, ">") {
					if at := s.templateStart(j); at > 0 {
						j = at - 1
					}
				}
				continue
			}
		default:
			return span{}, false
		}
		break
	}
	// A cast or a sign that sticks to it.
	for s.is(j-1, ")") && s.tokens[j-1].end == s.tokens[j].start && s.match[j-1] >= 0 || s.is(j-1, "-", "~", "!") && !s.tokens[j-1].spaced {
		if s.is(j-1, ")") {
			j = s.match[j-1]
		} else {
			j--
		}
	}
	return span{j, i - 1}, true
}

// after is the operand that begins behind token i.
func (s *source) after(i int) (span, bool) {
	j := i + 1
	for s.is(j, "-", "~", "!", "&", "*") && !s.tokens[j].spaced {
		j++
	}
	for s.is(j, "(") && s.isCast(j) {
		j = s.match[j] + 1
	}
	switch {
	case s.is(j, "(", "{"):
		j = s.match[j]
	case s.isKind(j, number), s.isKind(j, word) && !slices.Contains(notOperands, s.tokens[j].text):
	default:
		return span{}, false
	}
	for {
		switch {
		case s.is(j+1, "::", ".", "->") && s.isKind(j+2, word):
			j += 2
		case s.is(j+1, "(", "[", "{") && s.tokens[j+1].start == s.tokens[j].end:
			j = s.match[j+1]
		case s.is(j+1, "<") && s.tokens[j+1].start == s.tokens[j].end && s.templateEnd(j+1) > 0:
			j = s.templateEnd(j + 1)
		default:
			return span{i + 1, j}, true
		}
	}
}

// isCast says whether the bracket at i begins a cast: a name in brackets that
// sticks to what follows.
func (s *source) isCast(i int) bool {
	end := s.match[i]
	if end != i+2 || !s.isKind(i+1, word) || end+1 >= len(s.tokens) {
		return false
	}
	n := s.tokens[end+1]
	return n.start == s.tokens[end].end && (n.kind == word || n.kind == number || n.text == "(" || n.text == "-")
}

// term before or behind an operator of addition: operands of multiplication.
func (s *source) termBefore(i int) (span, bool) {
	p, ok := s.before(i)
	for ok && s.binary(p.first-1, "*", "/", "%") {
		var more span
		if more, ok = s.before(p.first - 1); ok {
			p.first = more.first
		}
	}
	return p, ok
}

func (s *source) termAfter(i int) (span, bool) {
	p, ok := s.after(i)
	for ok && s.binary(p.last+1, "*", "/", "%") {
		var more span
		if more, ok = s.after(p.last + 1); ok {
			p.last = more.last
		}
	}
	return p, ok
}

// call says whether token i is the name of a function that is called, and gives
// the bracket of its arguments. A declaration or definition is no call.
func (s *source) call(i int) (open int, ok bool) {
	if !s.isKind(i, word) {
		return 0, false
	}
	open = i + 1
	if s.is(open, "<") && !s.tokens[open].spaced {
		if open = s.templateEnd(open) + 1; open == 0 {
			return 0, false
		}
	}
	if !s.is(open, "(") || slices.Contains(notOperands, s.tokens[i].text) || slices.Contains([]string{"switch", "sizeof", "decltype"}, s.tokens[i].text) {
		return 0, false
	}
	if end := s.match[open]; s.is(end+1, "{") || s.is(end+1, "const") || s.isKind(end+1, word) {
		return 0, false
	}
	for _, a := range s.arguments(open) {
		if s.declares(a) {
			return 0, false
		}
	}
	return open, true
}

// statement is the statement that begins with token i, without its semicolon.
func (s *source) statement(i int) (span, bool) {
	if !s.is(i-1, ";", "{", "}", ")", "else") || s.inFor(i) {
		return span{}, false
	}
	for j := i; j < len(s.tokens); j++ {
		switch {
		case s.is(j, ";"):
			return span{i, j - 1}, j > i
		case s.is(j, "(", "[", "{"):
			if s.match[j] < 0 {
				return span{}, false
			}
			j = s.match[j]
		case s.is(j, ")", "]", "}"):
			return span{}, false
		}
	}
	return span{}, false
}

// chain is the first token of the qualified name that ends with token i:
// wmma::half, tape.enter.
func (s *source) chain(i int) int {
	for s.is(i-1, "::", ".", "->") && s.isKind(i-2, word) {
		i -= 2
	}
	return i
}

// inFor says whether token i stands in the head of a for loop.
func (s *source) inFor(i int) bool {
	for j := i; j >= 0 && !s.is(j, "{", "}"); j-- {
		if s.is(j, "for") && s.is(j+1, "(") {
			return i > j && i < s.match[j+1]
		}
	}
	return false
}

// inSubscript says whether token i stands directly in square brackets.
func (s *source) inSubscript(i int) bool {
	for j := i - 1; j >= 0; j-- {
		switch {
		case s.is(j, ")", "]", "}"):
			if s.match[j] < 0 {
				return false
			}
			j = s.match[j]
		case s.is(j, "["):
			return true
		case s.is(j, "(", "{", ";"):
			return false
		}
	}
	return false
}
