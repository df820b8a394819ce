package engine

import (
	"slices"
	"strings"
	"testing"
)

func TestParseDepfile(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       []string
		err        string
	}{
		{name: "one line", data: "a.o: a.c b.h\n", want: []string{"a.c", "b.h"}},
		{name: "no newline at the end", data: "a.o: a.c", want: []string{"a.c"}},
		{name: "continued", data: "a.o: a.c \\\n  b.h \\\n  c.h\n", want: []string{"a.c", "b.h", "c.h"}},
		{name: "CRLF", data: "a.o: a.c \\\r\n  b.h\r\n", want: []string{"a.c", "b.h"}},
		{name: "continued at once", data: "a.o: \\\n a.c\\\n b.h\n", want: []string{"a.c", "b.h"}},
		{name: "several targets", data: "a.o a.d \\\n b.o: a.c\n", want: []string{"a.c"}},
		{name: "several rules, phony ones", data: "a.o: a.c b.h\n\nb.h:\nb.o: b.h d.h\n", want: []string{"a.c", "b.h", "d.h"}},
		{name: "no prerequisites", data: "a.o:\n", want: nil},
		{name: "escaped blank", data: `a\ b.o: my\ dir/a.c` + "\n", want: []string{"my dir/a.c"}},
		{name: "escaped hash", data: `a.o: a\#b.c`, want: []string{"a#b.c"}},
		{name: "escaped colon", data: `a.o: a\:b.c`, want: []string{"a:b.c"}},
		{name: "dollar", data: `a.o: a$$b.c $x`, want: []string{"a$b.c", "$x"}},
		{name: "backslash before an escaped blank", data: `a.o: a\\\ b.c`, want: []string{`a\ b.c`}},
		{name: "two backslashes, then a blank", data: `a.o: a\\ b.c`, want: []string{`a\\`, "b.c"}},
		{name: "Windows", data: `C:\out\a.o: C:\src\a.c c:/b.h`, want: []string{`C:\src\a.c`, "c:/b.h"}},
		{name: "colon in a name", data: "a.o: a::b.c", want: []string{"a::b.c"}},
		{name: "comment", data: "# made by hand\na.o: a.c # why\n", want: []string{"a.c"}},
		{name: "blank before the colon", data: "a.o : a.c\n", want: []string{"a.c"}},
		{name: "tabs", data: "a.o:\ta.c\tb.h\n", want: []string{"a.c", "b.h"}},
		{name: "empty", data: "", err: "no rule"},
		{name: "only blanks", data: " \n\n", err: "no rule"},
		{name: "no colon", data: "a.o a.c\n", err: "line 1 has names but no colon"},
		{name: "a rule, then garbage", data: "a.o: a.c\ngarbage", err: "line 2 has names but no colon"},
		{name: "binary", data: "a.o: \x00", err: "NUL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseDepfile([]byte(c.data))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want one with %q", err, c.err)
				}
				return
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Fatalf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// Whatever the bytes are, the parser ends, and names are not empty and come once.
func FuzzParseDepfile(f *testing.F) {
	for _, s := range []string{
		"a.o: a.c \\\n b.h\n", `a\ b.o: c\#d $$e \\\ f`, "C:\\a.o: C:\\b.c\r\n", "a:\\\n", "\\\n\\\n:", ": a", "a\\:b:", `\`, `\\`, "a: \\\\\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		names, err := parseDepfile(data)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, n := range names {
			if n == "" || seen[n] || strings.ContainsAny(n, "\n\x00") {
				t.Fatalf("name %q in %q", n, names)
			}
			seen[n] = true
		}
	})
}

// What a compiler writes for a list of names is read back as that list.
func FuzzDepfileRoundTrip(f *testing.F) {
	f.Add("a.c|b h.h|c#d|$x|back\\slash.h")
	f.Add(`a\ b|tab	c|x:y`)
	f.Fuzz(func(t *testing.T, list string) {
		var want []string
		text := "out.o: \\\n "
		for name := range strings.SplitSeq(list, "|") {
			// Names that the syntax has no way to write.
			if name == "" || strings.ContainsAny(name, "\n\r\x00") || strings.HasSuffix(name, `\`) ||
				strings.Contains(name, `\#`) || strings.Contains(name, `\:`) || strings.HasPrefix(name, ":") ||
				slices.Contains(want, name) {
				return
			}
			want = append(want, name)
			text += " " + escape(name) + " \\\n"
		}
		got, err := parseDepfile([]byte(text + "\n"))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q was read as %q, %v", text, got, err)
		}
	})
}

func escape(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; c {
		case ' ', '\t':
			for k := i - 1; k >= 0 && name[k] == '\\'; k-- {
				b.WriteByte('\\')
			}
			b.WriteByte('\\')
			b.WriteByte(c)
		case '#':
			b.WriteString(`\#`)
		case '$':
			b.WriteString("$$")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
