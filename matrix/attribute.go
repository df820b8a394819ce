package matrix

import (
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"slices"
	"strconv"

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

// definition is a define as merged; absent ones keep the place in the order.
type definition struct {
	Define
	absent bool
	value  cty.Value
}

// defines is an object attribute of definitions. whenFalse is the text of
// false; "" means that false is absent.
func (f *frame) defines(b *bound, whenFalse string) []definition {
	if !f.ready(b) {
		return nil
	}
	var out []definition
	for _, p := range f.pairs(b, b.x.node) {
		d := definition{Define: Define{Name: p.key, From: b.origin(p)}, value: p.value}
		if !isIdentifier(p.key) {
			f.fail(b, diag.Message{Where: p.where, Summary: fmt.Sprintf("%q cannot be the name of a definition", p.key)}).
				hint("a name has letters, digits and _ and starts with no digit")
			continue
		}
		if !p.value.IsKnown() {
			continue
		}
		switch {
		case p.value.IsNull():
			d.absent = true
		case p.value.Type() == cty.Bool && p.value.True():
			d.Value = "1"
		case p.value.Type() == cty.Bool:
			d.Value, d.absent = whenFalse, whenFalse == ""
		default:
			s, ok := text(p.value)
			if !ok {
				f.fail(b, diag.Message{Where: p.where, Summary: fmt.Sprintf("%s must be true, false, null, a number or a string, not %s", p.key, kindOf(p.value))})
				continue
			}
			d.Value = s
		}
		out = append(out, d)
	}
	return out
}

// counts is an object attribute of numbers and words; null is absent.
func (f *frame) counts(b *bound) []definition {
	if !f.ready(b) {
		return nil
	}
	var out []definition
	for _, p := range f.pairs(b, b.x.node) {
		d := definition{Define: Define{Name: p.key, From: b.origin(p)}, value: p.value}
		n, whole := unsigned(p.value, math.MaxInt32)
		switch {
		case !p.value.IsKnown():
			continue
		case !isName(p.key):
			f.fail(b, diag.Message{Where: p.where, Summary: fmt.Sprintf("%q cannot be the name of a count", p.key)}).
				hint("use letters, digits, ., - and _")
			continue
		case p.value.IsNull():
			d.absent = true
		case whole:
			d.Value = strconv.FormatUint(n, 10)
		case p.value.Type() == cty.String && isName(p.value.AsString()):
			d.Value = p.value.AsString()
		default:
			f.fail(b, diag.Message{Where: p.where, Summary: fmt.Sprintf("%s must be a whole number from 0 up or a word, not %s", p.key, show(p.value))})
			continue
		}
		out = append(out, d)
	}
	return out
}

// mergeDefinitions lets later ones win, each at the place of the first.
func mergeDefinitions(into, from []definition) []definition {
next:
	for _, d := range from {
		for i := range into {
			if into[i].Name == d.Name {
				into[i] = d
				continue next
			}
		}
		into = append(into, d)
	}
	return into
}

func present(ds []definition) []Define {
	var out []Define
	for _, d := range ds {
		if !d.absent {
			out = append(out, d.Define)
		}
	}
	return out
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

// field is the field of the limits with that name; nil when there is none.
func (l *Limits) field(name string) **int {
	switch name {
	case "vgprs":
		return &l.VGPRs
	case "sgprs":
		return &l.SGPRs
	case "spills":
		return &l.Spills
	case "scratch":
		return &l.Scratch
	case "lds":
		return &l.LDS
	}
	return nil
}

// bounds is the limits with their places.
type bounds struct {
	Limits
	list []Limit
}

// limit sets one limit; null takes it away.
func (f *frame) limit(b *bound, into *bounds, p piece) {
	if !p.value.IsKnown() {
		return
	}
	field := into.field(p.key)
	if field == nil {
		f.fail(b, diag.Message{Where: p.where, Summary: "there is no limit " + p.key}).didYouMean(p.key, limitNames())
		return
	}
	at := slices.IndexFunc(into.list, func(l Limit) bool { return l.Name == p.key })
	if p.value.IsNull() {
		*field = nil
		if at >= 0 {
			into.list = slices.Delete(into.list, at, at+1)
		}
		return
	}
	n, ok := unsigned(p.value, math.MaxInt32)
	if !ok {
		f.fail(b, diag.Message{Where: p.where, Summary: fmt.Sprintf("%s must be a whole number from 0 up, not %s", p.key, show(p.value))})
		return
	}
	i := int(n)
	*field = &i
	l := Limit{p.key, i, b.origin(p)}
	if at >= 0 {
		into.list[at] = l
	} else {
		into.list = append(into.list, l)
	}
}

func limitNames() []string {
	var names []string
	for _, a := range limitAttrs {
		names = append(names, a.name)
	}
	return names
}
