package matrix

import (
	"fmt"
	"io/fs"
	"math"
	"math/big"

	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// The functions here turn what an attribute evaluates to into what a cell
// holds. Each reports what does not fit and leaves it out.

// tokens is a list attribute of strings.
func (f *frame) tokens(b *bound) []Token {
	if !f.ready(b) {
		return nil
	}
	var out []Token
	for _, p := range f.list(b, b.x.node) {
		if !p.value.IsKnown() {
			continue
		}
		if p.value.Type() != cty.String {
			f.fail(b, diag.Message{Where: p.where, Summary: "an element must be a string, not " + kindOf(p.value)}).
				hint(`write it as "%s"`, show(p.value))
			continue
		}
		s := p.value.AsString()
		if s == "" {
			f.fail(b, diag.Message{Where: p.where, Summary: "an element is an empty string"}).
				hint("use null for an element that is to be left out")
			continue
		}
		out = append(out, Token{s, b.origin(p)})
	}
	return out
}

// paths is a list attribute of paths inside the project.
func (f *frame) paths(b *bound) []Token {
	out := f.tokens(b)
	for _, t := range out {
		f.validPath(b, t.From.Range, t.Text)
	}
	return out
}

// path is a string attribute that is a path inside the project.
func (f *frame) path(b *bound) Token {
	path, ok := f.text(b)
	if ok && !f.validPath(b, b.x.where(), path) {
		path = ""
	}
	return Token{path, b.whole()}
}

// word is a string attribute that is a name.
func (f *frame) word(b *bound, what string) Token {
	word, ok := f.text(b)
	if ok && !isName(word) {
		f.fail(b, diag.Message{Summary: fmt.Sprintf("%q cannot be the name of a %s", word, what)}).
			hint("use letters, digits, ., - and _")
		word = ""
	}
	return Token{word, b.whole()}
}

func (f *frame) validPath(b *bound, where diag.Range, path string) bool {
	if fs.ValidPath(path) {
		return true
	}
	f.fail(b, diag.Message{Where: where, Summary: "this is no path inside the project", Detail: fmt.Sprintf("it is %q", path)}).
		hint("write it relative to the project's folder, with / and without .. or a trailing /")
	return false
}

// text is a string attribute; ok is false when it is null, unknown or wrong.
func (f *frame) text(b *bound) (string, bool) {
	v := f.whole(b)
	if !v.IsKnown() || v.IsNull() {
		return "", false
	}
	if v.Type() != cty.String {
		f.fail(b, diag.Message{Summary: "this must be a string, not " + kindOf(v)})
		return "", false
	}
	return v.AsString(), true
}

// boolean is a boolean attribute; null is otherwise.
func (f *frame) boolean(b *bound, otherwise bool) bool {
	v := f.whole(b)
	switch {
	case !v.IsKnown() || v.IsNull():
		return otherwise
	case v.Type() != cty.Bool:
		f.fail(b, diag.Message{Summary: "this must be true or false, not " + kindOf(v)})
		return otherwise
	}
	return v.True()
}

// hook is an object attribute of unsigned 32-bit numbers, null being absent.
func (f *frame) hook(b *bound, into []HookValue) []HookValue {
	if !f.ready(b) {
		return into
	}
	for _, p := range f.pairs(b, b.x.node) {
		if !p.value.IsKnown() {
			continue
		}
		if !isIdentifier(p.key) {
			f.fail(b, diag.Message{Where: p.where, Summary: fmt.Sprintf("%q cannot be the name of a hook value", p.key)})
			continue
		}
		at := -1
		for i := range into {
			if into[i].Name == p.key {
				at = i
			}
		}
		if p.value.IsNull() {
			if at >= 0 {
				into = append(into[:at], into[at+1:]...)
			}
			continue
		}
		n, ok := unsigned(p.value, math.MaxUint32)
		if !ok {
			f.fail(b, diag.Message{Where: p.where, Summary: fmt.Sprintf("%s must be a whole number from 0 to 4294967295, not %s", p.key, show(p.value))})
			continue
		}
		h := HookValue{p.key, uint32(n), b.origin(p)}
		if at >= 0 {
			into[at] = h
		} else {
			into = append(into, h)
		}
	}
	return into
}

// unsigned is a known whole number from 0 to top.
func unsigned(v cty.Value, top uint64) (uint64, bool) {
	if v.IsNull() || !v.IsKnown() || v.Type() != cty.Number {
		return 0, false
	}
	f := v.AsBigFloat()
	n, accuracy := f.Uint64()
	return n, f.IsInt() && accuracy == big.Exact && n <= top
}
