package standin_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestSliceOfDecoder follows what the eight stores behind the last MMA need,
// besides its results: few statements, of few kinds.
func TestSliceOfDecoder(t *testing.T) {
	text := everyBody(t)["rrlite_dec0_4x4"]
	lines := strings.Split(text, "\n")
	last := 0
	for i, l := range lines {
		if strings.Contains(l, "{mma.sync") {
			last = i
		}
	}
	regs := regexp.MustCompile(`%(?:rs|rd|p|r|f)\d+`)
	defined := map[string]bool{}
	var needed []string
	need := map[string]bool{}
	for _, l := range lines[last+1:] {
		m := statement.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		args := split(m[3])
		if m[1] != "" && !defined[m[1]] {
			need[m[1]] = true
		}
		for i, a := range args {
			for _, r := range regs.FindAllString(a, -1) {
				if i == 0 && !strings.HasPrefix(m[2], "sust") {
					defined[r] = true
				} else if !defined[r] {
					need[r] = true
				}
			}
		}
	}
	results := 0
	for i := last; i > 0; i-- {
		m := statement.FindStringSubmatch(lines[i])
		if m == nil || strings.HasPrefix(m[2], "st") {
			continue
		}
		args := split(m[3])
		if len(args) == 0 {
			continue
		}
		wanted := false
		for _, r := range regs.FindAllString(args[0], -1) {
			wanted = wanted || need[r]
		}
		if !wanted {
			continue
		}
		if strings.HasPrefix(m[2], "mma.") {
			results += len(regs.FindAllString(args[0], -1))
			continue
		}
		needed = append(needed, m[2])
		for _, a := range args[1:] {
			for _, r := range regs.FindAllString(a, -1) {
				need[r] = true
			}
		}
	}
	if results != 32 {
		t.Errorf("%d results of MMAs are used behind the last, want 32", results)
	}
	if len(needed) > 24 {
		t.Errorf("%d statements are needed: %q", len(needed), needed)
	}
	for _, op := range needed {
		kind, _, _ := strings.Cut(op, ".")
		if !strings.Contains(" mov add sub shl shr and or ld ", " "+kind+" ") || kind == "ld" && !strings.HasPrefix(op, "ld.param") {
			t.Errorf("%s is needed", op)
		}
	}
}
