package ci

import (
	"bytes"
	"strings"
	"testing"

	"kmx/cache"
)

// What no action leaves is in no bundle, however well it is sealed.
func TestBundleOfOddOutputs(t *testing.T) {
	data := []byte("bytes\n")
	out := func(path string, size int64) cache.Output {
		return cache.Output{Path: path, Digest: cache.Sum(data), Size: size}
	}
	for _, c := range []struct {
		name    string
		outputs []cache.Output
		want    string
	}{
		{"one", []cache.Output{out("a.o", 6)}, ""},
		{"two of the same bytes", []cache.Output{out("a.o", 6), out("b/a.o", 6)}, ""},
		{"none", nil, "has no output"},
		{"way out", []cache.Output{out("../../evil", 6)}, `an output outside of its folder, "../../evil"`},
		{"way out of Windows", []cache.Output{out(`..\evil`, 6)}, "an output outside of its folder"},
		{"absolute", []cache.Output{out("/etc/passwd", 6)}, "an output outside of its folder"},
		{"nameless", []cache.Output{out("", 6)}, "an output outside of its folder"},
		{"roundabout", []cache.Output{out("a/../a.o", 6)}, "an output outside of its folder"},
		{"twice", []cache.Output{out("a.o", 6), out("a.o", 6)}, `the output "a.o" twice`},
		{"another size", []cache.Output{out("a.o", 7)}, "has 6 bytes, its record says 7"},
		{"two sizes", []cache.Output{out("a.o", 6), out("b.o", -1)}, "an output has -1 bytes, another record 6"},
	} {
		var b bytes.Buffer
		r := &cache.Record{Format: cache.RecordFormat, Key: sum("key"), Label: "k/a@gfx1201", Outputs: c.outputs}
		err := WriteBundle(&b, Head{Shard: 1, Of: 1, Failed: []Failed{}}, []*cache.Record{r}, func(cache.Digest) ([]byte, error) { return data, nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := read(b.Bytes()); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// What a shard says of itself neither leaves its place in the summary nor drives a
// terminal that shows it.
func TestHostileSummary(t *testing.T) {
	const evil = "\x1b[2J</code></details>|`````\r\n# x\u0085"
	s := Summary{Title: "t", Rows: []Row{{Label: evil, Outcome: OutcomeFailed, Text: evil}, {Label: evil, Outcome: OutcomeBuilt}}}
	text := s.Markdown(4096)
	if strings.ContainsAny(text, "\x1b\r\u0085") || strings.Count(text, "````") != 2 {
		t.Errorf("%q", text)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| <code>") && strings.Count(line, "|") != 6 {
			t.Errorf("a row of other cells: %q", line)
		}
	}
}
