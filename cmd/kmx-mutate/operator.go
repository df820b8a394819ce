package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// A change replaces the bytes from first to last of a source.
type change struct {
	from, to int
	text     string
}

// An operator is one way to break a source. At finds what it does at a token: no
// change, one, or several that are mutants each.
type operator struct {
	name string
	at   func(s *source, i int) []change
}

// operators in the order of the table.
func operators() []operator {
	return slices.Concat(waveOperators(), choiceOperators(), placeOperators(), arithmeticOperators(), valueOperators())
}

// A site is a place and what an operator makes of it.
type site struct {
	File, Operator string
	Line           int
	Before, After  string // what the change replaces, and by what
	change         change
	context        string // the line, and which one of its like it is
}

// ID names a site as long as its line reads as it does.
func (s site) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.File, s.Operator, s.context, s.Before, s.After}, "\x00")))
	return fmt.Sprintf("%x", sum[:4])
}

// apply makes the mutant of a source.
func (s site) apply(src string) string {
	return src[:s.change.from] + s.change.text + src[s.change.to:]
}

// sites are all places of a source at which operators do something, by operator.
func sites(src *source) []site {
	var list []site
	for _, op := range operators() {
		seen := map[string]int{}
		for i, t := range src.tokens {
			if t.fixed {
				continue
			}
			for _, c := range op.at(src, i) {
				before := src.src[c.from:c.to]
				if before == c.text {
					continue
				}
				x := site{File: src.path, Operator: op.name, Line: 1 + strings.Count(src.src[:c.from], "\n"), Before: before, After: c.text, change: c}
				context := lineOf(src.src, c.from)
				at := context + "\x00" + before + "\x00" + c.text
				x.context = fmt.Sprintf("%s %d", context, seen[at])
				seen[at]++
				list = append(list, x)
			}
		}
	}
	return list
}

func lineOf(src string, at int) string {
	first := strings.LastIndexByte(src[:at], '\n') + 1
	return strings.TrimSpace(src[first : at+upTo(src[at:], "\n")])
}

// replace is the change of the tokens of a span.
func (s *source) replace(p span, text string) []change {
	return []change{{s.tokens[p.first].start, s.tokens[p.last].end, text}}
}

// put is the change of one token.
func (s *source) put(i int, text string) []change { return s.replace(span{i, i}, text) }
