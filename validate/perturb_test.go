package validate_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/internal/num"
	"kmx/matrix"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// TestEveryWeightFieldOfObjects changes one weight at a time in every field of the
// weights' tables and runs the object: an output changes, and to what the model
// says, unless the field is one that the layer ignores. By default one field in
// four of the kernels on gfx1201; KMX_TEST_ALL=1 tries two weights of every field
// of every kernel on gfx1101 and gfx1201, in every build.
func TestEveryWeightFieldOfObjects(t *testing.T) {
	for _, cell := range cells(t, "k+numerics=*,m+numerics=*+fp8=*") {
		fp8, _ := cell.Axis("fp8")
		switch {
		case brief(cell):
			continue
		case cell.Target.Name == "gfx1201" && options(cell).Mode != model.Exact && (cell.Family == "k" || fp8.Text == "true"):
		case everything() && (cell.Target.Name == "gfx1101" || cell.Target.Name == "gfx1201"):
		default:
			continue
		}
		l, err := layout.Find(cell.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(cell.Address(), func(t *testing.T) {
			t.Parallel()
			d := perturbed(t, cell, l)
			rng := rand.New(rand.NewPCG(17, uint64(l.C)))
			tried := 0
			for i, field := range l.Fields() {
				times := 2
				if !everything() {
					// A quarter, another one for each kernel, and always what only some layers have.
					part, _, _ := strings.Cut(field.Name, ".")
					many := strings.HasPrefix(part, "head") || strings.HasPrefix(part, "mlp")
					if times = 1; many && (i+len(cell.Kernel)+l.C)%4 != 0 {
						continue
					}
				}
				for range times {
					tried++
					d.try(layout.Weight{Field: field, Row: rng.IntN(field.Rows), Col: rng.IntN(field.Cols)})
				}
			}
			t.Logf("%d weights of %d fields", tried, len(l.Fields()))
		})
	}
}

// perturbation is an object with one launch of it, over one window.
type perturbation struct {
	*testing.T
	layer       layout.Layer
	cell        *matrix.Cell
	run         func(c model.Call) (out, merged []byte)
	call        model.Call
	out, merged []byte // before any change
}

func perturbed(t *testing.T, cell *matrix.Cell, l layout.Layer) *perturbation {
	p := load(t, compile(t, cell))
	d := &perturbation{T: t, layer: l, cell: cell}
	one := launch{Grid: layout.Grid{W: 8, H: 8}, seed: 12}
	if l.Family == layout.M {
		m := newMDevice(t, p, l)
		d.call = m.generated(one).Call
		d.run = func(c model.Call) (out, merged []byte) {
			m.key = 0 // other weights, perhaps at the same address
			got := mCall{Call: m.outputs(c)}
			m.run(got, emu.Launch{})
			return got.Out, got.Merged
		}
	} else {
		k := newKDevice(t, p, l)
		d.call = k.buffers(one)
		d.run = func(c model.Call) (out, merged []byte) {
			out, merged, _ = k.run(c, 0, true, emu.Launch{})
			return out, merged
		}
	}
	d.out, d.merged = d.run(d.call)
	return d
}

// try changes one weight.
func (d *perturbation) try(w layout.Weight) {
	d.Helper()
	c := d.call
	c.Weights = bytes.Clone(d.call.Weights)
	old := w.Field.Get(c.Weights, w.Row, w.Col).Float64()
	changed := old + d.layer.Nudge(w.Field)
	w.Field.Set(c.Weights, w.Row, w.Col, num.F16FromFloat64(changed))

	want := c
	want.Out, want.Merged = bytes.Clone(d.call.Out), bytes.Clone(d.call.Merged)
	if err := model.Apply(d.layer, want, options(d.cell)); err != nil {
		d.Fatal(err)
	}
	out, merged := d.run(c)
	if !bytes.Equal(out, want.Out) || !bytes.Equal(merged, want.Merged) {
		d.Errorf("%s from %v to %v: the outputs are not the model's", w.Name(), old, changed)
	}
	if same := bytes.Equal(out, d.out) && bytes.Equal(merged, d.merged); same != (w.Field.Role == layout.Ignored) {
		d.Errorf("%s from %v to %v: outputs are equal: %v", w.Name(), old, changed, same)
	}
}
