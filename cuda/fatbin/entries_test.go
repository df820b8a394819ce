package fatbin

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestEntries(t *testing.T) {
	for _, c := range []struct{ name, ptx, want string }{
		{"plain", ".visible .entry a(\n)\n{ ret; }", "[a]"},
		{"CRLF and no .visible", ".version 8.3\r\n.entry a\r\n(\r\n)\r\n.weak .entry b(", "[a b]"},
		{"name on the next line", ".visible .entry\r\n\ta(", "[a]"},
		{"comments between", ".visible /* .entry no */ .entry // x\n/**/ a(", "[a]"},
		{"commented out", "// .entry a(\n/* .entry b(\n*/ .entry c()", "[c]"},
		{"in a string", `.file 1 "/x/.entry a(.cu"` + "\n.entry b(", "[b]"},
		{"declared and defined", ".visible .entry a();\n.visible .entry a() {}", "[a]"},
		{"other directives", ".entryx a( .func b( x.entry c( .entry", "[]"},
		{"dollar and percent", ".entry $a_1( .entry %b(", "[$a_1 %b]"},
		{"no name", ".entry ( .entry 1a( .entry .b(", "[]"},
		{"open comment", ".entry a( /* .entry b(", "[a]"},
		{"NULs", ".entry a(\x00\x00", "[a]"},
		{"empty", "", "[]"},
	} {
		if got := fmt.Sprint(Entries([]byte(c.ptx))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func FuzzEntries(f *testing.F) {
	f.Add([]byte(".visible .entry a(\r\n)\r\n{ ret; }"))
	f.Add([]byte(`// .entry a` + "\n" + `/* "*/ .entry b( "x" .entry c`))
	f.Fuzz(func(t *testing.T, ptx []byte) {
		seen := map[string]bool{}
		for _, name := range Entries(ptx) {
			if name == "" || seen[name] || strings.ContainsAny(name, " .\n\"/") || !bytes.Contains(ptx, []byte(name)) {
				t.Fatalf("name %q", name)
			}
			seen[name] = true
		}
	})
}
