package flow

import (
	"fmt"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/release"
)

// tryOrigin is what blame and explain call the origin of a flag on trial.
const tryOrigin = "-cflags"

// A trial is compiler flags that somebody tries on the cells of one command:
// the value of -cflags, split as a shell does. They act after everything that
// the matrix says. What they make is developer output, kept apart from what is
// built as declared; a release takes no trial.
type trial []string

// readTrial splits the value of -cflags and refuses what would not leave one
// object for the declared GPU.
func readTrial(text string) (trial, error) {
	words, err := shellSplit(text)
	if err != nil {
		return nil, diag.Failf(diag.Usage, "write -cflags='-DX=1 -O2'", "-cflags: %v", err)
	}
	for i, w := range words {
		operand := i > 0 && slices.Contains(takesOperand, words[i-1])
		switch {
		case operand:
		case slices.Contains(takesOperand, w) && i+1 == len(words):
			return nil, diag.Failf(diag.Usage, "", "-cflags: %s needs a word after it", w)
		case !strings.HasPrefix(w, "-") || w == "-":
			return nil, diag.Failf(diag.Usage, "write -cflags='-DX=1 -O2'", "-cflags: %q is no flag", w)
		case slices.ContainsFunc(fixedFlags, func(f string) bool { return strings.HasPrefix(w, f) }) ||
			slices.Contains([]string{"-c", "-S", "-E", "-MD", "-MF", "-MT", "-M", "-MM", "-fsyntax-only"}, w):
			return nil, diag.Failf(diag.Usage, "flags that change how the code is compiled can be tried",
				"-cflags: %s is not to be tried, kmx decides what is built for which GPU, and where it goes", w)
		}
	}
	return words, nil
}

// takesOperand are the flags whose value may be the next word.
var takesOperand = []string{"-D", "-U", "-I", "-include", "-imacros", "-mllvm", "-Xclang", "-Xlinker", "-Xassembler", "-Xpreprocessor"}

// fixedFlags begin the flags that say what is built, not how.
var fixedFlags = []string{"-o", "-x", "--offload", "-save-temps", "--save-temps", "--cuda", "--rocm-path", "-emit-"}

// cells gives copies of cells with the flags. Definitions replace declared ones
// of the same name, include directories are looked into after the declared.
func (t trial) cells(cells []*matrix.Cell) []*matrix.Cell {
	if len(t) == 0 {
		return cells
	}
	tried := make([]*matrix.Cell, len(cells))
	for i, c := range cells {
		tried[i] = t.cell(c)
	}
	return tried
}

// cell gives a copy of a cell with the flags, on its source and on its helpers:
// whatever a compiler reads of it.
func (t trial) cell(declared *matrix.Cell) *matrix.Cell {
	c := t.source(declared)
	c.Bitcode = slices.Clone(c.Bitcode)
	for i, b := range c.Bitcode {
		h := t.source(&matrix.Cell{Flags: b.Flags, Defines: b.Defines, Include: b.Include})
		c.Bitcode[i].Flags, c.Bitcode[i].Defines, c.Bitcode[i].Include = h.Flags, h.Defines, h.Include
	}
	return c
}

func (t trial) source(declared *matrix.Cell) *matrix.Cell {
	c := *declared
	c.Flags, c.Defines, c.Include = slices.Clone(c.Flags), slices.Clone(c.Defines), slices.Clone(c.Include)
	from := matrix.Origin{What: tryOrigin}
	flag := func(words ...string) {
		for _, w := range words {
			c.Flags = append(c.Flags, matrix.Token{Text: w, From: from})
		}
	}
	undefine := func(name string) {
		c.Defines = slices.DeleteFunc(c.Defines, func(d matrix.Define) bool { return d.Name == name })
	}
	for i := 0; i < len(t); i++ {
		w := t[i]
		more := ""
		if slices.Contains(takesOperand, w) {
			i++
			more = t[i]
		}
		switch {
		case strings.HasPrefix(w, "-D"):
			name, value, ok := strings.Cut(w[2:]+more, "=")
			if !ok {
				value = "1"
			}
			undefine(name)
			c.Defines = append(c.Defines, matrix.Define{Name: name, Value: value, From: from})
		case strings.HasPrefix(w, "-U"):
			undefine(w[2:] + more)
			flag("-U" + w[2:] + more)
		case strings.HasPrefix(w, "-I"):
			c.Include = append(c.Include, matrix.Token{Text: w[2:] + more, From: from})
		case more != "":
			flag(w, more)
		default:
			flag(w)
		}
	}
	return &c
}

func (t trial) String() string {
	words := make([]string, len(t))
	for i, w := range t {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

// folder is where in dist/dev the objects of this trial go: no folder of
// another trial, and none of what is built as declared.
func (t trial) folder() string {
	return "cflags-" + cache.Sum(fmt.Appendf(nil, "%q", []string(t))).String()[:8]
}

// mark makes plans ones of developer output, in folders of their own.
func (t trial) mark(plans []release.SetPlan) []release.SetPlan {
	if len(t) == 0 {
		return plans
	}
	for i := range plans {
		plans[i].Path = t.folder() + "/" + plans[i].Path
		why := "built with " + tryOrigin + "=" + shellWord(t.String())
		if plans[i].Developer != "" {
			why += "; " + plans[i].Developer
		}
		plans[i].Developer = why
	}
	return plans
}

// shellSplit splits text into words as a POSIX shell does, without expansions.
func shellSplit(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	escaped := false
	for _, c := range text {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case strings.ContainsRune(" \t\r\n", c):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("a quotation in %q does not end", text)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
