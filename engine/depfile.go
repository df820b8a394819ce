package engine

import (
	"bytes"
	"errors"
	"fmt"
)

// parseDepfile reads the files listed in a depfile: rules in Makefile syntax as compilers write them with -MD.
//
//	target other\ target: first.hip second.h \
//	  third.h
//	third.h:
//
// A colon ends the targets when white space follows it, so that C:/x is a name. In names, "\ ", "\#" and "\:" stand
// for the character, "$$" for "$"; of the backslashes in front of an escaped blank, two stand for one; any other
// backslash is itself (Windows). A backslash at the end of a line continues it. A file may hold several rules, and
// rules without prerequisites (-MP). Names come in order of appearance, each once.
func parseDepfile(data []byte) ([]string, error) {
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("it holds a NUL byte")
	}
	var (
		names   []string
		seen    = map[string]bool{}
		targets int  // on this line so far
		inDeps  bool // past the colon of this line
		rules   int
		line    = 1
	)
	endLine := func() error {
		if targets > 0 && !inDeps {
			return fmt.Errorf("line %d has names but no colon", line)
		}
		targets, inDeps = 0, false
		return nil
	}
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c == '\n':
			if err := endLine(); err != nil {
				return nil, err
			}
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '#':
			for i < len(data) && data[i] != '\n' {
				i++
			}
		case continues(data[i:]) > 0:
			i += continues(data[i:])
			line++
		case c == ':' && !inDeps && targets > 0 && endsTargets(data[i:]):
			inDeps = true
			rules++
			i++
		default:
			name, n := depName(data[i:], !inDeps)
			i += n
			if !inDeps {
				targets++
			} else if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	if err := endLine(); err != nil {
		return nil, err
	}
	if rules == 0 {
		return nil, errors.New("it holds no rule")
	}
	return names, nil
}

// depName reads one name, at least one byte of it, and tells how many bytes it took.
func depName(data []byte, target bool) (name string, n int) {
	var b []byte
	for n < len(data) {
		c := data[n]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			return string(b), n
		case c == ':' && target && n > 0 && endsTargets(data[n:]):
			return string(b), n
		case c == '#' && n > 0:
			return string(b), n
		case c == '$' && n+1 < len(data) && data[n+1] == '$':
			b = append(b, '$')
			n += 2
		case c == '\\':
			if n > 0 && continues(data[n:]) > 0 {
				return string(b), n
			}
			run := 1
			for n+run < len(data) && data[n+run] == '\\' {
				run++
			}
			next := byte(0)
			if n+run < len(data) {
				next = data[n+run]
			}
			switch {
			case (next == ' ' || next == '\t') && run%2 == 1:
				b = append(append(b, bytes.Repeat([]byte{'\\'}, run/2)...), next)
				n += run + 1
			case next == '#' || next == ':' && run == 1 && !(target && endsTargets(data[n+run:])):
				b = append(append(b, bytes.Repeat([]byte{'\\'}, run-1)...), next)
				n += run + 1
			case continues(data[n+run-1:]) > 0 && run > 1:
				b = append(b, bytes.Repeat([]byte{'\\'}, run-1)...)
				n += run - 1
			default:
				b = append(b, bytes.Repeat([]byte{'\\'}, run)...)
				n += run
			}
		default:
			b = append(b, c)
			n++
		}
	}
	return string(b), n
}

// continues gives the length of a line continuation at the start of data, 0 when there is none.
func continues(data []byte) int {
	switch {
	case bytes.HasPrefix(data, []byte("\\\n")):
		return 2
	case bytes.HasPrefix(data, []byte("\\\r\n")):
		return 3
	}
	return 0
}

// endsTargets tells whether the colon at the start of data is followed by white space or by nothing.
func endsTargets(data []byte) bool {
	return len(data) == 1 || data[1] == ' ' || data[1] == '\t' || data[1] == '\n' || data[1] == '\r' ||
		continues(data[1:]) > 0
}
