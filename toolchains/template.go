package toolchains

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// A shape is a command of a driver with placeholders, and what they stand for.
type shape struct {
	args           []string
	source, output string
	macros         []string // NAME=VALUE or NAME, in order
}

// template is the processes that the driver starts for the commands of one
// shape, with placeholders.
type template [][]string

// Placeholders for what differs between commands of one shape.
const (
	anyMacro  = "<KMX macro>"
	anySource = "<KMX source>"
	anyBase   = "<KMX source's name>" // without folders
	anyOutput = "<KMX output>"
	anyObject = "<KMX object>" // between front end and linker
	anyDir    = "<KMX dir>"    // where the command runs
)

// shapeOf takes a command apart. Commands that end otherwise than with source
// and output, or that make more than an object, are the driver's.
func shapeOf(args []string) (shape, bool) {
	n := len(args)
	if n < 3 || args[n-2] != "-o" || strings.HasPrefix(args[n-3], "-") || !slices.Contains(args, "-fuse-cuid=none") {
		return shape{}, false
	}
	s := shape{source: args[n-3], output: args[n-1]}
	for i, arg := range args {
		switch {
		case strings.Contains(arg, "<KMX"), strings.HasPrefix(arg, "-g") && arg != "-g0",
			strings.HasPrefix(arg, "-save-temps"), strings.HasPrefix(arg, "--save-temps"), strings.HasPrefix(arg, "@"), arg == "-D":
			return shape{}, false
		case i == n-3:
			arg = anySource + path.Ext(arg) // by which the driver knows a language
		case arg == s.output:
			arg = anyOutput + path.Ext(arg)
		case strings.HasPrefix(arg, "-D"):
			s.macros = append(s.macros, arg[2:])
			arg = anyMacro
		}
		s.args = append(s.args, arg)
	}
	return s, true
}

// parse reads what the driver has written down of a command: a front end and a
// linker, of this toolchain, with one object between them. Anything else gives
// nothing, and so does a word in which something of this very command may hide.
func (d *direct) parse(said []byte, s shape, dir string) template {
	var t template
	for line := range strings.Lines(string(said)) {
		if rest, ok := strings.CutPrefix(line, ` "`); ok {
			argv, ok := words(`"` + strings.TrimSpace(rest))
			if !ok || len(argv) < 2 || !filepath.IsAbs(argv[0]) || !d.owns(argv[0]) {
				return nil
			}
			t = append(t, argv)
		}
	}
	if len(t) != 2 || t[0][1] != "-cc1" || t[1][1] != "-flavor" {
		return nil
	}
	at := slices.Index(t[0], "-o")
	if at < 0 || at+1 == len(t[0]) || !slices.Contains(t[1], t[0][at+1]) || !filepath.IsAbs(t[0][at+1]) {
		return nil
	}
	object := t[0][at+1]
	var macros []string
	for _, argv := range t {
		for i := 2; i < len(argv); i++ {
			switch arg := argv[i]; {
			case argv[i-1] == "-D":
				macros = append(macros, arg)
				argv[i] = anyMacro
			case argv[i-1] == "-main-file-name" && arg == path.Base(s.source):
				argv[i] = anyBase
			case arg == s.source && i == len(argv)-1:
				argv[i] = anySource
			case arg == s.output:
				argv[i] = anyOutput
			case arg == s.output+"-" && argv[i-1] == "-dumpdir":
				argv[i] = anyOutput + "-"
			case arg == object:
				argv[i] = anyObject
			default:
				argv[i] = strings.ReplaceAll(arg, dir, anyDir)
				if own(argv[i], s) && !slices.Contains(s.args, arg) {
					return nil
				}
			}
		}
	}
	if !slices.Equal(macros, s.macros) {
		return nil
	}
	return t
}

// own tells whether a word of a front end or linker may come from the source's
// or the output's name: whether that stands in it by itself.
func own(word string, s shape) bool {
	for _, name := range []string{s.source, s.output} {
		base := path.Base(name)
		stem := strings.TrimSuffix(base, path.Ext(base))
		if slices.Contains(strings.FieldsFunc(word, notOfName), stem) || strings.Contains(word, base) {
			return true
		}
	}
	return false
}

func notOfName(r rune) bool {
	return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// words takes apart a line of quoted words.
func words(line string) (argv []string, ok bool) {
	var b strings.Builder
	inside := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			if inside {
				argv = append(argv, b.String())
				b.Reset()
			}
			inside = !inside
		case c == '\\' && inside && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case inside:
			b.WriteByte(c)
		case c != ' ':
			return nil, false
		}
	}
	return argv, !inside
}

// fill puts what the placeholders stand for in their places.
func (t template) fill(s shape, dir, object string) [][]string {
	macros := s.macros
	commands := make([][]string, len(t))
	for i, argv := range t {
		commands[i] = make([]string, len(argv))
		for j, arg := range argv {
			switch arg {
			case anyMacro:
				if len(macros) == 0 {
					return nil // of another shape
				}
				arg, macros = macros[0], macros[1:]
			case anyBase:
				arg = path.Base(s.source)
			case anySource:
				arg = s.source
			case anyOutput:
				arg = s.output
			case anyOutput + "-":
				arg = s.output + "-"
			case anyObject:
				arg = object
			default:
				arg = strings.ReplaceAll(arg, anyDir, dir)
			}
			commands[i][j] = arg
		}
	}
	if len(macros) > 0 {
		return nil
	}
	return commands
}
