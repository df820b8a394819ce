package matrix

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/zclconf/go-cty/cty/function"
)

// SchemaFormat names the JSON form that WriteSchema writes. It changes when a
// field is removed or changes its meaning; new fields may appear under one
// name.
const SchemaFormat = "kmx.schema/1"

type jsonAttribute struct {
	Name     string `json:"name"`
	Reads    string `json:"reads"`
	Required bool   `json:"required,omitempty"`
	Doc      string `json:"doc"`
}

type jsonBlock struct {
	Name       string          `json:"name"`
	Label      string          `json:"label,omitempty"`
	Single     bool            `json:"single,omitempty"`
	Free       bool            `json:"free,omitempty"` // any attribute name
	Doc        string          `json:"doc"`
	Attributes []jsonAttribute `json:"attributes"`
	Blocks     []jsonBlock     `json:"blocks"`
}

type jsonFunction struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
}

type jsonSchema struct {
	Format     string          `json:"format"`
	Edition    int             `json:"edition"`
	Attributes []jsonAttribute `json:"attributes"`
	Blocks     []jsonBlock     `json:"blocks"`
	Functions  []jsonFunction  `json:"functions"`
}

// WriteSchema writes every block, attribute and function of the language, as
// text or as one JSON object of format kmx.schema/1.
//
// What an attribute may read is "literal" (nothing: it is read as written),
// "once" (var and local) or "cell" (target, axes, rows, let and other
// attributes as well).
func WriteSchema(w io.Writer, asJSON bool) error {
	if asJSON {
		top := schema.describe()
		out := jsonSchema{SchemaFormat, edition, top.Attributes, top.Blocks, nil}
		for _, name := range functionNames {
			out.Functions = append(out.Functions, jsonFunction{name, signature(name, functions[name])})
		}
		return writeJSON(w, out)
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "edition %d of the language\n\n", edition)
	fmt.Fprintln(b, "An attribute is literal (read as written), evaluated once (may read var and")
	fmt.Fprintln(b, "local), or for each cell (may read target, axes, rows, let and attributes too).")
	fmt.Fprintln(b)
	schema.write(b, "")
	fmt.Fprintf(b, "\nfunctions\n")
	for _, name := range functionNames {
		fmt.Fprintf(b, "  %s\n", signature(name, functions[name]))
	}
	return b.Flush()
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func (r reads) String() string {
	switch r {
	case readsOnce:
		return "once"
	case readsCell:
		return "cell"
	}
	return "literal"
}

func (b *blockSpec) describe() jsonBlock {
	out := jsonBlock{b.name, b.label, b.single, b.free, b.doc, []jsonAttribute{}, []jsonBlock{}}
	for _, a := range b.attrs {
		out.Attributes = append(out.Attributes, jsonAttribute{a.name, a.reads.String(), a.required, a.doc})
	}
	for _, s := range b.blocks {
		out.Blocks = append(out.Blocks, s.describe())
	}
	return out
}

// freeReads is what the named values of a free block may read.
func freeReads(b *blockSpec) reads {
	if b.name == "locals" {
		return readsOnce
	}
	return readsCell
}

func (b *blockSpec) write(w io.Writer, indent string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, a := range b.attrs {
		doc := a.doc
		if a.required {
			doc = strings.TrimSuffix("required; "+doc, "; ")
		}
		fmt.Fprintf(t, "%s%s\t%s\t%s\n", indent, a.name, a.reads, doc)
	}
	if b.free {
		fmt.Fprintf(t, "%sNAME\t%s\tany number of them\n", indent, freeReads(b))
	}
	t.Flush()
	for _, s := range b.blocks {
		head := s.name
		if s.label != "" {
			head += fmt.Sprintf(" %q", strings.ToUpper(s.label))
		}
		if s.single {
			head += " (one)"
		}
		if indent == "" {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s%s: %s\n", indent, head, s.doc)
		s.write(w, indent+"  ")
	}
}

// signature is a function with the names of its parameters.
func signature(name string, f function.Function) string {
	var params []string
	for _, p := range f.Params() {
		params = append(params, p.Name)
	}
	if p := f.VarParam(); p != nil {
		params = append(params, p.Name+"...")
	}
	return name + "(" + strings.Join(params, ", ") + ")"
}
