package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"kmx/amdgpu/codeobj"
	"kmx/internal/diag"
	"kmx/matrix"
)

// Problems finds what is wrong with the sources and targets that cells name,
// without a toolchain: a source or a header that is not there, a file named by
// a macro, a GPU nobody knows.
func Problems(cells []*matrix.Cell, s Source) diag.List {
	look := newInspection(s.Root, newTree(s.Root, s.Memo))
	for _, c := range cells {
		switch {
		case !isRecipe(c):
			look.inputs(c)
		default:
			for _, b := range c.Bitcode {
				look.inputs(bitcodeCell(c, b))
			}
		}
	}
	return look.list
}

// An inspection collects the inputs of cells and says each problem once.
type inspection struct {
	root   string
	tree   *tree
	list   diag.List
	said   map[string]bool
	ofPath map[string]reading // by sources and include path
}

func newInspection(root string, t *tree) *inspection {
	return &inspection{root: root, tree: t, said: map[string]bool{}, ofPath: map[string]reading{}}
}

func (i *inspection) say(m diag.Message) {
	if !i.said[m.Summary] {
		i.said[m.Summary] = true
		i.list = append(i.list, m)
	}
}

// inputs are the files that compiling cell c may read.
func (i *inspection) inputs(c *matrix.Cell) reading {
	if !codeobj.Known(c.Target.Name) {
		i.say(diag.Message{Severity: diag.Error, Summary: fmt.Sprintf("no GPU is called %s", c.Target.Name),
			Where: c.Target.Declared, Hint: diag.DidYouMean(c.Target.Name, codeobj.Targets())})
	}
	sources := append([]string{c.Source}, forcedInputs(c.Flags)...)
	include := texts(c.Include)
	id := fmt.Sprintf("%q %q", sources, include)
	read, known := i.ofPath[id]
	if !known {
		var problems []error
		read, problems = i.tree.inputs(sources, include)
		i.ofPath[id] = read
		for _, err := range problems {
			i.say(message(err, c, i.root))
		}
	}
	return read
}

// message puts a problem found while planning cell c into words.
func message(err error, c *matrix.Cell, root string) diag.Message {
	var inc *includeError
	if errors.As(err, &inc) {
		at := diag.Pos{Line: inc.Line, Column: 1}
		return diag.Message{Severity: diag.Error, Summary: inc.What, Hint: inc.Hint,
			Where: diag.Range{File: inc.File, Start: at, End: at}}
	}
	m := diag.Message{Severity: diag.Error, Summary: err.Error(), Where: c.SourceFrom.Range,
		Values: []diag.Value{{Name: "cell", Text: c.Address()}}}
	if errors.Is(err, fs.ErrNotExist) {
		m.Summary = fmt.Sprintf("the source %s does not exist", c.Source)
		m.Hint = diag.DidYouMean(path.Base(c.Source), siblings(root, c.Source))
	}
	return m
}

func siblings(root, name string) []string {
	found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(path.Dir(name)), "*"))
	for i, f := range found {
		found[i] = filepath.Base(f)
	}
	return found
}
