package flow

import (
	"strings"
	"testing"
)

func TestFirstHunk(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a b c", "a b c", ""},
		{"a b c d e f g h", "a b c d x f g h", " b, c, d,-e,+x, f, g, h"},
		{"a b c", "a b c d", " a, b, c,+d"},
		{"a b c d", "a c d", " a,-b, c, d"},
		{"a b", "x y", "-a,-b,+x,+y"},
		{"", "a", "+a"},
	} {
		got := strings.Join(firstHunk(strings.Fields(c.a), strings.Fields(c.b)), ",")
		if got != c.want {
			t.Errorf("%s | %s: %q, want %q", c.a, c.b, got, c.want)
		}
	}
	long := strings.Repeat("a ", 5) + strings.Repeat("b ", 40)
	other := strings.Repeat("a ", 5) + strings.Repeat("c ", 40)
	got := firstHunk(strings.Fields(long), strings.Fields(other))
	if len(got) != hunkContext+2*hunkChange+1 || got[len(got)-1] != "..." {
		t.Errorf("%d lines: %q", len(got), got)
	}
}
