package matrix

import (
	"fmt"
	"math"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

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
