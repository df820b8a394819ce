package fatbin

import (
	"bytes"
	"hash/fnv"
	"slices"
)

// Entries returns the names of the kernels (.entry) of a PTX text, in its
// order, each once. Comments, strings and line ends of any kind do not mislead it.
func Entries(ptx []byte) []string {
	var names []string
	seen := map[string]bool{}
	s := scanner{ptx}
	for {
		word, ok := s.next()
		if !ok {
			return names
		}
		if string(word) != ".entry" {
			continue
		}
		if name, ok := s.next(); ok && isName(name) && !seen[string(name)] {
			seen[string(name)] = true
			names = append(names, string(name))
		}
	}
}

// scanner cuts a PTX text into words (names, directives and numbers) and single
// other bytes.
type scanner struct{ rest []byte }

func (s *scanner) next() ([]byte, bool) {
	for len(s.rest) > 0 {
		switch c := s.rest[0]; {
		case bytes.HasPrefix(s.rest, []byte("//")):
			s.skipPast("\n", 2)
		case bytes.HasPrefix(s.rest, []byte("/*")):
			s.skipPast("*/", 2)
		case c == '"':
			s.skipPast(`"`, 1)
		case inWord(c):
			n := 1
			for n < len(s.rest) && inWord(s.rest[n]) {
				n++
			}
			word := s.rest[:n]
			s.rest = s.rest[n:]
			return word, true
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || c == 0:
			s.rest = s.rest[1:]
		default:
			s.rest = s.rest[1:]
			return []byte{c}, true
		}
	}
	return nil, false
}

// skipPast drops n bytes and everything up to and with the end mark.
func (s *scanner) skipPast(end string, n int) {
	_, s.rest, _ = bytes.Cut(s.rest[n:], []byte(end))
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
}

func isName(word []byte) bool {
	return inWord(word[0]) && word[0] != '.' && (word[0] < '0' || word[0] > '9') && !bytes.Contains(word, []byte("."))
}

// FNV1a64 is the hash by which d4r's bridge knows a module: FNV-1a with 64 bits
// (offset basis cbf29ce484222325, prime 100000001b3) over the text as stored,
// without NULs at the end.
func FNV1a64(ptx []byte) uint64 {
	h := fnv.New64a()
	h.Write(bytes.TrimRight(ptx, "\x00"))
	return h.Sum64()
}

// Hashes returns, for each kernel, the hashes of all modules that define it,
// sorted and each once.
func Hashes(mods []Module) map[string][]uint64 {
	h := hashes{}
	for _, m := range mods {
		h.add(m)
	}
	return h.done()
}

// hashes collects.
type hashes map[string][]uint64

func (h hashes) add(m Module) {
	sum := FNV1a64(m.PTX)
	for _, name := range Entries(m.PTX) {
		h[name] = append(h[name], sum)
	}
}

func (h hashes) done() map[string][]uint64 {
	for name, sums := range h {
		slices.Sort(sums)
		h[name] = slices.Compact(sums)
	}
	return h
}
