package plan

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kmx/internal/diag"
	"kmx/matrix"
)

// Origins tells which variables the places of a matrix read, so that a token
// that came in through one is told by its name and where its value came from.
// Its methods may not be called from several goroutines.
type Origins struct {
	m     *matrix.Matrix
	known map[diag.Range][]*matrix.Variable
}

// NewOrigins prepares to answer for m, which may be nil: then nothing is known.
func NewOrigins(m *matrix.Matrix) *Origins {
	return &Origins{m: m, known: map[diag.Range][]*matrix.Variable{}}
}

// Variables are those that the expression at an origin names itself, in its
// order. One that it reads by way of a local or a let is not among them.
func (o *Origins) Variables(from matrix.Origin) []*matrix.Variable {
	if o == nil || o.m == nil || from.Range.IsZero() {
		return nil
	}
	found, ok := o.known[from.Range]
	if !ok {
		for _, name := range variableNames(cut(o.m.Source(from.Range.File), from.Range)) {
			if v := o.variable(name); v != nil && !slices.Contains(found, v) {
				found = append(found, v)
			}
		}
		o.known[from.Range] = found
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

func cut(text []byte, r diag.Range) []byte {
	from, to := r.Start.Byte, r.End.Byte
	if from < 0 || to > len(text) || from >= to {
		return nil
	}
	return text[from:to]
}

// variableNames lists the x of every var.x in a piece of a matrix: an
// expression, or an entry of an object.
func variableNames(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	e, problems := hclsyntax.ParseExpression(text, "", hcl.InitialPos)
	if problems.HasErrors() {
		e, problems = hclsyntax.ParseExpression(slices.Concat([]byte("{"), text, []byte("}")), "", hcl.InitialPos)
	}
	if problems.HasErrors() {
		return nil
	}
	var names []string
	for _, t := range e.Variables() {
		if t.RootName() != "var" || len(t) < 2 {
			continue
		}
		if step, ok := t[1].(hcl.TraverseAttr); ok {
			names = append(names, step.Name)
		}
	}
	return names
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
	if from.Range.IsZero() {
		return from.What
	}
	return fmt.Sprint(from.Range)
}
