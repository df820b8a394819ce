package diag

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"
)

func at(file string, src string, word string) Range {
	i := strings.Index(src, word)
	line := strings.Count(src[:i], "\n") + 1
	col := i - strings.LastIndexByte(src[:i], '\n')
	return Range{file, Pos{line, col, i}, Pos{line, col + len(word), i + len(word)}}
}

func TestPrint(t *testing.T) {
	src := "one\n\tflags = [\"-O3\"] # \x1b[2J\nthree\n"
	l := List{{
		Summary: "bad flag", Detail: "it does\nnothing", Where: at("m.hcl", src, `["-O3"]`),
		Values: []Value{{"numerics", `"fast"`}, {"fp8", "false"}},
		Notes:  []Note{{at("m.hcl", src, "three"), "the other is here"}, {Text: "no place"}},
		Hint:   "take it out",
	}, {Severity: Warning, Summary: "odd", Where: Range{File: "m.hcl"}}}
	var b bytes.Buffer
	Print(&b, l, Style{Source: func(string) []byte { return []byte(src) }})
	want := `error: bad flag
  m.hcl:2:10
      2 | 	flags = ["-O3"] # ?[2J
        | 	        ^^^^^^^
  it does
  nothing
  with numerics = "fast", fp8 = false
  note: the other is here
  m.hcl:3:1
      3 | three
        | ^^^^^
  note: no place
  hint: take it out

warning: odd
  m.hcl
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	Print(&b, l[:1], Style{Color: true})
	if !strings.Contains(b.String(), "\x1b[1;31merror:") {
		t.Errorf("no colour in %q", b.String())
	}
}

func TestSnippetBounds(t *testing.T) {
	long := strings.Repeat("é", 300) + "X" + strings.Repeat("y", 300)
	r := at("f", long, "X")
	text, mark, ok := snippet([]byte(long), r)
	if !ok || len([]rune(text)) > widest+10 || []rune(text)[strings.IndexByte(mark, '^')] != 'X' {
		t.Errorf("cut wrongly: %q\n%q", text, mark)
	}
	for _, r := range []Range{{"f", Pos{9, 9, 999}, Pos{}}, {"f", Pos{1, 1, -1}, Pos{}}} {
		if _, _, ok := snippet([]byte("abc"), r); ok {
			t.Errorf("%v has a snippet", r)
		}
	}
	// the end of the file, and a range that runs over the line
	if _, mark, ok := snippet([]byte("abc"), Range{"f", Pos{1, 4, 3}, Pos{1, 4, 3}}); !ok || mark != "   ^" {
		t.Errorf("end of file: %q %v", mark, ok)
	}
	if _, mark, _ := snippet([]byte("abc\ndef"), Range{"f", Pos{1, 2, 1}, Pos{2, 2, 5}}); mark != " ^^" {
		t.Errorf("two lines: %q", mark)
	}
}

func TestJSONAndGitHub(t *testing.T) {
	l := List{
		{Summary: "a, b: 100%", Detail: "x\ny", Where: Range{"a,b.hcl", Pos{2, 3, 9}, Pos{2, 5, 11}}, Values: []Value{{"v", "1"}}, Notes: []Note{{Range{"c", Pos{1, 1, 0}, Pos{1, 2, 1}}, "there"}}, Hint: "h"},
		{Severity: Warning, Summary: "w"},
	}
	var b bytes.Buffer
	if err := PrintJSON(&b, l); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format           string
		Errors, Warnings int
		Messages         []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "kmx.diag/1" || got.Errors != 1 || got.Warnings != 1 || len(got.Messages) != 2 || got.Messages[1]["where"] != nil {
		t.Errorf("got %s", b.String())
	}
	b.Reset()
	if err := PrintJSON(&b, nil); err != nil || !strings.Contains(b.String(), `"messages": []`) {
		t.Errorf("empty list: %v %s", err, b.String())
	}
	b.Reset()
	PrintGitHub(&b, l)
	want := "::error file=a%2Cb.hcl,line=2,col=3,endColumn=5::a, b: 100%25%0Ax%0Ay%0Av = 1%0Anote: there (c:1:1)%0Ahint: h\n::warning::w\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestNearest(t *testing.T) {
	gpus := []string{"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1200", "gfx1201"}
	for _, c := range []struct {
		word  string
		known []string
		want  []string
	}{
		{"gx1103", gpus, []string{"gfx1103"}},
		{"gfx1210", gpus, []string{"gfx1200", "gfx1201"}},
		{"gfx1104", gpus, []string{"gfx1100", "gfx1101", "gfx1102", "gfx1103"}},
		{"gfx1201", gpus, nil},
		{"fp", []string{"fp8", "numerics"}, []string{"fp8"}},
		{"FP8", []string{"fp8", "fp9"}, []string{"fp8"}},
		{"flgas", []string{"flags", "flag"}, []string{"flags"}},
		{"xyz", gpus, nil},
		{"", gpus, nil},
		{"a", []string{"b", "b", ""}, []string{"b"}},
	} {
		if got := Nearest(c.word, c.known); !reflect.DeepEqual(got, c.want) {
			t.Errorf("Nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
	if got := DidYouMean("gfx1210", gpus); got != "did you mean gfx1200 or gfx1201?" {
		t.Error(got)
	}
	if got := DidYouMean("zzz", gpus); got != "" {
		t.Error(got)
	}
}

func TestSort(t *testing.T) {
	l := List{
		{Summary: "none 1"},
		{Summary: "b", Where: Range{File: "b"}},
		{Summary: "a9", Where: Range{"a", Pos{9, 1, 0}, Pos{}}},
		{Summary: "none 2"},
		{Summary: "a2", Where: Range{"a", Pos{2, 7, 0}, Pos{}}},
	}
	l.Sort()
	var got []string
	for _, m := range l {
		got = append(got, m.Summary)
	}
	if want := []string{"a2", "a9", "b", "none 1", "none 2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestExitCode(t *testing.T) {
	wrapped := Failf(IO, "look at it", "cannot read: %w", fs.ErrNotExist)
	if !errors.Is(wrapped, fs.ErrNotExist) || wrapped.Error() != "cannot read: file does not exist (look at it)" {
		t.Errorf("Failf: %v", wrapped)
	}
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("x"), 1},
		{wrapped, 5},
		{fmt.Errorf("while: %w", wrapped), 5},
		{fmt.Errorf("while: %w", context.Canceled), 130},
		{errors.Join(context.Canceled, &Failure{Class: Cells}), 1},
		{&Failure{Class: OK, Err: context.Canceled}, 130},
		{List{{Summary: "bad"}}, 3},
		{List{{Severity: Warning, Summary: "meh"}}.Err(), 0},
		{&Failure{Class: Verify}, 6},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("ExitCode(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}

func FuzzPrint(f *testing.F) {
	f.Add("one\ntwo\n", 4, 6, "s")
	f.Add("", 0, 0, "")
	f.Fuzz(func(t *testing.T, src string, from, to int, text string) {
		l := List{{Summary: text, Detail: text, Hint: text, Where: Range{"f", Pos{1, 1, from}, Pos{1, 1, to}}}}
		var b bytes.Buffer
		Print(&b, l, Style{Source: func(string) []byte { return []byte(src) }})
		PrintGitHub(&b, l)
		DidYouMean(text, []string{src, "x"})
	})
}
