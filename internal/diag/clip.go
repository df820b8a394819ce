package diag

import (
	"strings"
	"unicode/utf8"
)

// longestWord is how many characters of a word without blanks are shown in a
// line of a message: more than any name or path that people gave on purpose
// has, far less than what a slip of the clipboard pastes.
const longestWord = 240

// clip cuts very long words of a line in their middle. What is left of them is
// their beginning and their end.
func clip(line string) string {
	if len(line) <= longestWord {
		return line
	}
	words := strings.Split(line, " ")
	for i, w := range words {
		if len(w) <= longestWord || utf8.RuneCountInString(w) <= longestWord {
			continue
		}
		r := []rune(w)
		words[i] = string(r[:longestWord/2]) + "…" + string(r[len(r)-longestWord/4:])
	}
	return strings.Join(words, " ")
}
