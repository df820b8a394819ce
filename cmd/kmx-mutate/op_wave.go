package main

import (
	"slices"
	"strings"
)

// nothing stands for a statement that is left out.
const nothing = "(void)0"

var (
	barriers = []string{"barrier_lds", "barrier_acquire", "barrier_release", "__builtin_amdgcn_s_barrier"}
	fences   = []string{"__builtin_amdgcn_fence"}
	// scheduling changes when something is done, not what.
	scheduling = []string{"phase", "pause", "kept"}
)

// waveOperators break what lanes, waves and work-groups do together.
func waveOperators() []operator {
	return []operator{
		{"drop barrier", dropCall(barriers)},
		{"drop fence", dropCall(fences)},
		{"drop cross-lane exchange", dropExchange},
		{"wrong lane half", wrongHalf},
		{"wrong lane order", wrongOrder},
		{"drop statement", dropStatement},
	}
}

// dropCall leaves out statements that call one of some functions.
func dropCall(names []string) func(*source, int) []change {
	return func(s *source, i int) []change {
		p, ok := s.statement(i)
		if ok && slices.Contains(names, s.tokens[i].text) && s.is(i+1, "(") && s.match[i+1] == p.last {
			return s.replace(p, nothing)
		}
		return nil
	}
}

// dropExchange takes a lane's own value for its partner's.
func dropExchange(s *source, i int) []change {
	open, ok := s.call(i)
	if !ok {
		return nil
	}
	args := s.arguments(open)
	whole := span{s.chain(i), s.match[open]}
	switch s.tokens[i].text {
	case "swap_halves", "__builtin_amdgcn_permlanex16":
		return s.replace(whole, "("+s.readSpan(args[0])+")")
	case "__builtin_amdgcn_perm":
		return s.replace(whole, "("+s.readSpan(args[1])+")")
	case "from_other":
		return s.replace(whole, "("+s.readSpan(args[1])+")")
	}
	return nil
}

// wrongHalf takes the other half of the wave.
func wrongHalf(s *source, i int) []change {
	if !s.is(i, "half") || s.isKind(i-1, word) {
		return nil
	}
	if open, ok := s.call(i); ok && s.match[open] == open+1 {
		p := span{s.chain(i), open + 1}
		return s.replace(p, "(1 - "+s.readSpan(p)+")")
	}
	if s.is(i+1, "(", "::", "=") || s.is(i-1, ".", "::") {
		return nil
	}
	return s.put(i, "(1 - half)")
}

// wrongOrder takes lanes in another order.
func wrongOrder(s *source, i int) []change {
	open, ok := s.call(i)
	if !ok {
		return nil
	}
	p := span{s.chain(i), s.match[open]}
	args := s.arguments(open)
	switch s.tokens[i].text {
	case "index":
		return s.replace(p, strings.Replace(s.readSpan(p), "index", "column", 1))
	case "lane_of", "token_of", "to_operand", "join":
		if len(args) != 1 {
			return nil
		}
		switch s.tokens[i].text {
		case "join":
			return s.replace(p, "wmma::to_operand("+s.readSpan(args[0])+")")
		case "to_operand":
			return s.replace(p, "wmma::join("+s.readSpan(args[0])+")")
		}
		return s.replace(p, "("+s.readSpan(args[0])+")")
	case "token":
		if len(args) == 0 && s.chain(i) == i {
			return s.replace(p, "wmma::column()")
		}
	}
	return nil
}

// dropStatement leaves out calls and assignments that other operators do not.
func dropStatement(s *source, i int) []change {
	p, ok := s.statement(i)
	if !ok || s.tokens[i].kind != word || s.isKind(i+1, word) {
		return nil
	}
	name := s.tokens[i].text
	if slices.Contains(notOperands, name) || slices.Contains(barriers, name) || slices.Contains(fences, name) ||
		slices.Contains(scheduling, name) || slices.Contains([]string{"using", "continue", "break", "struct", "if", "for", "do", "while"}, name) {
		return nil
	}
	if s.declares(p) || s.tokens[p.first].directive != "" && s.is(p.last+1, ")") {
		return nil
	}
	for j := p.first; j <= p.last; j++ {
		switch {
		case s.is(j, "{"):
			return nil
		case s.is(j, "(", "["):
			if s.is(j, "(") && s.match[j] == p.last && j > p.first {
				return s.replace(p, nothing)
			}
			j = s.match[j]
		case s.is(j, "=", "-=", "+=", "&=", "|="):
			return s.replace(p, nothing)
		}
	}
	return nil
}
