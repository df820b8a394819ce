package diag

import (
	"fmt"
	"strings"
	"unicode"
)

// Nearest returns the names of known that word was most probably meant to be:
// all names at the smallest Damerau-Levenshtein distance (insertion, deletion,
// substitution, swap of neighbours), in known's order, each once. Letters that
// differ only in case count half. Names farther than a third of the word's
// length (but at least one edit) are no suggestion. A word that is itself
// known has no nearest names.
func Nearest(word string, known []string) []string {
	w := []rune(word)
	if len(w) == 0 || len(w) > 256 {
		return nil
	}
	best := 2*max(1, (len(w)+1)/3) + 1
	var names []string
	seen := map[string]bool{}
	for _, name := range known {
		if seen[name] || name == "" {
			continue
		}
		seen[name] = true
		if name == word {
			return nil
		}
		n := []rune(name)
		if 2*abs(len(n)-len(w)) > best {
			continue
		}
		d := distance(w, n)
		switch {
		case d < best:
			best, names = d, append(names[:0:0], name)
		case d == best && len(names) > 0:
			names = append(names, name)
		}
	}
	return names
}

// DidYouMean is "did you mean X?" or "did you mean X, Y or Z?", or "" when
// nothing is near. More than five ties are no help and give "".
func DidYouMean(word string, known []string) string {
	near := Nearest(word, known)
	if len(near) == 0 || len(near) > 5 {
		return ""
	}
	return fmt.Sprintf("did you mean %s?", Or(near))
}

// Or joins names for people: "a", "a or b", "a, b or c".
func Or(names []string) string { return join(names, "or") }

// And joins names for people: "a", "a and b", "a, b and c".
func And(names []string) string { return join(names, "and") }

func join(names []string, word string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " " + word + " " + names[n-1]
	}
}

// distance is the optimal string alignment distance times two.
func distance(a, b []rune) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = 2 * j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = 2 * i
		for j := 1; j <= len(b); j++ {
			d := min(prev[j]+2, cur[j-1]+2, prev[j-1]+substitution(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, prev2[j-2]+2)
			}
			cur[j] = d
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

func substitution(a, b rune) int {
	switch {
	case a == b:
		return 0
	case unicode.ToLower(a) == unicode.ToLower(b):
		return 1
	}
	return 2
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
