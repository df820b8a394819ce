package matrix

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kmx/internal/diag"
)

const redefined = "Attribute redefined"

// onlyTwice reports whether all that HCL finds wrong is attributes that are
// set twice: the rest of the file can then be read.
func onlyTwice(diags hcl.Diagnostics) bool {
	return !slices.ContainsFunc(diags, func(d *hcl.Diagnostic) bool {
		return d.Severity == hcl.DiagError && d.Summary != redefined
	})
}

// syntaxErrors reports what is wrong with a piece of a file: every attribute
// that is set twice, and of other errors the first, since those after it
// mostly follow from it.
func (l *loader) syntaxErrors(diags hcl.Diagnostics, whole, piece []byte, name string, at hcl.Pos) {
	var rest hcl.Diagnostics
	for _, d := range diags {
		if d.Summary == redefined {
			l.add(twice(d, whole))
		} else if d.Severity == hcl.DiagError {
			rest = append(rest, d)
		}
	}
	if d := firstError(rest); d != nil {
		tokens, _ := hclsyntax.LexConfig(piece, name, at)
		l.add(syntaxError(d, tokens, at.Byte+len(piece) < len(whole)))
	}
}

var earlier = regexp.MustCompile(`^The argument "(.*)" was already set at .*:(\d+),(\d+)-(\d+)\.`)

// twice is an attribute that is set twice, with the first place.
func twice(d *hcl.Diagnostic, data []byte) diag.Message {
	m := fromHCL(d)
	found := earlier.FindStringSubmatch(d.Detail)
	if found == nil {
		return m
	}
	m.Summary, m.Detail = found[1]+" is set twice in one block", ""
	m.Hint = "take one of them out"
	line, _ := strconv.Atoi(found[2])
	column, _ := strconv.Atoi(found[3])
	end, _ := strconv.Atoi(found[4])
	first := diag.Range{File: m.Where.File, Start: diag.Pos{Line: line, Column: column}, End: diag.Pos{Line: line, Column: end}}
	first.Start.Byte = lineStart(data, line) + column - 1 // only blanks and letters of names stand before it
	first.End.Byte = first.Start.Byte + end - column
	m.Notes = []diag.Note{{Where: first, Text: "the first one is here"}}
	return m
}

func lineStart(data []byte, line int) int {
	at := 0
	for range line - 1 {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return at
}

// syntaxError puts what HCL finds wrong into our words. HCL's own stay as the
// detail where there are none that say more. followed says that the file goes
// on after the tokens.
func syntaxError(d *hcl.Diagnostic, tokens hclsyntax.Tokens, followed bool) diag.Message {
	m := fromHCL(d)
	if d.Subject == nil {
		return m
	}
	i := slices.IndexFunc(tokens, func(t hclsyntax.Token) bool { return t.Range.Start.Byte >= d.Subject.Start.Byte })
	if i < 0 {
		i = len(tokens) - 1
	}
	if q := slices.IndexFunc(tokens, func(t hclsyntax.Token) bool { return t.Type == hclsyntax.TokenApostrophe }); q >= 0 && q <= i+1 {
		return apostrophe(tokens, q)
	}
	switch {
	case d.Summary == "Invalid multi-line string":
		return openString(m, tokens, i)
	case slices.Contains(lexical, d.Summary):
		return m
	case tokens[i].Type == hclsyntax.TokenEqual && d.Summary == "Invalid block definition":
		m.Summary, m.Detail, m.Hint = "a block takes no =", "", `write BLOCK "NAME" { ... }`
		return m
	case i > 0 && tokens[i].Type == hclsyntax.TokenEqual && endsValue[tokens[i-1].Type]:
		m.Where, m.Summary = toRange(tokens[i].Range), "= gives an attribute its value; here it stands inside one"
		m.Detail, m.Hint = "", "did you mean ==?"
		return m
	}
	if im := imbalanced(tokens); im != nil && im.explains(d) {
		if im.open != nil && im.before == (hcl.Range{}) && followed {
			im.before = tokens[len(tokens)-1].Range // the next item
		}
		return im.message()
	}
	if w, ok := syntaxWords[d.Summary]; ok {
		m.Summary, m.Hint = w.summary, w.hint
	}
	if before := lineBefore(tokens, i); before != nil && strings.HasPrefix(m.Summary, "a comma is missing") {
		m.Where, m.Hint = toRange(before.Range), "write a comma after this"
	}
	if word := string(tokens[i].Bytes); wordOperators[word] != "" {
		m.Where, m.Summary = toRange(tokens[i].Range), word+" is no operator"
		m.Detail, m.Hint = "", "write "+wordOperators[word]
	}
	return m
}

// lineBefore is the last token before token i, when that lies on an earlier
// line; nil when it does not.
func lineBefore(tokens hclsyntax.Tokens, i int) *hclsyntax.Token {
	for j := i - 1; j >= 0; j-- {
		if typ := tokens[j].Type; typ == hclsyntax.TokenNewline || typ == hclsyntax.TokenComment {
			continue
		}
		if tokens[j].Range.Start.Line == tokens[i].Range.Start.Line {
			return nil
		}
		return &tokens[j]
	}
	return nil
}

// explains reports whether the brackets can be why HCL finds d.
func (im *imbalance) explains(d *hcl.Diagnostic) bool {
	if strings.Contains(d.Summary, "interpolation") {
		return false // its brace is what is missing
	}
	at := im.extra
	if im.open != nil {
		at = im.open.at
	}
	return at.Start.Byte <= d.Subject.Start.Byte || strings.HasPrefix(d.Summary, "Unclosed") || strings.HasPrefix(d.Summary, "Unterminated")
}

// lexical is what HCL finds in the letters themselves, and says well.
var lexical = []string{"Invalid character", "Invalid character encoding", "Unsupported operator", "Invalid escape sequence"}

// endsValue is the tokens that a value can end with.
var endsValue = map[hclsyntax.TokenType]bool{
	hclsyntax.TokenIdent: true, hclsyntax.TokenNumberLit: true, hclsyntax.TokenCQuote: true,
	hclsyntax.TokenCBrack: true, hclsyntax.TokenCParen: true, hclsyntax.TokenCBrace: true,
}

var wordOperators = map[string]string{"and": "&&", "or": "||", "not": "!"}

// syntaxWords is our words for what HCL says, by its summary.
var syntaxWords = map[string]struct{ summary, hint string }{
	"Missing newline after argument":                  {"something follows the value on this line", "write each attribute on a line of its own"},
	"Missing newline after block definition":          {"something follows the block on this line", "write it on a line of its own"},
	"Missing item separator":                          {"a comma is missing between two elements", "write a comma before this"},
	"Missing attribute separator":                     {"a comma is missing between two entries", "write a comma before this"},
	"Missing argument separator":                      {"a comma is missing between two arguments", "write a comma before this"},
	"Missing attribute value":                         {"an entry of an object has no value", "write NAME = value"},
	"Missing key/value separator":                     {"an entry of an object has no value", "write NAME = value"},
	"Missing expression":                              {"a value is missing here", ""},
	"Invalid expression":                              {"a value is missing here", ""},
	"Missing false expression in conditional":         {"a conditional has no second branch", "write CONDITION ? VALUE : OTHER"},
	"Argument or block definition required":           {"this is neither an attribute nor a block", `write NAME = value, or BLOCK "NAME" { ... }`},
	"Argument definition required":                    {"this is no attribute", "write NAME = value"},
	"Invalid block definition":                        {"a block has no { on its line", `write BLOCK "NAME" {, with the brace on the same line`},
	"Invalid single-argument block definition":        {"a block on one line can hold one attribute", "write each attribute on a line of its own, and } on the last"},
	"Invalid argument name":                           {"the name of an attribute has no quotes", "write NAME = value"},
	"Unbalanced parentheses":                          {"a parenthesis is not closed before this", ""},
	"Extra characters after interpolation expression": {"${ ... } in a string is not closed before this", `write $${ for the letters ${`},
	"Unclosed template interpolation sequence":        {"${ in a string is not closed", "add } after the expression"},
	"Unterminated template string":                    {"a string is not closed", ""},
}

// apostrophe is a text in single quotes.
func apostrophe(tokens hclsyntax.Tokens, q int) diag.Message {
	m := diag.Message{
		Where:   toRange(tokens[q].Range),
		Summary: "strings and names of blocks stand in double quotes",
		Hint:    `write "..."`,
	}
	var text strings.Builder
	end := tokens[q].Range.End.Byte
	for _, t := range tokens[q+1:] {
		if t.Range.Start.Line != tokens[q].Range.Start.Line || t.Type == hclsyntax.TokenNewline {
			return m
		}
		if t.Type == hclsyntax.TokenApostrophe {
			m.Where.End = toRange(t.Range).End
			m.Hint = `write "` + text.String() + strings.Repeat(" ", t.Range.Start.Byte-end) + `"`
			return m
		}
		text.WriteString(strings.Repeat(" ", t.Range.Start.Byte-end) + string(t.Bytes))
		end = t.Range.End.Byte
	}
	return m
}

// openString is a string that is not closed on its line.
func openString(m diag.Message, tokens hclsyntax.Tokens, i int) diag.Message {
	m.Summary, m.Detail, m.Hint = "a string is not closed on its line", "", `add " at its end`
	for ; i >= 0 && i < len(tokens); i-- {
		if tokens[i].Type == hclsyntax.TokenOQuote {
			m.Where = toRange(tokens[i].Range)
			break
		}
	}
	return m
}
