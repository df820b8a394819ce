package matrix

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kmx/internal/diag"
)

// Limits that keep a hostile or generated file from exhausting the stack or
// the memory; a real matrix is far from all of them.
const (
	maxFile  = 8 << 20 // bytes
	maxDepth = 100     // nested brackets
	maxRun   = 100     // prefix operators in a row
)

// parse reads the project's file as a tree that fits the schema. Never nil.
func (l *loader) parse(name string, data []byte) *node { return l.parseFile(name, data, false) }

func (l *loader) parseFile(name string, data []byte, included bool) *node {
	root := &node{spec: schema, attrs: map[string]*attr{}, head: diag.Range{File: name}, included: included}
	if len(data) > maxFile {
		l.broken = true
		l.errorf(root.head, "the file is larger than %d MiB", maxFile>>20)
		return root
	}
	if at, what := tooDeep(name, data); what != "" {
		l.broken = true
		l.errorf(at, "%s", what)
		return root
	}
	file, diags := hclsyntax.ParseConfig(data, name, hcl.InitialPos)
	if onlyTwice(diags) {
		for _, d := range diags {
			l.d.lossy = true
			l.add(twice(d, data))
		}
		if body, ok := file.Body.(*hclsyntax.Body); ok {
			l.decode(root, body)
		}
		return root
	}
	l.broken, l.d.lossy = true, true
	l.inChunks(root, name, data)
	return root
}

// chunk is a top-level item, by the line it starts at.
type chunk struct {
	file        string
	start, end  int // bytes
	line        int
	kind, label string
}

var topLevel = regexp.MustCompile(
	`(?m)^([A-Za-z_][A-Za-z0-9_-]*)[ \t]*(?:=|"([^"\r\n]*)"[ \t]*\{?|'([^'\r\n]*)'[ \t]*\{?|([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\{|\{)`)

// chunks cuts a file where a line starts with an item that looks like one of
// the top level.
func chunks(name string, data []byte) []chunk {
	out := []chunk{{file: name, line: 1}}
	for _, at := range topLevel.FindAllSubmatchIndex(data, -1) {
		c := chunk{file: name, start: at[0], line: 1 + bytes.Count(data[:at[0]], []byte("\n")), kind: string(data[at[2]:at[3]])}
		for label := 4; label < len(at); label += 2 {
			if at[label] >= 0 {
				c.label = string(data[at[label]:at[label+1]])
			}
		}
		isAttr := data[at[1]-1] == '='
		if isAttr && schema.attr(c.kind) == nil || !isAttr && schema.block(c.kind) == nil && inner(schema, c.kind) {
			continue // it may stand inside a block, in a file without indentation
		}
		out = append(out, c)
	}
	for i := range out {
		out[i].end = len(data)
		if i+1 < len(out) {
			out[i].end = out[i+1].start
		}
	}
	return out
}

// inner reports whether a block of that name stands only inside others.
func inner(b *blockSpec, name string) bool {
	return slices.ContainsFunc(b.blocks, func(s *blockSpec) bool { return s.block(name) != nil || inner(s, name) })
}

// inChunks reads a file with syntax errors item by item, so that an error
// costs one item and not the rest of the file.
func (l *loader) inChunks(root *node, name string, data []byte) {
	var bodies []*hclsyntax.Body
	before := len(l.problems.broken)
	for _, c := range chunks(name, data) {
		if c.start == c.end {
			continue
		}
		file, diags := hclsyntax.ParseConfig(data[c.start:c.end], name, hcl.Pos{Line: c.line, Column: 1, Byte: c.start})
		if diags.HasErrors() {
			l.syntaxErrors(diags, data, data[c.start:c.end], name, hcl.Pos{Line: c.line, Column: 1, Byte: c.start})
			if !onlyTwice(diags) {
				l.problems.broken = append(l.problems.broken, c)
			}
		}
		if file == nil {
			continue
		}
		if body, ok := file.Body.(*hclsyntax.Body); ok {
			bodies = append(bodies, body)
		}
	}
	for _, body := range bodies {
		l.decode(root, body)
	}
	if len(l.problems.broken) == before {
		// Every item is right by itself, the whole is not.
		_, diags := hclsyntax.ParseConfig(data, name, hcl.InitialPos)
		l.syntaxErrors(diags, data, data, name, hcl.InitialPos)
	}
}

// firstError is the error that lies first in the file.
func firstError(diags hcl.Diagnostics) *hcl.Diagnostic {
	var first *hcl.Diagnostic
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		if first == nil || d.Subject != nil && first.Subject != nil && d.Subject.Start.Byte < first.Subject.Start.Byte {
			first = d
		}
	}
	return first
}

// tooDeep finds nesting that a recursive reader should not follow, and number
// literals whose digits would fill the memory.
func tooDeep(name string, data []byte) (diag.Range, string) {
	tokens, _ := hclsyntax.LexConfig(data, name, hcl.InitialPos)
	depth, run := 0, 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen,
			hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl, hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen,
			hclsyntax.TokenTemplateSeqEnd, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
			depth = max(0, depth-1)
		case hclsyntax.TokenNumberLit:
			text := strings.ToLower(string(t.Bytes))
			_, exponent, _ := strings.Cut(text, "e")
			if len(text) > 100 || len(strings.TrimLeft(exponent, "+-0")) > 3 {
				return toRange(t.Range), "number out of range"
			}
		}
		switch t.Type {
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenQuestion:
			run++
		case hclsyntax.TokenNewline, hclsyntax.TokenComma:
			run = 0
		}
		if depth > maxDepth {
			return toRange(t.Range), "brackets are nested too deeply"
		}
		if run > maxRun {
			return toRange(t.Range), "too many operators in one expression"
		}
	}
	return diag.Range{}, ""
}
