package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// placeOperators break where something is read or written.
func placeOperators() []operator {
	return []operator{
		{"swap rows", swapRows},
		{"wrong index", wrongIndex},
		{"wrong tile", wrongTile},
		{"wrong offset", wrongOffset},
		{"off-by-one mirror", offMirror},
		{"wrong name", wrongName},
	}
}

// swapRows exchanges two subscripts, or neighbours in a list of values.
func swapRows(s *source, i int) []change {
	if s.is(i, "[") && s.is(s.match[i]+1, "[") && s.match[i] > i+1 && !s.declared(i) {
		a, b := span{i, s.match[i]}, span{s.match[i] + 1, s.match[s.match[i]+1]}
		if b.last > b.first+1 && s.readSpan(a) != s.readSpan(b) {
			return s.replace(span{a.first, b.last}, s.readSpan(b)+s.readSpan(a))
		}
	}
	if !s.is(i, "{") || s.is(i-1, ")", "const") || s.isKind(i-2, word) && s.is(i-2, "struct", "enum", "class", "namespace") {
		return nil
	}
	var list []change
	args := s.arguments(i)
	for _, a := range args {
		for j := a.first; j <= a.last; j++ {
			if s.is(j, ";") || s.is(a.first, ".") {
				return nil
			}
		}
	}
	for n := 0; n+1 < len(args); n++ {
		a, b := args[n], args[n+1]
		list = append(list, s.replace(span{a.first, b.last}, s.readSpan(b)+", "+s.readSpan(a))...)
	}
	return list
}

// declared says whether the subscript at i belongs to a declaration.
func (s *source) declared(i int) bool {
	j := i - 1
	for s.is(j, "]") {
		j = s.match[j] - 1
	}
	if s.is(j, ")") {
		return s.is(s.match[j]+1, "&")
	}
	return s.isKind(j, word) && (s.isKind(j-1, word) && !s.is(j-1, "return", "else") || s.is(j-1, ">", "*", "&") && !s.tokens[j-1].spaced || s.is(j-1, ",") && s.listed(j))
}

// listed says whether a name goes on with a declaration: u32 a[2], b[3].
func (s *source) listed(j int) bool {
	for j--; j > 0 && !s.is(j, ";", "{", "}", "("); j-- {
		if s.is(j, ")", "]") {
			j = s.match[j]
		}
	}
	return s.isKind(j+1, word) && s.isKind(j+2, word)
}

// wrongIndex moves a subscript by one, up or down.
func wrongIndex(s *source, i int) []change {
	if !s.is(i, "[") || s.match[i] <= i+1 || s.declared(i) || s.is(i+1, "&") {
		return nil
	}
	p := span{i + 1, s.match[i] - 1}
	if n, err := strconv.Atoi(s.readSpan(p)); err == nil {
		if n == 0 {
			return s.replace(p, "1")
		}
		return s.replace(p, strconv.Itoa(n-1))
	}
	e := s.enclosed(p)
	return append(s.replace(p, e+" + 1"), s.replace(p, e+" - 1")...)
}

// enclosed is a span as an operand: in brackets unless it is one token.
func (s *source) enclosed(p span) string {
	if p.first == p.last {
		return s.readSpan(p)
	}
	return "(" + s.readSpan(p) + ")"
}

var tiled = []string{"load_tile", "store_tile", "tile_at", "tiles_at", "starts_at", "qkv_tile", "table_tile", "wo_tile", "w1_tile", "w2_tile",
	"merge_tile", "expand_tile", "load_slot", "store_slot", "store_slot_piece", "load_start", "store_start", "put", "get", "get_plane",
	"load_weights", "pair_at", "value_tile", "key_tile", "sub_token", "half_place", "place", "token_place", "quad_place", "of_token", "of_quad",
	"load_double_tile8", "store_double_slot8", "chunk_at", "channel", "position_half", "column", "fragment", "table", "tile"}

// wrongTile moves an argument that says which tile, slot or place is meant.
func wrongTile(s *source, i int) []change {
	open, ok := s.call(i)
	if !ok || !slices.Contains(tiled, s.tokens[i].text) {
		return nil
	}
	var list []change
	for n, a := range s.arguments(open) {
		e := s.readSpan(a)
		if v, err := strconv.Atoi(e); err == nil {
			list = append(list, s.replace(a, strconv.Itoa(v+1))...)
		} else if n > 0 || len(s.arguments(open)) == 1 {
			list = append(list, s.replace(a, s.enclosed(a)+" + 1")...)
		}
	}
	return list
}

// wrongOffset doubles or halves what places are counted in.
func wrongOffset(s *source, i int) []change {
	v, err := strconv.Atoi(s.tokens[i].text)
	if err != nil || v < 4 || s.inFor(i) {
		return nil
	}
	operand := s.binary(i-1, "+", "-", "*", "/", "%", "&") || s.binary(i+1, "+", "-", "*", "/", "%") || s.is(i-1, ",", "=", "?", ":")
	if !operand {
		return nil
	}
	return append(s.put(i, fmt.Sprint(2*v)), s.put(i, fmt.Sprint(v/2))...)
}

// offMirror reflects at the wrong place.
func offMirror(s *source, i int) []change {
	if s.tokens[i].function != "mirror" {
		return nil
	}
	switch v, err := strconv.Atoi(s.tokens[i].text); {
	case err == nil && s.binary(i-1, "-"):
		return append(s.put(i, fmt.Sprint(v-1)), s.put(i, fmt.Sprint(v+1))...)
	case err == nil && s.binary(i+1, "*"):
		return s.put(i, fmt.Sprint(v-1))
	case s.is(i, "-") && !s.tokens[i].spaced && s.isKind(i+1, word):
		return append(s.replace(span{i, i + 1}, s.read(i, i+1)+" - 1"), s.replace(span{i, i + 1}, s.read(i, i+1)+" + 1")...)
	}
	return nil
}

// partners are names that are easily taken for one another.
var partners = []string{"x y", "width height", "shift_x shift_y", "in skip", "out y", "out merged", "gamma1 gamma2", "out_bias mlp_bias",
	"bound_x bound_y", "neighbour_x neighbour_y", "group_x group_y", "lo hi", "low high", "keys values", "wo w1", "w1 w2", "first second",
	"bo beta2", "gamma2 beta2", "b1 b1_chunk", "merge expand", "merge_bias expand_bias", "embed embed_bias", "head head_bias", "window member",
	"kTile kHalf", "kFragment kTableBytes", "chunk0 merge0", "head_pairs chunk_pairs", "chunk0 chunk1", "head_step chunk_step",
	"kOutputsInRows kOutputsInLanes", "mine other", "own other", "here following", "in_flags out_flags", "merge_n merge_k", "wave waves",
	"q m", "nt kt", "ks nt", "nt i", "p t", "lane half", "a b", "k n", "query key", "plane member", "kt nt"}

// wrongName takes one name for another, where both mean something.
func wrongName(s *source, i int) []change {
	t := s.tokens[i]
	if t.kind != word || s.isKind(i-1, word) && !s.is(i-1, "return", "else") || s.is(i+1, "=") || s.is(i-1, "::") && s.is(i-2, "wmma") {
		return nil
	}
	var list []change
	for _, pair := range partners {
		a, b, _ := strings.Cut(pair, " ")
		other := map[string]string{a: b, b: a}[t.text]
		if other != "" && s.known(other) && !slices.ContainsFunc(list, func(c change) bool { return c.text == other }) {
			list = append(list, s.put(i, other)...)
		}
	}
	return list
}

// known says whether a name occurs in the source: another one would not compile.
func (s *source) known(name string) bool {
	return slices.ContainsFunc(s.tokens, func(t token) bool { return t.kind == word && t.text == name })
}
