package main

import (
	"fmt"
	"strconv"
	"strings"
)

// valueOperators break constants.
func valueOperators() []operator {
	return []operator{
		{"wrong bits", wrongBits},
		{"wrong constant", wrongConstant},
	}
}

// wrongBits turns one bit of a constant over: the lowest one, or one in the middle.
func wrongBits(s *source, i int) []change {
	t := s.tokens[i].text
	if s.tokens[i].kind != number || !strings.HasPrefix(t, "0x") {
		return nil
	}
	digits := strings.TrimRight(t[2:], "uUlL")
	v, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return nil
	}
	var list []change
	for _, bit := range []int{0, 2 * len(digits)} {
		list = append(list, s.put(i, fmt.Sprintf("0x%0*x%s", len(digits), v^1<<bit, t[2+len(digits):]))...)
	}
	return list
}

// wrongConstant is off by one, or by a little.
func wrongConstant(s *source, i int) []change {
	t := s.tokens[i].text
	if s.tokens[i].kind != number || strings.HasPrefix(t, "0x") || s.inSubscript(i) || s.inFor(i) {
		return nil
	}
	if strings.Contains(t, ".") {
		digits := strings.TrimSuffix(t, "f")
		v, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return nil
		}
		if v == 0 {
			if s.is(i-1, "-") && !s.tokens[i-1].spaced {
				return s.replace(span{i - 1, i}, t) // the other zero
			}
			return s.put(i, "1."+t[len(t)-1:])
		}
		return s.put(i, strconv.FormatFloat(v*17/16, 'g', -1, 64)+t[len(digits):])
	}
	digits := strings.TrimRight(t, "uUlL")
	v, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return nil
	}
	return s.put(i, fmt.Sprint(v+1)+t[len(digits):])
}
