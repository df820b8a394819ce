package flow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kmx/internal/diag"
)

// The candidates of a search are letters: g good, b bad, s skipped.
func TestBisect(t *testing.T) {
	for _, c := range []struct {
		row      string
		lo, hi   int
		question int // candidates judged, at most
	}{
		{"gb", 0, 1, 2},
		{"ggb", 1, 2, 3},
		{"gbb", 0, 1, 3},
		{"gsb", 0, 2, 3},
		{"gggggggggbbbbbbb", 8, 9, 6},
		{"ggggsssbbbbbbbbb", 3, 7, 10},
		{"gssssssssssssssb", 0, 15, 16},
		{"gsgsgsgsbsbsbsbs" + "b", 6, 8, 14},
		{"gb" + strings.Repeat("b", 998), 0, 1, 13},
	} {
		asked := map[int]bool{}
		lo, hi, err := bisect(len(c.row), func(i int) (outcome, error) {
			if asked[i] {
				t.Errorf("%s: %d is judged twice", c.row, i)
			}
			asked[i] = true
			return map[byte]outcome{'g': good, 'b': bad, 's': skipped}[c.row[i]], nil
		}, func(int, int) {})
		if err != nil || lo != c.lo || hi != c.hi || len(asked) > c.question {
			t.Errorf("%.20s: %d %d after %d, %v; want %d %d after %d", c.row, lo, hi, len(asked), err, c.lo, c.hi, c.question)
		}
	}
	for row, want := range map[string]string{"bb": "the good end is bad", "gg": "the bad end is good", "sb": "the good end does not build", "gs": "the bad end does not build"} {
		_, _, err := bisect(2, func(i int) (outcome, error) {
			return map[byte]outcome{'g': good, 'b': bad, 's': skipped}[row[i]], nil
		}, func(int, int) {})
		if diag.ExitCode(err) != int(diag.Usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", row, err)
		}
	}
	broken := errors.New("broken")
	if _, _, err := bisect(9, func(i int) (outcome, error) { return good, broken }, func(int, int) {}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// Evidence comes from the bytes alone.
func TestEvidence(t *testing.T) {
	const a, b = "/tmp/kmx-reproduce-1/a", "/tmp/kmx-reproduce-1/another place/deeper"
	for _, c := range []struct {
		name, first, second, cure string
		says                      string
	}{
		{"a path", "x\x00/tmp/kmx-reproduce-1/a/cache/k.hip\x00", "x\x00/tmp/kmx-reproduce-1/another place/deeper/cache/k.hip\x00", curePath, `at 0x2: "/tmp/kmx-reproduce-1/a/cache/k.hip"`},
		{"a path of the second only", "x", "/tmp/kmx-reproduce-1/another place/deeper/cache", curePath, "path of the build"},
		{"a date", "built Nov 30 2026\x00", "built Dec  1 2026\x00", cureDate, `["Nov 30 2026"], then ["Dec  1 2026"]`},
		{"a time", "at 10:11:12\x00", "at 10:11:13\x00", cureDate, "10:11:12"},
		{"seconds since 1970", "at 1790000000\x00", "at 1790000007\x00", cureDate, "1790000000"},
		{"an identifier", "__hip_cuid_0123\x00same", "__hip_cuid_4567\x00same", cureCUID, "__hip_cuid_0123"},
		{"an order", "long\x00\x01other\x00\x01", "other\x00\x01long\x00\x01", cureOrder, "another order"},
		{"an order of strings", "once\x00twice\x00", "twice\x00once\x00", cureOrder, "another order"},
		{"chance", "abcdefgh", "abcdefgi", "", ""},
	} {
		found := evidenceOf([]byte(c.first), []byte(c.second), a, b)
		i := slices.IndexFunc(found, func(e evidence) bool { return e.cure == c.cure && strings.Contains(e.what, c.says) })
		if c.cure != "" && i < 0 || c.name == "chance" && len(found) > 0 {
			t.Errorf("%s: %+v", c.name, found)
		}
	}
}

func TestCulprit(t *testing.T) {
	for _, c := range []struct {
		names []string
		told  bool
		want  string
	}{
		{nil, false, "cause: none of the conditions alone"},
		{[]string{"", "path"}, true, "under the same conditions too, so time, order or chance"},
		{[]string{""}, false, "order or chance " + cureRandom},
		{[]string{"path"}, false, "cause: path, proven by a build in which only that changed " + curePath},
		{[]string{"umask", "TZ"}, false, "cause: umask and TZ, proven"},
	} {
		line, cure := culprit(c.names, c.told)
		if got := fmt.Sprint(line, " ", cure); !strings.Contains(got, c.want) {
			t.Errorf("%v: %s", c.names, got)
		}
	}
}
