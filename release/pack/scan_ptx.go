package pack

import (
	"bytes"
	"regexp"
)

var (
	// The head that every PTX module must have, in two pieces, and what begins an
	// entry.
	ptxVersion = regexp.MustCompile(`\.version\s+\d+\.\d+\s`)
	ptxTarget  = regexp.MustCompile(`\.target\s+sm_\d`)
	ptxEntry   = regexp.MustCompile(`\.(?:entry|func)\s+(?:\([^)]*\)\s*)?[a-z_$%][\w$]*\s*\(\s*\.param`)
	// A statement with a register of the names that compilers give; several may
	// stand in a line.
	ptxStatement = regexp.MustCompile(`(?m)(?:^|[;{}])[ \t]*(?:@!?%p\d+[ \t]+)?[a-z][a-z0-9]*(?:\.[a-z0-9_:]+)+[ \t]+[^;\n\x00]*%[a-z]{1,3}\d+[^;\n\x00]*`)
)

// headReach is how far behind .version a module says its .target.
const headReach = 4096

// statements that one file may have and not be PTX: a manual quotes some.
const statements = 8

// ptx looks for PTX as text, also a piece of a module without its head.
func (s *scanner) ptx() {
	if !bytes.Contains(s.data, []byte(".")) {
		return
	}
	found := map[Finding]bool{}
	for _, t := range plainText(s.data).views() {
		t.ptx(func(at int, what string) {
			if f := (Finding{What: what, Offset: int64(t.offset(at))}); !found[f] {
				found[f] = true
				s.say(int(f.Offset), "%s", what)
			}
		})
	}
}

// ptx looks for PTX in a text. Offsets are those of the text.
func (t plain) ptx(say func(at int, what string)) {
	text := t.text
	if bytes.Contains(text, []byte(".version")) {
		for _, at := range ptxVersion.FindAllIndex(text, -1) {
			if ptxTarget.Match(text[at[1]:min(at[1]+headReach, len(text))]) {
				say(at[0], "a PTX module")
			}
		}
	}
	if bytes.Contains(text, []byte(".param")) {
		if at := ptxEntry.FindIndex(text); at != nil {
			say(at[0], "a PTX function")
		}
	}
	if bytes.Contains(text, []byte("%r")) || bytes.Contains(text, []byte("%f")) || bytes.Contains(text, []byte("%p")) {
		if at := ptxStatement.FindAllIndex(text, statements); len(at) == statements {
			say(at[0][0], "PTX statements")
		}
	}
}
