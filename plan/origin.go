package plan

import (
	"fmt"
	"strings"

	"kmx/matrix"
)

// Origins tells which variables the places of a matrix read, so that a token
// that came in through one is told by its name and where its value came from.
type Origins struct{ m *matrix.Matrix }

// NewOrigins prepares to answer for m, which may be nil: then nothing is known.
func NewOrigins(m *matrix.Matrix) *Origins {
	return &Origins{m}
}

// Variables are those that the place at an origin and the conditions around it
// name. One that is read by way of a local or a let is not among them.
func (o *Origins) Variables(from matrix.Origin) []*matrix.Variable {
	if o == nil || o.m == nil {
		return nil
	}
	var found []*matrix.Variable
	for _, name := range from.Reads {
		if name, ok := strings.CutPrefix(name, "var."); ok {
			if v := o.variable(name); v != nil {
				found = append(found, v)
			}
		}
	}
	return found
}

func (o *Origins) variable(name string) *matrix.Variable {
	for i := range o.m.Variables {
		if o.m.Variables[i].Name == name {
			return &o.m.Variables[i]
		}
	}
	return nil
}

// Given is where the value of a variable came from, for people: "env NAME",
// "-vars", "default".
func Given(v *matrix.Variable) string {
	if v.Origin == "-var" {
		return "-vars"
	}
	return v.Origin
}

// Say is an origin for people: the variable that brought it in, or the place,
// or what kmx itself adds it for.
func (o *Origins) Say(from matrix.Origin) string {
	for _, v := range o.Variables(from) {
		if v.Differs {
			return Given(v)
		}
	}
	switch {
	case from.Range.IsZero():
		return from.What
	case from.Adjust != "":
		return fmt.Sprintf("%s, adjust %q", from.Range, from.Adjust)
	}
	return from.Range.String()
}
