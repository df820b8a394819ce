package flow

import (
	"strings"
	"testing"

	"kmx/matrix"
)

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"-O1": "-O1", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "-DX=1": "-DX=1", "$HOME": "'$HOME'",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}

func TestDistChangeText(t *testing.T) {
	for _, c := range []struct {
		change distChange
		want   string
	}{
		{distChange{Folder: "dist/x", Kept: 1}, "dist/x: nothing would change, 1 object stays"},
		{distChange{Folder: "dist/x", Added: 2}, "dist/x: 2 objects would be new"},
		{distChange{Folder: "dist/x", Replaced: 3, Bytes: 12_345, Added: 1, Removed: 1, Kept: 4},
			"dist/x: 3 objects (12.3 kB) would be replaced, 1 object would be new, 1 object would go, 4 objects stay"},
	} {
		if got := c.change.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestPredictionText(t *testing.T) {
	for _, c := range []struct {
		p    prediction
		want string
	}{
		{prediction{Jobs: 1, Likely: 1.26, Low: 0.4, High: 3.75, Guessed: 1}, "about 1.3s with 1 job (400ms to 3.8s; a guess, none was measured here)"},
		{prediction{Jobs: 2, Likely: 62.4, Low: 48, High: 80, Measured: 40, Guessed: 2}, "about 1m2s with 2 jobs (48s to 1m20s; 40 of 42 measured here)"},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// Parts of a description are picked by the headings of its text.
func TestWriteParts(t *testing.T) {
	d := &matrix.Description{
		Families:  []matrix.FamilyDescription{{Name: "toy", Exists: true, Groups: []matrix.GroupDescription{{Name: "all", Kernels: []string{"add", "mul"}}}}},
		Axes:      []matrix.AxisDescription{{Name: "numerics", Values: []string{"fast"}, Default: "fast", Release: true}},
		Variables: []matrix.VariableDescription{{Name: "version", Type: "string"}},
		Sets:      []matrix.SetDescription{{Path: "gfx1201"}},
	}
	for _, part := range []string{"families", "axes", "variables", "sets"} {
		var b strings.Builder
		if err := writeParts(&b, d, []string{part}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !strings.HasPrefix(text, part+"\n") || !strings.HasSuffix(text, "\n") || strings.Contains(text, "\n\n") {
			t.Errorf("%s: %q", part, text)
		}
	}
	var b strings.Builder
	if err := writeParts(&b, d, []string{"axes", "sets"}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "\n\nsets\n") || strings.Contains(text, "version") {
		t.Errorf("two parts: %q", text)
	}
}
