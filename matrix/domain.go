package matrix

import (
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// kind is a sort of values that are never equal to those of another sort.
type kind string

const (
	anyKind    kind = "" // not known
	stringKind kind = "a string"
	numberKind kind = "a number"
	boolKind   kind = "a boolean"
	tupleKind  kind = "a list"  // as written
	listKind   kind = "a list " // of one type: of a variable
	objectKind kind = "an object"
)

func (k kind) words() string { return strings.TrimSpace(string(k)) }

// domain is what is known of an expression's value before anything is
// evaluated. The zero domain says nothing.
type domain struct {
	kind   kind
	values []cty.Value // every value that it can have; nil: not known
	elem   *domain     // what its elements can be; nil: not known
	fixed  bool        // it is one value of the file, in every run

	name  string                   // as it is read: "numerics", "layer.id"; "" when it has none
	noun  string                   // what its values are; "": its values
	never func(word string) string // says that it is never that value
	other func(word string) string // a hint for a value that belongs somewhere else
}

func boolDomain() *domain {
	return &domain{kind: boolKind, values: []cty.Value{cty.False, cty.True}}
}

// called is the domain under a name that messages may use.
func (d *domain) called(name string, never func(word string) string) *domain {
	out := *d
	out.name, out.never = name, never
	if never == nil {
		out.never = func(word string) string { return name + " is never " + word }
	}
	return &out
}

func sortOf(t cty.Type) kind {
	switch {
	case t == cty.String:
		return stringKind
	case t == cty.Number:
		return numberKind
	case t == cty.Bool:
		return boolKind
	case t.IsTupleType():
		return tupleKind
	case t.IsListType():
		return listKind
	case t.IsObjectType():
		return objectKind
	}
	return anyKind
}

// valueDomain is the domain of one value.
func valueDomain(v cty.Value) *domain {
	if v == cty.NilVal || !v.IsWhollyKnown() {
		return &domain{}
	}
	d := &domain{kind: sortOf(v.Type()), values: []cty.Value{v}}
	if v.IsNull() {
		d.kind = anyKind
	} else if d.kind == tupleKind {
		d.elem = valuesDomain(v.AsValueSlice())
	}
	return d
}

// valuesDomain is the domain of what is one of several values.
func valuesDomain(vs []cty.Value) *domain {
	if len(vs) == 0 {
		return &domain{}
	}
	out := &domain{kind: sortOf(vs[0].Type())}
	seen := map[string]bool{}
	var elems []cty.Value
	for _, v := range vs {
		d := valueDomain(v)
		if d.values == nil {
			return &domain{}
		}
		if d.kind != out.kind {
			out.kind = anyKind
		}
		if key := show(v); !seen[key] {
			seen[key] = true
			out.values = append(out.values, v)
		}
		if d.kind == tupleKind {
			elems = append(elems, v.AsValueSlice()...)
		}
	}
	if out.kind == tupleKind {
		out.elem = valuesDomain(elems)
	}
	return out
}

// or is the domain of what is in either.
func (d *domain) or(e *domain) *domain {
	out := &domain{kind: d.kind}
	if d.kind != e.kind {
		out.kind = anyKind
	}
	if d.values != nil && e.values != nil {
		out.values = append(d.values[:len(d.values):len(d.values)], e.values...)
	}
	if d.elem != nil && e.elem != nil {
		out.elem = d.elem.or(e.elem)
	}
	return out
}

// mayEqual reports whether a value of each can be equal. null can be meant
// to be compared with anything.
func (d *domain) mayEqual(e *domain) bool {
	const most = 1 << 16
	switch {
	case d.values != nil && e.values != nil:
		if len(d.values)*len(e.values) > most {
			return true
		}
		for _, v := range d.values {
			for _, w := range e.values {
				if d.fixed && v.IsNull() || e.fixed && w.IsNull() || v.RawEquals(w) {
					return true
				}
			}
		}
		return false
	case d.values != nil:
		return e.mayEqual(d)
	case e.values != nil:
		for _, v := range e.values {
			if v.IsNull() || d.kind == anyKind || sortOf(v.Type()) == d.kind {
				return true
			}
		}
		return false
	}
	return d.kind == anyKind || e.kind == anyKind || d.kind == e.kind
}

// texts is the values as they are named in messages.
func (d *domain) texts() []string {
	var out []string
	seen := map[string]bool{}
	for _, v := range d.values {
		if word := wordOf(v); !seen[word] {
			seen[word] = true
			out = append(out, word)
		}
	}
	return out
}

// wordOf is a value as it is named in a sentence.
func wordOf(v cty.Value) string {
	if s, ok := text(v); ok && s != "" {
		if !isName("x" + s) {
			return strconv.Quote(s)
		}
		return s
	}
	return show(v)
}

func (d *domain) has(word string) bool {
	for _, v := range d.values {
		if s, ok := text(v); ok && s == word {
			return true
		}
	}
	return false
}

// listed joins values for a message, not too many of them.
func (d *domain) listed(join func([]string) string) string {
	texts := d.texts()
	if len(texts) > 12 {
		return shorten(texts, 12)
	}
	return join(texts)
}
