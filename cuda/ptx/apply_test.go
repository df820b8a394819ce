package ptx

import (
	"bytes"
	"strings"
	"testing"

	"kmx/internal/diag"
)

func TestApply(t *testing.T) {
	const text = "one\ntwo\nthree\n"
	for _, c := range []struct {
		name, text string
		edits      []Edit
		want       string
	}{
		{"nothing", text, nil, text},
		{"replace", text, []Edit{{Span{4, 7}, "2"}}, "one\n2\nthree\n"},
		{"delete", text, []Edit{{Span{4, 8}, ""}}, "one\nthree\n"},
		{"insert", text, []Edit{{Span{4, 4}, "a\nb\n"}}, "one\na\nb\ntwo\nthree\n"},
		{"at both ends", text, []Edit{{Span{0, 0}, "<"}, {Span{14, 14}, ">"}}, "<one\ntwo\nthree\n>"},
		{"any order", text, []Edit{{Span{8, 13}, "3"}, {Span{0, 3}, "1"}}, "1\ntwo\n3\n"},
		{"inserted before a replacement", text, []Edit{{Span{4, 7}, "2"}, {Span{4, 4}, "a"}, {Span{4, 4}, "b"}}, "one\nab2\nthree\n"},
		{"inserted behind a replacement", text, []Edit{{Span{7, 7}, "!"}, {Span{4, 7}, "2"}}, "one\n2!\nthree\n"},
		{"its line ends", "one\r\ntwo\r\n", []Edit{{Span{5, 8}, "2\n3\r\n4"}}, "one\r\n2\r\n3\r\n4\r\n"},
		{"into nothing", "", []Edit{{Span{0, 0}, "a\n"}}, "a\n"},
	} {
		m := &Module{Name: "m.ptx", Text: []byte(c.text)}
		got, err := m.Apply(c.edits)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q %v, want %q", c.name, got, err, c.want)
		}
		if string(m.Text) != c.text {
			t.Errorf("%s: the module was changed", c.name)
		}
	}
}

func TestApplyErrors(t *testing.T) {
	m := &Module{Name: "m.ptx", Text: []byte("one\ntwo\nthree\n")}
	for _, c := range []struct {
		name  string
		edits []Edit
		want  []string
	}{
		{"overlap", []Edit{{Span{0, 5}, ""}, {Span{4, 7}, ""}}, []string{"m.ptx:2:1: two edits overlap: one t and two"}},
		{"inserted inside", []Edit{{Span{0, 5}, ""}, {Span{2, 2}, "x"}}, []string{"m.ptx:1:3: two edits overlap: one t and "}},
		{"outside", []Edit{{Span{-1, 0}, ""}, {Span{5, 4}, ""}, {Span{10, 99}, ""}}, []string{
			"m.ptx: an edit of the bytes -1 to 0 of a text of 14 bytes", "m.ptx: an edit of the bytes 5 to 4 of a text of 14 bytes", "m.ptx: an edit of the bytes 10 to 99 of a text of 14 bytes"}},
	} {
		got, err := m.Apply(c.edits)
		list, _ := err.(diag.List)
		if got != nil || list.Error() != strings.Join(c.want, "\n") {
			t.Errorf("%s: %q\n%v", c.name, got, err)
		}
	}
}

// FuzzApply compares with edits applied one after the other from the end.
func FuzzApply(f *testing.F) {
	f.Add("one\ntwo\nthree\n", 0, 3, "x", 4, 7, "y\n")
	f.Add("one\r\ntwo\r\n", 5, 5, "\n", 5, 8, "")
	f.Fuzz(func(t *testing.T, text string, a, b int, x string, c, d int, y string) {
		m := &Module{Name: "m", Text: []byte(text)}
		got, err := m.Apply([]Edit{{Span{a, b}, x}, {Span{c, d}, y}})
		inside := func(a, b int) bool { return 0 <= a && a <= b && b <= len(text) }
		ok := inside(a, b) && inside(c, d) && (b <= c || d <= a)
		if ok != (err == nil) && !(inside(a, b) && inside(c, d) && (a == b && a == c || c == d && c == a)) {
			t.Fatalf("%d %d %d %d of %d: %v", a, b, c, d, len(text), err)
		}
		if err != nil || !ok {
			return
		}
		first, second := Edit{Span{a, b}, x}, Edit{Span{c, d}, y}
		if c < a || c == a && d < b {
			first, second = second, first
		}
		want := text[:first.Start] + withNewline(first.Text, m.Newline()) + text[first.End:second.Start] + withNewline(second.Text, m.Newline()) + text[second.End:]
		if !bytes.Equal(got, []byte(want)) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
