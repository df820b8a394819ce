package plan

import (
	"strings"

	"kmx/internal/diag"
	"kmx/matrix"
)

// outside finds the options of a cell that make the compiler read a file that
// is no input of its action: one named by its place on this machine, or one
// with further options. Not all such files are in the compiler's dependency
// list, so a change of one would go unnoticed.
func outside(c *matrix.Cell) diag.List {
	var list diag.List
	for _, t := range c.Flags {
		m := diag.Message{Severity: diag.Error, Where: t.From.Range,
			Values: []diag.Value{{Name: "cell", Text: c.Address()}, {Name: "flag", Text: t.Text}}}
		switch {
		case strings.HasPrefix(t.Text, "@"):
			m.Summary = "the flag " + t.Text + " takes options from a file, whose changes would go unnoticed"
			m.Hint = "write the options into the matrix"
		case machinePath(t.Text) != "":
			m.Summary = "the flag " + t.Text + " names a place of this machine, whose changes would go unnoticed"
			m.Hint = "put what lies there into the project and name it from the project's directory"
		default:
			continue
		}
		list = append(list, m)
	}
	return list
}

// joined are options whose path may follow without a space or an equals sign.
var joined = []string{"-I", "-L", "-B", "-F", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "-iprefix"}

// machinePath gives the absolute path that an option names, "" if it names
// none. A definition and a mapping of prefixes are text; nothing is read there.
func machinePath(flag string) string {
	if strings.HasPrefix(flag, "-D") || strings.HasPrefix(flag, "-U") {
		return ""
	}
	name, value, hasValue := strings.Cut(flag, "=")
	if hasValue && strings.HasSuffix(name, "-prefix-map") {
		return ""
	}
	parts := []string{flag}
	if hasValue {
		parts = append(parts, value)
	}
	for _, option := range joined {
		if rest, ok := strings.CutPrefix(flag, option); ok {
			parts = append(parts, rest)
		}
	}
	if strings.HasPrefix(flag, "-W") { // -Wl,-T,/a: handed on in pieces
		parts = append(parts, strings.Split(flag, ",")...)
	}
	for _, p := range parts {
		if absolute(p) {
			return p
		}
	}
	return ""
}

// absolute is filepath.IsAbs for the paths of every system: what a matrix says
// means the same everywhere.
func absolute(path string) bool {
	if len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\') {
		return path[0]|0x20 >= 'a' && path[0]|0x20 <= 'z'
	}
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`)
}
