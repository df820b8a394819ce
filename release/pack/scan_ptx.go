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
	ptxEntry   = regexp.MustCompile(`\.(?:entry|func)\s+(?:\([^)]*\)\s*)?[A-Za-z_$%][\w$]*\s*\(\s*\.param`)
	// A statement with a register of the names that compilers give.
	ptxStatement = regexp.MustCompile(`(?m)^[ \t]*(?:@!?%p\d+[ \t]+)?[a-z][a-z0-9]*(?:\.[a-z0-9_:]+)+[ \t]+[^;\n\x00]*%[a-z]{1,3}\d+[^;\n\x00]*;`)
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
	if bytes.Contains(s.data, []byte(".version")) {
		for _, at := range ptxVersion.FindAllIndex(s.data, -1) {
			if ptxTarget.Match(s.data[at[1]:min(at[1]+headReach, len(s.data))]) {
				s.say(at[0], "a PTX module")
			}
		}
	}
	if bytes.Contains(s.data, []byte(".param")) {
		if at := ptxEntry.FindIndex(s.data); at != nil {
			s.say(at[0], "a PTX function")
		}
	}
	if bytes.Contains(s.data, []byte("%r")) || bytes.Contains(s.data, []byte("%f")) || bytes.Contains(s.data, []byte("%p")) {
		if at := ptxStatement.FindAllIndex(s.data, statements); len(at) == statements {
			s.say(at[0][0], "PTX statements")
		}
	}
}
