package matrix

import (
	"bytes"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"kmx/internal/diag"
)

// maxPasses bounds the search for a form that formatting leaves alone.
const maxPasses = 8

// Format gives the canonical form of a matrix file: HCL's indentation, spaces
// and alignment; comments with #; lines end with a newline and no spaces; at
// most one empty line in a row, none at the start or the end of a file or
// inside a bracket's first and last line.
//
// Formatting twice is formatting once, and the result has the tokens of src:
// only white space and the marks of comments differ. A file with syntax errors
// comes back as it is, with every error; name is what they call it.
func Format(name string, src []byte) ([]byte, diag.List) {
	if l := syntax(name, src); l.HasErrors() {
		return src, l
	}
	out := src
	for range maxPasses {
		next := hclwrite.Format(tidy(name, out))
		if bytes.Equal(next, out) {
			return out, nil
		}
		if !sameTokens(name, src, next) {
			break
		}
		out = next
	}
	return src, diag.List{{
		Summary: "the file cannot be formatted without changing what it says",
		Where:   diag.Range{File: name},
		Hint:    "format it by hand, and report the file",
	}}
}

// syntax is every syntax error of a file: the first of each top-level item.
func syntax(name string, src []byte) diag.List {
	ps := newProblems()
	if len(src) > maxFile {
		ps.errorf(diag.Range{File: name}, "the file is larger than %d MiB", maxFile>>20)
		return ps.messages()
	}
	if at, what := tooDeep(name, src); what != "" {
		ps.errorf(at, "%s", what)
		return ps.messages()
	}
	_, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	if !diags.HasErrors() {
		return nil
	}
	for _, c := range chunks(name, src) {
		_, in := hclsyntax.ParseConfig(src[c.start:c.end], name, hcl.Pos{Line: c.line, Column: 1, Byte: c.start})
		if in.HasErrors() {
			ps.add(fromHCL(firstError(in)))
		}
	}
	if !ps.hasErrors() {
		ps.add(fromHCL(firstError(diags)))
	}
	return ps.messages()
}

// tidy does what HCL's formatter leaves: line ends, empty lines, comments.
func tidy(name string, src []byte) []byte {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	var out []byte
	end := 0          // of the token before, in src
	atStart := true   // of a line
	empty := false    // an empty line is due
	afterOpen := true // nothing but an opening bracket or the file's start before
	closing := func(t hclsyntax.Token) bool {
		switch t.Type {
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenEOF:
			return true
		}
		return false
	}
	for _, t := range tokens {
		gap := src[end:t.Range.Start.Byte]
		end = t.Range.End.Byte
		if t.Type == hclsyntax.TokenNewline {
			if atStart {
				empty = true
			} else {
				out = append(out, '\n')
				atStart = true
			}
			continue
		}
		if empty && !afterOpen && !closing(t) {
			out = append(out, '\n')
		}
		empty = false
		if t.Type == hclsyntax.TokenEOF {
			break
		}
		text, ends := t.Bytes, false
		if t.Type == hclsyntax.TokenComment {
			text, ends = comment(t.Bytes)
		}
		if !atStart {
			out = append(out, gap...)
		}
		out = append(out, text...)
		atStart = ends
		if ends {
			out = append(out, '\n')
		}
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
			afterOpen = true
		case hclsyntax.TokenOHeredoc:
			atStart, afterOpen = false, false
		default:
			afterOpen = false
		}
	}
	if !atStart {
		out = append(out, '\n')
	}
	return out
}

// comment is a comment in canonical form, without the newline that a comment
// to the end of the line holds.
func comment(text []byte) (_ []byte, toEnd bool) {
	if bytes.HasPrefix(text, []byte("/*")) {
		lines := bytes.Split(text, []byte("\n"))
		for i := range lines {
			lines[i] = bytes.TrimRight(lines[i], " \t\r")
		}
		return bytes.Join(lines, []byte("\n")), false
	}
	text = bytes.TrimRight(text, " \t\r\n")
	if rest, ok := bytes.CutPrefix(text, []byte("//")); ok {
		text = append([]byte("#"), rest...)
	}
	return text, true
}

// sameTokens reports whether two files say the same: their tokens are equal,
// where a run of newlines counts as one and comments are compared as
// canonical.
func sameTokens(name string, a, b []byte) bool {
	x, y := significant(name, a), significant(name, b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

func significant(name string, src []byte) []string {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	var out []string
	newline := true
	add := func(what string) { out, newline = append(out, what), false }
	for _, t := range tokens {
		ends := t.Type == hclsyntax.TokenNewline
		switch t.Type {
		case hclsyntax.TokenNewline, hclsyntax.TokenEOF:
		case hclsyntax.TokenComment:
			var text []byte
			text, ends = comment(t.Bytes)
			add("# " + string(text))
		default:
			add(fmt.Sprintf("%d %s", t.Type, t.Bytes))
		}
		if (ends || t.Type == hclsyntax.TokenEOF) && !newline {
			out, newline = append(out, "\n"), true
		}
	}
	return out
}
