package ptx

import (
	"strings"
	"testing"

	"kmx/internal/diag"
)

// FuzzParse holds what must hold for every text: no panic, the text comes back,
// no edits change nothing, spans nest, and errors have places within the text.
func FuzzParse(f *testing.F) {
	f.Add(read(f, "testdata/forms.ptx"))
	f.Add(strings.ReplaceAll(read(f, "testdata/forms.ptx"), "\n", "\r\n"))
	for _, part := range strings.Split(read(f, "testdata/errors.txt"), "\n## ") {
		f.Add(part)
	}
	f.Add(kernelText(2000))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("f.ptx", []byte(text))
		if string(m.Print()) != text {
			t.Fatal("printed text is another one")
		}
		if got, err := m.Apply(nil); err != nil || string(got) != text {
			t.Fatalf("no edits: %v", err)
		}
		if err == nil {
			checkSpans(t, m)
		} else {
			list, ok := err.(diag.List)
			if !ok || len(list) == 0 || len(list) > maxErrors+1 {
				t.Fatalf("%T with %d messages", err, len(list))
			}
			for _, msg := range list {
				if msg.Where.Start.Byte < 0 || msg.Where.Start.Byte > len(text) || msg.Summary == "" {
					t.Fatalf("%+v", msg)
				}
			}
		}
		for _, fn := range m.Functions() {
			fl := Analyse(fn)
			for i, in := range fl.Instructions() {
				if i > 20 {
					break
				}
				fl.LiveIn(in)
				for _, r := range fl.Reads(in) {
					fl.ReachingDefs(in, r)
				}
			}
			if c := Diff(m, fn, m, fn); c.Verdict != Same {
				var b strings.Builder
				_ = c.Write(&b, 0)
				t.Fatalf("a function differs from itself:\n%s", b.String())
			}
			if fn.Body != nil {
				if _, err := Align(m, m, fn.Body.Items, fn.Body.Items); err != nil {
					t.Fatalf("a function does not align with itself: %v", err)
				}
			}
		}
	})
}
