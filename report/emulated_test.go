package report

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/engine"
)

var someEmulations = Emulations{
	cache.Sum([]byte("b")): {
		Address: "m/enc1@gfx1201", Kernel: "enc1", Target: "gfx1201", Case: "six windows", Waves: 24,
		Instructions: map[string]int64{"valu": 31728, "wmma": 4608, "barrier": 144}, LDSCycles: 3840, LDSConflicts: 12,
		Global: Moved{2715648, 61440}, LDS: Moved{393216, 98304}, ScalarLoaded: 1152,
	},
	cache.Sum([]byte("a")): {Address: "k/dec@gfx1100", Kernel: "dec", Target: "gfx1100", Waves: 1, Instructions: map[string]int64{"salu": 7}, Scratch: Moved{4, 8}},
}

func TestEmulations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stats.json")
	none, err := ReadEmulations(file)
	if err != nil || len(none) != 0 {
		t.Fatal(none, err)
	}
	data, err := someEmulations.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := ReadEmulations(file)
	if err != nil || !reflect.DeepEqual(again, someEmulations) {
		t.Errorf("%+v, %v", again, err)
	}
	for text, want := range map[string]string{
		`{"schema": "kmx.stats/2", "objects": {}}`:                          "kmx.stats/2",
		`{"schema": "kmx.stats/1", "object": {}}`:                           "unknown field",
		`{"schema": "kmx.stats/1", "objects": {"ab": {}}}`:                  "digest",
		`{"schema": "kmx.stats/1", "objects": {"` + zeros + `": null}}`:     "nothing under",
		`{"schema": "kmx.stats/1", "objects": {"` + zeros + `": {"waves":`:  "unexpected EOF",
		`{"schema": "kmx.stats/1", "objects": {"` + zeros + `": {"w": 1}}}`: "unknown field",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadEmulations(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	var table strings.Builder
	if err := someEmulations.Table(&table); err != nil {
		t.Fatal(err)
	}
	golden(t, "emulated.txt", table.String())
	table.Reset()
	if err := none.Table(&table); err != nil || table.Len() > 0 {
		t.Error(table.String(), err)
	}
}

var zeros = strings.Repeat("0", 64)

// TestEmulatedLine: the words stand at the end of a finished cell's line.
func TestEmulatedLine(t *testing.T) {
	b := &board{}
	o := &Options{
		Facts: func(string) (now, before Facts, ok bool) { return Facts{VGPRs: 9}, Facts{}, true },
		Emulated: func(label string, key cache.Digest) string {
			if label != "m/enc1@gfx1201" || key != (cache.Digest{3}) {
				return ""
			}
			return someEmulations[cache.Sum([]byte("b"))].String()
		},
	}
	line := func(label string, key byte) string {
		lines := eventLines(b, engine.Event{Kind: engine.NodeState, State: engine.Done, Cached: true, Label: label, Key: cache.Digest{key}}, o, false, true)
		return strings.Join(lines, "\n")
	}
	if got, want := line("m/enc1@gfx1201", 3), "waves 0  emulated: instructions 36480 wmma 4608 conflicts 12/3840 bytes 2778240"; !strings.HasSuffix(got, want) {
		t.Errorf("%q does not end in %q", got, want)
	}
	if got := line("m/enc1@gfx1201", 4); !strings.HasSuffix(got, "waves 0") {
		t.Errorf("%q", got)
	}
}
