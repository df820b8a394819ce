package matrix

import (
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

// parse reads a file as a tree that fits the schema. Never nil.
func (l *loader) parse(name string, data []byte) *node {
	root := &node{spec: schema, attrs: map[string]*attr{}, head: diag.Range{File: name}}
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
	for _, d := range diags {
		l.broken = l.broken || d.Severity == hcl.DiagError
		l.add(fromHCL(d))
	}
	if l.broken {
		l.d.lossy = true
	}
	if file == nil {
		return root
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		return root
	}
	l.decode(root, body)
	return root
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
