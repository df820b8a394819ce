package matrix

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// maxFiles bounds the files of a matrix.
const maxFiles = 1000

// includes reads the files that the project's file includes, and those that
// they include, and puts their blocks where the attribute stands. True when
// one of them is of a later edition.
func (l *loader) includes(root *node, name, file string) (later bool) {
	in := &includer{loader: l, folder: filepath.Dir(file), first: map[string]diag.Range{name: {File: name}}}
	in.file(root, name)
	return in.later
}

// includer is one walk over the files of a matrix.
type includer struct {
	*loader
	folder string                // of the project's file, as given to Load
	first  map[string]diag.Range // where a file was first named
	stack  []string              // the files being read
	later  bool
}

func (in *includer) file(n *node, name string) {
	in.stack = append(in.stack, name)
	defer func() { in.stack = in.stack[:len(in.stack)-1] }()
	a := n.attrs["include"]
	if a == nil {
		return
	}
	list, ok := a.expr.(*hclsyntax.TupleConsExpr)
	if !ok {
		in.d.lossy = true
		in.errorf(a.where(), "include must be a list as written").hint(`write include = ["FILE.hcl", ...]`)
		return
	}
	var blocks []*node
	for _, x := range list.Exprs {
		if more := in.include(x, name); more != nil {
			blocks = append(blocks, more.blocks...)
		}
		if in.later {
			return
		}
	}
	at := slices.IndexFunc(n.blocks, func(b *node) bool { return b.head.Start.Byte > a.at.Start.Byte })
	if at < 0 {
		at = len(n.blocks)
	}
	n.blocks = slices.Insert(n.blocks, at, blocks...)
	in.single(n, n.blocks)
}

// include reads one file that the file called from names; nil when it cannot.
func (in *includer) include(x hclsyntax.Expression, from string) *node {
	where := toRange(x.Range())
	given, ok := literalText(x)
	if !ok {
		in.errorf(where, "the name of a file must be written out").hint("include is read before variables have values")
		in.d.lossy = true
		return nil
	}
	name := path.Join(path.Dir(from), given)
	wrong := func(format string, args ...any) *problem {
		in.d.lossy = true
		return in.errorf(where, format, args...)
	}
	switch {
	case given == "" || strings.Contains(given, `\`) || path.IsAbs(given):
		wrong("this is no file of the project: %q", given).hint("write it relative to %s, with /", from)
		return nil
	case !fs.ValidPath(name) || name == ".":
		wrong("%s lies outside the project", given).hint("an included file lies in the project's folder or below it")
		return nil
	case slices.Contains(in.stack, name):
		ring := append(slices.Clone(in.stack[slices.Index(in.stack, name):]), name)
		wrong("%s includes itself: %s", name, strings.Join(ring, " -> ")).hint("take one of the includes out")
		return nil
	}
	if first, twice := in.first[name]; twice {
		wrong("%s is included twice", name).note(first, "the first time is here")
		return nil
	}
	if len(in.first) >= maxFiles {
		wrong("the matrix has more than %d files", maxFiles)
		return nil
	}
	in.first[name] = where
	data, err := in.o.ReadFile(filepath.Join(in.folder, filepath.FromSlash(name)))
	if err != nil {
		in.broken = true // what is not found may be in that file
		p := wrong("%s cannot be read: %s", name, reason(err))
		p.hint("it is looked for relative to %s", from)
		in.problems.broken = append(in.problems.broken, chunk{file: name})
		return nil
	}
	in.m.Files = append(in.m.Files, File{name, data})
	n := in.parseFile(name, data, true)
	if in.edition(n, name) {
		in.later = true
		return nil
	}
	in.file(n, name)
	return n
}

// reason is an error of reading a file, without the file's name.
func reason(err error) string {
	if pe, ok := err.(*fs.PathError); ok {
		err = pe.Err
	}
	if os.IsNotExist(err) {
		return "it does not exist"
	}
	return err.Error()
}

// single reports a second block of a kind of which there is one, in another
// file.
func (in *includer) single(n *node, blocks []*node) {
	first := map[*blockSpec]*node{}
	for _, b := range blocks {
		if !b.spec.single {
			continue
		}
		if f := first[b.spec]; f != nil && f.head.File != b.head.File {
			in.errorf(b.head, "there is a second %s block", b.spec.name).note(f.head, "the first one is here")
		} else if f == nil {
			first[b.spec] = b
		}
	}
}

// literalText is a string that is written out.
func literalText(x hclsyntax.Expression) (string, bool) {
	v, diags := x.Value(nil)
	if diags.HasErrors() || !v.IsWhollyKnown() || v.IsNull() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}
