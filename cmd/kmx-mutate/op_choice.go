package main

import "slices"

// choiceOperators break what is done under which condition, and how often.
func choiceOperators() []operator {
	return []operator{
		{"drop guard", dropGuard},
		{"negate condition", negate},
		{"swap select arms", swapArms},
		{"other relation", relation},
		{"other connective", connective},
		{"wrong loop bound", loopBound},
		{"flip flag", flip},
	}
}

// condition is the condition of an if at token i.
func (s *source) condition(i int) (open int, static, ok bool) {
	if !s.is(i, "if") {
		return 0, false, false
	}
	open = i + 1
	if s.is(open, "constexpr") {
		open, static = open+1, true
	}
	return open, static, s.is(open, "(") && s.match[open] > open+1
}

// dropGuard does what stands under a condition always; a guard that returns never
// does.
func dropGuard(s *source, i int) []change {
	open, static, ok := s.condition(i)
	if !ok || static {
		return nil
	}
	always := "true"
	if s.is(s.match[open]+1, "return", "continue") {
		always = "false"
	}
	return s.replace(span{open + 1, s.match[open] - 1}, always)
}

func negate(s *source, i int) []change {
	open, _, ok := s.condition(i)
	if !ok {
		return nil
	}
	p := span{open + 1, s.match[open] - 1}
	return s.replace(p, "!("+s.readSpan(p)+")")
}

// swapArms exchanges what a condition chooses between.
func swapArms(s *source, i int) []change {
	if !s.is(i, "?") {
		return nil
	}
	middle, nested := 0, 0
	for j := i + 1; j < len(s.tokens); j++ {
		switch {
		case s.is(j, "(", "[", "{"):
			j = s.match[j]
		case s.is(j, "?"):
			nested++
		case s.is(j, ":") && nested > 0:
			nested--
		case s.is(j, ":") && middle == 0:
			middle = j
		case s.is(j, ";", ",", ")", "]", "}", ":"):
			if middle <= i+1 || j == middle+1 {
				return nil
			}
			a, b := s.read(i+1, middle-1), s.read(middle+1, j-1)
			return s.replace(span{i + 1, j - 1}, "("+b+") : ("+a+")")
		}
	}
	return nil
}

var relations = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}

// relation moves a comparison by one; heads of loops have their own operator.
func relation(s *source, i int) []change {
	other := relations[s.tokens[i].text]
	if other == "" || !s.binary(i, s.tokens[i].text) || s.inFor(i) {
		return nil
	}
	return s.put(i, other)
}

func connective(s *source, i int) []change {
	switch {
	case !s.tokens[i].spaced:
	case s.is(i, "&&"):
		return s.put(i, "||")
	case s.is(i, "||"):
		return s.put(i, "&&")
	}
	return nil
}

// loopBound runs a loop once more or less: at its end, or from its second turn.
func loopBound(s *source, i int) []change {
	if !s.is(i, "for") || !s.is(i+1, "(") {
		return nil
	}
	end := s.match[i+1]
	var list []change
	parts := 0
	for j := i + 2; j < end; j++ {
		switch {
		case s.is(j, ";"):
			parts++
		case parts == 0 && s.is(j, "=") && s.is(j+1, "0") && s.is(j+2, ";"):
			list = append(list, s.put(j+1, "1")...)
		case parts == 1 && s.is(j, "<") && s.tokens[j].spaced:
			last := j + 1
			for !s.is(last+1, ";", "&&") {
				last++
			}
			p := span{j + 1, last}
			bound := s.readSpan(p)
			list = append(list, s.replace(p, "("+bound+") - 1")...)
			list = append(list, s.replace(p, "("+bound+") + 1")...)
			return list
		}
	}
	return list
}

// flip turns true into false and back. Flags of lane exchanges say what inactive
// lanes give, of which there are none.
func flip(s *source, i int) []change {
	if !s.is(i, "true", "false") {
		return nil
	}
	for j := i; j >= 0 && !s.is(j, ";", "{", "}"); j-- {
		if slices.Contains([]string{"__builtin_amdgcn_permlanex16"}, s.tokens[j].text) {
			return nil
		}
	}
	if s.is(i, "true") {
		return s.put(i, "false")
	}
	return s.put(i, "true")
}
