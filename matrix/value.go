package matrix

import (
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// ref is the value of axis.x, toolchain.x and library.x.
type ref struct{ kind, name string }

var refType = cty.Capsule("reference", reflect.TypeFor[ref]())

// refs is the object of all declarations of a kind, by name.
func refs(kind string, names []string) cty.Value {
	if len(names) == 0 {
		return cty.EmptyObjectVal
	}
	m := map[string]cty.Value{}
	for _, n := range names {
		m[n] = cty.CapsuleVal(refType, &ref{kind, n})
	}
	return cty.ObjectVal(m)
}

func asRef(v cty.Value) (*ref, bool) {
	if v.Type() != refType || v.IsNull() || !v.IsKnown() {
		return nil, false
	}
	r, ok := v.EncapsulatedValue().(*ref)
	return r, ok
}

// attributeNames is the sorted attribute names of an object or keys of a map.
func attributeNames(v cty.Value) []string {
	var names []string
	if v.Type().IsObjectType() {
		for n := range v.Type().AttributeTypes() {
			names = append(names, n)
		}
	} else if v.Type().IsMapType() && v.IsKnown() && !v.IsNull() {
		for n := range v.AsValueMap() {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// text is a string, number or boolean as it stands in a command line; ok is
// false for anything else.
func text(v cty.Value) (string, bool) {
	if v.IsNull() || !v.IsKnown() {
		return "", false
	}
	switch v.Type() {
	case cty.String:
		return v.AsString(), true
	case cty.Bool:
		return strconv.FormatBool(v.True()), true
	case cty.Number:
		// cty's conversion looks for the shortest decimal, which is slow.
		if n, accuracy := v.AsBigFloat().Int64(); accuracy == big.Exact && v.AsBigFloat().IsInt() {
			return strconv.FormatInt(n, 10), true
		}
		s, err := convert.Convert(v, cty.String)
		if err != nil {
			return "", false
		}
		return s.AsString(), true
	}
	return "", false
}

// show is a value as it would be written in the file, on one line.
func show(v cty.Value) string {
	var b strings.Builder
	showTo(&b, v)
	return b.String()
}

func showTo(b *strings.Builder, v cty.Value) {
	switch {
	case v == cty.NilVal || !v.IsKnown():
		b.WriteString("?")
	case v.IsNull():
		b.WriteString("null")
	case v.Type() == cty.String:
		b.WriteString(strconv.Quote(v.AsString()))
	case v.Type().IsPrimitiveType():
		s, _ := text(v)
		b.WriteString(s)
	case v.Type() == refType:
		if r, ok := asRef(v); ok {
			b.WriteString(r.kind + "." + r.name)
		}
	case v.Type().IsObjectType() || v.Type().IsMapType():
		m := v.AsValueMap()
		b.WriteString("{")
		for i, n := range attributeNames(v) {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(" " + n + " = ")
			showTo(b, m[n])
		}
		b.WriteString(" }")
	case v.CanIterateElements():
		b.WriteString("[")
		for i, e := range v.AsValueSlice() {
			if i > 0 {
				b.WriteString(", ")
			}
			showTo(b, e)
		}
		b.WriteString("]")
	default:
		b.WriteString(kindOf(v))
	}
}

// kindOf is what a value is, for people: "a number", "a list".
func kindOf(v cty.Value) string {
	switch t := v.Type(); {
	case v.IsNull():
		return "null"
	case t == cty.String:
		return "a string"
	case t == cty.Number:
		return "a number"
	case t == cty.Bool:
		return "a boolean"
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		return "a list"
	case t.IsObjectType() || t.IsMapType():
		return "an object"
	case t == refType:
		if r, ok := asRef(v); ok {
			return r.kind + "." + r.name
		}
	}
	return "something else"
}

func isList(v cty.Value) bool {
	t := v.Type()
	return !v.IsNull() && (t.IsTupleType() || t.IsListType() || t.IsSetType())
}

func isObject(v cty.Value) bool {
	t := v.Type()
	return !v.IsNull() && (t.IsObjectType() || t.IsMapType())
}

// tuple and object avoid cty's panics on empty input.
func tuple(vs []cty.Value) cty.Value {
	if len(vs) == 0 {
		return cty.EmptyTupleVal
	}
	return cty.TupleVal(vs)
}

func object(m map[string]cty.Value) cty.Value {
	if len(m) == 0 {
		return cty.EmptyObjectVal
	}
	return cty.ObjectVal(m)
}

// isName reports whether s can be part of an address and of a path.
func isName(s string) bool {
	for i, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != ""
}

// isIdentifier reports whether s can name a C symbol.
func isIdentifier(s string) bool { return isName(s) && !strings.ContainsAny(s, "-.") }

// isValueText reports whether an axis value can stand in an address.
func isValueText(s string) bool { return s == "" || isName("x"+s) }
