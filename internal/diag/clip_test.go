package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A word of any length that somebody typed leaves a message readable, in every
// form for people. Programs are told all of it.
func TestLongWordsAreClipped(t *testing.T) {
	long := "begin" + strings.Repeat("ä", 100000) + "end"
	path := "/" + strings.Repeat("deep/", 40) + "file.hip"
	m := Message{Summary: "there is no family " + long, Hint: "not " + long, Detail: path}
	var printed, github strings.Builder
	Print(&printed, List{m}, Style{})
	PrintGitHub(&github, List{m})
	for name, text := range map[string]string{"printed": printed.String(), "one line": m.String(), "GitHub": github.String(), "failure": Failf(Usage, "", "no %s", long).Error()} {
		if n := utf8.RuneCountInString(text); n > 1000 || !strings.Contains(text, "beginä") || !strings.Contains(text, "ä…ä") || !strings.Contains(text, "äend") {
			t.Errorf("%s: %d characters: %.300s", name, n, text)
		}
	}
	if !strings.Contains(printed.String(), path) {
		t.Error("a path of some length was cut")
	}
	if got := clip("a  b " + path); got != "a  b "+path {
		t.Errorf("%q", got)
	}
	var json strings.Builder
	if err := PrintJSON(&json, List{m}); err != nil || !strings.Contains(json.String(), long) {
		t.Errorf("%v, %d bytes of JSON", err, json.Len())
	}
}
