package matrix

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kmx/internal/diag"
)

// bracket is an opening bracket of a file.
type bracket struct {
	typ    hclsyntax.TokenType
	at     hcl.Range
	indent int       // of the line it stands in
	head   hcl.Range // of the block it opens; zero: it opens an object, a list or a call
	title  string    // of that block: "kernel a"
}

// imbalance is where the brackets of a text go wrong: one that is probably not
// closed, or one that closes nothing.
type imbalance struct {
	open   *bracket
	before hcl.Range // where it should have been closed; zero: at the end
	extra  hcl.Range // closes nothing, when open is nil
}

var closes = map[hclsyntax.TokenType]hclsyntax.TokenType{
	hclsyntax.TokenCBrace: hclsyntax.TokenOBrace,
	hclsyntax.TokenCBrack: hclsyntax.TokenOBrack,
	hclsyntax.TokenCParen: hclsyntax.TokenOParen,
}

var closer = map[hclsyntax.TokenType]string{
	hclsyntax.TokenOBrace: "}", hclsyntax.TokenOBrack: "]", hclsyntax.TokenOParen: ")",
}

// imbalanced looks for the bracket that is not closed; nil when the brackets
// are balanced. A parser only knows that one is missing and blames the
// outermost; people indent what they mean to be inside, so the first line that
// stands too far to the left shows which one.
func imbalanced(tokens hclsyntax.Tokens) *imbalance {
	var stack []*bracket
	var suspect, surplus *imbalance
	line, indent, quoted := 0, 0, 0
	for i, t := range tokens {
		first := false
		switch t.Type {
		case hclsyntax.TokenNewline, hclsyntax.TokenComment, hclsyntax.TokenEOF:
			continue
		case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
			quoted++
		case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
			quoted = max(0, quoted-1)
		}
		if t.Range.Start.Line != line {
			line, first = t.Range.Start.Line, quoted == 0 || t.Type == hclsyntax.TokenOQuote
			if first {
				indent = t.Range.Start.Column
			}
		}
		want, isCloser := closes[t.Type]
		if first && !isCloser && len(stack) > 0 && suspect == nil && indent <= stack[len(stack)-1].indent {
			suspect = &imbalance{open: stack[len(stack)-1], before: t.Range}
		}
		if _, opens := closer[t.Type]; opens {
			b := &bracket{typ: t.Type, at: t.Range, indent: indent}
			b.heading(tokens[:i])
			stack = append(stack, b)
		}
		if !isCloser {
			continue
		}
		top := len(stack) - 1
		switch {
		case top < 0 || stack[top].typ != want && !opened(stack, want):
			if surplus == nil {
				surplus = &imbalance{extra: t.Range}
			}
			return surplus
		case stack[top].typ != want && suspect != nil && suspect.open == stack[top]:
			return suspect
		case stack[top].typ != want:
			return &imbalance{open: stack[top], before: t.Range}
		case first && indent < stack[top].indent && suspect == nil:
			suspect = &imbalance{open: stack[top], before: t.Range}
		case first && indent > stack[top].indent && surplus == nil:
			surplus = &imbalance{extra: t.Range}
		}
		stack = stack[:top]
	}
	switch {
	case len(stack) == 0:
		return nil
	case suspect != nil:
		return suspect
	}
	return &imbalance{open: stack[len(stack)-1]}
}

func opened(stack []*bracket, typ hclsyntax.TokenType) bool {
	for _, b := range stack {
		if b.typ == typ {
			return true
		}
	}
	return false
}

// heading finds the block's type and name before its brace, on its line.
func (b *bracket) heading(before hclsyntax.Tokens) {
	if b.typ != hclsyntax.TokenOBrace {
		return
	}
	from := len(before)
	for from > 0 && before[from-1].Range.Start.Line == b.at.Start.Line && before[from-1].Type != hclsyntax.TokenNewline {
		switch before[from-1].Type {
		case hclsyntax.TokenIdent, hclsyntax.TokenOQuote, hclsyntax.TokenQuotedLit, hclsyntax.TokenCQuote:
		default:
			return
		}
		from--
	}
	if from == len(before) || before[from].Type != hclsyntax.TokenIdent {
		return
	}
	b.head = hcl.RangeBetween(before[from].Range, before[len(before)-1].Range)
	var words []string
	for _, t := range before[from:] {
		if t.Type == hclsyntax.TokenIdent || t.Type == hclsyntax.TokenQuotedLit {
			words = append(words, string(t.Bytes))
		}
	}
	b.title = strings.Join(words, " ")
}

// message says what is wrong with the brackets.
func (im *imbalance) message() diag.Message {
	if im.open == nil {
		return diag.Message{
			Where:   toRange(im.extra),
			Summary: "this bracket closes nothing",
			Hint:    "take it out, or look for one too many before it",
		}
	}
	m := diag.Message{Where: toRange(im.open.at), Summary: "this bracket is not closed"}
	if im.open.title != "" {
		m.Where, m.Summary = toRange(im.open.head), im.open.title+" is not closed"
	}
	m.Hint = "add " + closer[im.open.typ] + " where it ends"
	if im.before != (hcl.Range{}) {
		m.Hint = "add " + closer[im.open.typ] + " before that"
		m.Notes = []diag.Note{{Where: toRange(im.before), Text: "this seems to stand after it"}}
	}
	return m
}
