package pack

import (
	"math"
	"unicode/utf8"
)

// What is looked at as a whole, and how far apart. Bits a byte, over the whole
// and over each fourth byte of it, beyond which it is taken for weights.
// Measured over a third of the fast objects of K and M: all at most 6.3, the most
// uniform fourth 6.9, the least uniform 5.0 (text 4.9 in all). Numbers of normal
// distribution: f16 7.3, 7.9, 5.4; e4m3 6.4, 6.4, 6.4.
const (
	blobWindow = 8 << 10
	blobStep   = 4 << 10

	blobAll   = 7.0
	blobMost  = 7.4
	blobLeast = 5.6
	blobText  = 5.85
)

// blobs looks for stretches that look like weights, as numbers or as their text.
func (s *scanner) blobs(declared []Span) {
	start, end := -1, -1
	flush := func() {
		if start >= 0 {
			s.say(start, "%s that look like weights or compressed data", size(int64(end-start)))
		}
		start = -1
	}
	for at := 0; at+blobWindow <= len(s.data); at += blobStep {
		to := at + blobWindow
		if vouched(declared, int64(at), int64(to)) || !uniform(s.data[at:to]) {
			continue
		}
		if start >= 0 && at > end {
			flush()
		}
		if start < 0 {
			start = at
		}
		end = to
	}
	flush()
}

func vouched(declared []Span, from, to int64) bool {
	for _, d := range declared {
		if d.Start <= from && to <= d.End {
			return true
		}
	}
	return false
}

// uniform says whether a window has the entropy of weights.
func uniform(window []byte) bool {
	var lanes [4][256]int
	for i, b := range window {
		lanes[i&3][b]++
	}
	var whole [256]int
	least, most := math.Inf(1), 0.0
	for _, lane := range lanes {
		for b, n := range lane {
			whole[b] += n
		}
		e := entropy(lane, len(window)/4)
		least, most = min(least, e), max(most, e)
	}
	all := entropy(whole, len(window))
	if text(window) {
		return all > blobText
	}
	return all > blobAll || most > blobMost || least > blobLeast
}

// entropy is that of n bytes with these counts, in bits a byte.
func entropy(counts [256]int, n int) float64 {
	e := 0.0
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / float64(n)
			e -= p * math.Log2(p)
		}
	}
	return e
}

// text says whether a window is one of a text file; its ends may cut characters.
func text(window []byte) bool {
	for len(window) > 0 && !utf8.RuneStart(window[0]) {
		window = window[1:]
	}
	for i := 1; i < utf8.UTFMax && i < len(window); i++ {
		if last := window[len(window)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				window = window[:len(window)-i]
			}
			break
		}
	}
	for _, b := range window {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' {
			return false
		}
	}
	return utf8.Valid(window)
}
