package plan

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/internal/hcldiag"
)

// ProofsName is the file of the map of equal objects.
const ProofsName = "fold.lock.hcl"

const (
	proofsEdition = 1
	proofsHint    = "the file is written by mage fold:prove"
)

// Text is the file.
func (p *Proofs) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Cells whose objects are the same but for the name of their GPU: all of them were compiled and compared.\n"+
		"# object: the bytes without that name. cells: what each proof depends on, flags, sources and compiler.\n"+
		"# Written by: go tool mage fold:prove\nedition = %d\n", proofsEdition)
	quote := func(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }
	for _, c := range p.Compilers {
		fmt.Fprintf(&b, "\ncompiler %s {\n  core = \"blake3:%s\"\n", quote(c.Version), c.Core)
		for _, e := range c.Equal {
			fmt.Fprintf(&b, "\n  equal %s {\n    object = \"blake3:%s\"\n    cells = {\n", quote(e.Kernel), e.Object)
			width := 0
			for point := range e.Cells {
				width = max(width, len(quote(point)))
			}
			for _, point := range slices.Sorted(maps.Keys(e.Cells)) {
				fmt.Fprintf(&b, "      %-*s = \"blake3:%s\"\n", width, quote(point), e.Cells[point])
			}
			b.WriteString("    }\n  }\n")
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

// Write puts the file in its place.
func (p *Proofs) Write(path string) error { return durable.WriteFile(path, p.Text(), 0o644) }

type proofsFile struct {
	Edition   int             `hcl:"edition"`
	Compilers []compilerBlock `hcl:"compiler,block"`
}

type compilerBlock struct {
	Version string       `hcl:"version,label"`
	Core    string       `hcl:"core"`
	Equal   []equalBlock `hcl:"equal,block"`
	Body    hcl.Range    `hcl:",def_range"`
}

type equalBlock struct {
	Kernel string            `hcl:"kernel,label"`
	Object string            `hcl:"object"`
	Cells  map[string]string `hcl:"cells"`
	Body   hcl.Range         `hcl:",def_range"`
}

// ReadProofs reads the map. A file that is not there proves nothing: an empty
// map. Messages name the file without its folder.
func ReadProofs(path string) (*Proofs, diag.List) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return &Proofs{}, nil
	}
	if err != nil {
		return nil, diag.List{{Summary: "the map of equal objects cannot be read", Detail: err.Error()}}
	}
	return parseProofs(data, filepath.Base(path))
}

func parseProofs(data []byte, name string) (*Proofs, diag.List) {
	r := &proofsReader{name: name}
	file, problems := hclsyntax.ParseConfig(data, name, hcl.InitialPos)
	var in proofsFile
	if r.failed(problems) || r.failed(gohcl.DecodeBody(file.Body, nil, &in)) {
		return nil, r.list
	}
	if in.Edition != proofsEdition {
		r.bad(hcl.Range{Filename: name}, "%s has edition %d; this version of kmx reads edition %d", name, in.Edition, proofsEdition)
		return nil, r.list
	}
	p := &Proofs{}
	seen := map[cache.Digest]bool{}
	for _, b := range in.Compilers {
		c := CompilerProofs{Version: b.Version, Core: r.digest(b.Core, b.Body, "core")}
		if slices.ContainsFunc(p.Compilers, func(o CompilerProofs) bool { return o.Core == c.Core }) {
			r.bad(b.Body, "compiler %q stands here twice", b.Version)
		}
		for _, e := range b.Equal {
			c.Equal = append(c.Equal, r.equal(e, seen))
		}
		p.Compilers = append(p.Compilers, c)
	}
	if r.list.HasErrors() {
		return nil, r.list
	}
	return p, nil
}

type proofsReader struct {
	name string
	list diag.List
}

// equal reads a block; seen are the premises of all blocks before it, and of
// other objects.
func (r *proofsReader) equal(b equalBlock, seen map[cache.Digest]bool) Equal {
	e := Equal{Kernel: b.Kernel, Object: r.digest(b.Object, b.Body, "object"), Cells: map[string]cache.Digest{}}
	if strings.Count(b.Kernel, "/") != 1 || strings.Contains(b.Kernel, "@") {
		r.bad(b.Body, "%q is not FAMILY/KERNEL", b.Kernel)
	}
	if len(b.Cells) < 2 {
		r.bad(b.Body, "equal %q has %d cells: one alone is equal to nothing", b.Kernel, len(b.Cells))
	}
	for _, point := range slices.Sorted(maps.Keys(b.Cells)) {
		d := r.digest(b.Cells[point], b.Body, point)
		if seen[d] {
			r.bad(b.Body, "%s@%s depends on what another block has an object for", b.Kernel, point)
		}
		e.Cells[point] = d
	}
	for _, d := range e.Cells { // cells of one block may share their action
		seen[d] = true
	}
	return e
}

func (r *proofsReader) digest(text string, where hcl.Range, what string) cache.Digest {
	hex, ok := strings.CutPrefix(text, "blake3:")
	d, err := cache.ParseDigest(hex)
	if !ok || err != nil {
		r.bad(where, "%s must be blake3: and 64 hexadecimal digits, not %q", what, text)
	}
	return d
}

func (r *proofsReader) bad(where hcl.Range, format string, args ...any) {
	r.list = append(r.list, diag.Message{Summary: fmt.Sprintf(format, args...), Where: hcldiag.Range(where), Hint: proofsHint})
}

func (r *proofsReader) failed(problems hcl.Diagnostics) bool {
	for _, p := range problems {
		m := diag.Message{Summary: strings.ToLower(p.Summary[:min(1, len(p.Summary))]) + p.Summary[min(1, len(p.Summary)):], Detail: p.Detail, Hint: proofsHint}
		if p.Subject != nil {
			m.Where = hcldiag.Range(*p.Subject)
		}
		r.list = append(r.list, m)
	}
	return problems.HasErrors()
}
