package plan

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func show(ds []directive) string {
	var s []string
	for _, d := range ds {
		name := "<" + d.Name + ">"
		if d.Quoted {
			name = `"` + d.Name + `"`
		}
		for flag, on := range map[string]bool{"?": d.Probe, "@": d.Embed, "+": d.Next} {
			if on {
				name += flag
			}
		}
		s = append(s, fmt.Sprintf("%d:%s", d.Line, name))
	}
	return strings.Join(s, " ")
}

func TestScan(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"plain", "#include \"a.h\"\n#include <b.h>\n", `1:"a.h" 2:<b.h>`},
		{"spaces", "  #  include\t\"a.h\" // why\n", `1:"a.h"`},
		{"conditionals are ignored", "#if 0\n#include \"a.h\"\n#else\n#include \"b.h\"\n#endif\n", `2:"a.h" 4:"b.h"`},
		{"line comment", "// #include \"a.h\"\n#include \"b.h\"\n", `2:"b.h"`},
		{"block comment", "/* x\n#include \"a.h\"\n*/#include \"b.h\"\n", `1:"b.h"`},
		{"comment inside", "#/**/include/* */\"a.h\"\n", `1:"a.h"`},
		{"comment in a string", "char*s=\"/*\";\n#include \"a.h\"\nchar*e=\"*/\";\n", `2:"a.h"`},
		{"quote in a comment", "/* \" */\n#include \"a.h\" // \"\n#include \"b.h\"\n", `2:"a.h" 3:"b.h"`},
		{"splice", "#inc\\\nlude \"a.h\"\n#include \"b.h\"\n", `1:"a.h" 3:"b.h"`},
		{"spliced line comment", "// a \\\n#include \"a.h\"\n#include \"b.h\"\n", `3:"b.h"`},
		{"carriage returns", "#include \"a.h\"\r\n#include <b.h>\r\n", `1:"a.h" 2:<b.h>`},
		{"string literal", "const char* s = \"\\\n#include \\\"a.h\\\"\";\n", ``},
		{"raw literal", "auto s = R\"x(\n#include \"a.h\"\n)\" )x\";\n#include \"b.h\"\n", `4:"b.h"`},
		{"digit separators", "int i = 1'000; /*\n#include \"a.h\"\n*/ int j = 0x1'f;\n#include \"b.h\"\n", `4:"b.h"`},
		{"char literals", "char c='\"', d='\\'';\n#include \"a.h\"\n", `2:"a.h"`},
		{"has_include", "#if __has_include(\"a.h\") && __has_include( <b.h> )\n#endif\n", `1:"a.h"? 1:<b.h>?`},
		{"defined has_include", "#ifdef __has_include\n#if defined(__has_include)\n#endif\n", ``},
		{"has_builtin", "#if __has_builtin(__builtin_x)\n#endif\n", ``},
		{"next", "#include_next <a.h>\n", `1:<a.h>+`},
		{"embed", "#embed \"a.bin\"\n", `1:"a.bin"@`},
		{"import", "#import \"a.h\"\n", `1:"a.h"`},
		{"not an include", "#define include \"a.h\"\n#pragma once\n", ``},
		{"no newline at the end", "#include \"a.h\"", `1:"a.h"`},
		{"unterminated", "#include \"a.h\n#include \"b.h\"\n", `2:"b.h"`},
	} {
		got, _ := scan([]byte(c.src))
		if show(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.name, show(got), c.want)
		}
	}
}

func TestScanComputed(t *testing.T) {
	_, computed := scan([]byte("#define H \"a.h\"\n#include H\n#if __has_include(H)\n#endif\n"))
	if len(computed) != 2 || computed[0].Line != 2 || computed[1].Line != 3 {
		t.Errorf("got %v", computed)
	}
}

// What a compiler reads is found whatever stands around it.
func FuzzScan(f *testing.F) {
	f.Add([]byte("#include \"a.h\"\n"))
	f.Add([]byte("/* */ R\"(x)\" 'a' 1'0 \\\n#if __has_include(<x>)\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		ds, computed := scan(src)
		lines := 1 + bytes.Count(src, []byte("\n"))
		for _, d := range ds {
			if d.Line < 1 || d.Line > lines || d.Name == "" {
				t.Errorf("impossible directive %+v", d)
			}
		}
		for _, c := range computed {
			if c.Line < 1 || c.Line > lines {
				t.Errorf("impossible line %d", c.Line)
			}
		}
		// A whole line appended in plain sight is always found, unless src left
		// a comment or a literal open: closing both first makes it visible.
		more, _ := scan(append(bytes.Clone(src), "\n*/\n\n#include \"seen.h\"\n"...))
		raw := bytes.Contains(src, []byte("R\""))
		if !raw && (len(more) == 0 || more[len(more)-1].Name != "seen.h") {
			t.Errorf("overlooked after %q: %s", src, show(more))
		}
	})
}
