package plan

import (
	"slices"
	"strings"
)

// A word is an argument of a driver command as people think of it: an option
// together with its operand, a definition, a file.
type word struct {
	sort wordSort
	name string // what stays when the value changes: "-O", "-std=", "X" of -DX=1
	text string // as on the command line: "-mllvm -x"
	at   int    // index of its first argument
	size int    // arguments
}

type wordSort int

const (
	flagWord wordSort = iota
	defineWord
	includeWord
	fileWord // no option: the source
)

// operands are the options whose value is the next argument.
var operands = []string{
	"-x", "-o", "-MF", "-MT", "-MQ", "-include", "-imacros", "-isystem", "-iquote", "-idirafter",
	"-mllvm", "-Xclang", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-target", "-D", "-I", "-U", "-L",
}

// prefixes are options whose value follows without a mark between.
var prefixes = []string{"-O", "-ftemplate-depth-", "-g"}

// words splits arguments into words; each argument belongs to one. An argument
// that is no option is a file where isFile says so.
func words(args []string, isFile func(string) bool) []word {
	var out []word
	for i := 0; i < len(args); {
		w := word{text: args[i], at: i, size: 1}
		if i+1 < len(args) && slices.Contains(operands, args[i]) {
			w.size = 2
			w.text += " " + args[i+1]
		}
		w.classify(args[i:i+w.size], isFile)
		out = append(out, w)
		i += w.size
	}
	return out
}

func (w *word) classify(args []string, isFile func(string) bool) {
	first, last := args[0], args[len(args)-1]
	switch {
	case strings.HasPrefix(first, "-D"):
		w.sort = defineWord
		w.name, _, _ = strings.Cut(strings.TrimPrefix(strings.Join(args, ""), "-D"), "=")
	case strings.HasPrefix(first, "-I"):
		w.sort, w.name = includeWord, strings.TrimPrefix(strings.Join(args, ""), "-I")
	case isFile(first):
		w.sort = fileWord
	case len(args) == 2:
		w.name = first + " " + untilValue(last)
		if first == "-x" || first == "-o" || strings.HasPrefix(first, "-M") {
			w.name = first
		}
	default:
		w.name = untilValue(first)
	}
}

// untilValue is the part of an option that names it.
func untilValue(text string) string {
	if i := strings.IndexByte(text, '='); i >= 0 {
		return text[:i+1]
	}
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) && len(text) <= len(p)+1 {
			return p
		}
	}
	return text
}

// value is what of the word its name leaves open.
func (w word) value() string {
	switch w.sort {
	case defineWord:
		text := strings.TrimPrefix(strings.TrimPrefix(w.text, "-D"), " ")
		_, value, ok := strings.Cut(text, "=")
		if !ok {
			return "1"
		}
		return value
	case includeWord:
		return w.name
	}
	return w.text
}

// say names the word in a sentence.
func (w word) say() string {
	switch w.sort {
	case defineWord:
		if !strings.Contains(w.text, "=") {
			return "flag " + w.text // as a list of flags has it
		}
		return "define " + w.name + " = " + w.value()
	case includeWord:
		return "include directory " + w.name
	case fileWord:
		return "source " + w.text
	}
	return "flag " + w.text
}

// An edit is one way in which two lists of words differ.
type edit struct {
	how    how
	before word // not of added
	after  word // not of removed
}

type how int

const (
	added how = iota
	removed
	changed
	moved
)

// edits lists how to come from one list of words to another: what came, then
// what is gone. What both have in the same order stays.
func edits(before, after []word) []edit {
	gone, came := uncommon(before, after)
	// take removes from gone the first word that fits.
	take := func(fits func(word) bool) (word, bool) {
		i := slices.IndexFunc(gone, fits)
		if i < 0 {
			return word{}, false
		}
		w := gone[i]
		gone = slices.Delete(gone, i, i+1)
		return w, true
	}
	var out []edit
	for _, w := range came {
		e := edit{how: moved, after: w}
		var ok bool
		if e.before, ok = take(func(g word) bool { return g.text == w.text }); !ok {
			e.how = changed
			if e.before, ok = take(func(g word) bool { return g.sort == w.sort && g.name == w.name }); !ok {
				e.how = added
			}
		}
		out = append(out, e)
	}
	for _, w := range gone {
		out = append(out, edit{how: removed, before: w})
	}
	return out
}

// uncommon gives what is left of two lists when their longest common
// subsequence is taken out.
func uncommon(a, b []word) (gone, came []word) {
	for len(a) > 0 && len(b) > 0 && a[0].text == b[0].text {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].text == b[len(b)-1].text {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].text == b[j].text {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i].text == b[j].text:
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			gone = append(gone, a[i])
			i++
		default:
			came = append(came, b[j])
			j++
		}
	}
	return append(gone, a[i:]...), append(came, b[j:]...)
}
