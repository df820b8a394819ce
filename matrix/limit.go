package matrix

import (
	"fmt"
	"math"
	"slices"

	"kmx/internal/diag"
)

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
