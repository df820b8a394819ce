package emittest

import (
	"fmt"
	"math"

	"kmx/cuda/ptx"
	"kmx/cuda/standin"
)

// Launch chooses one launch of a kernel of the stand-in library.
type Launch struct {
	Frame standin.Frame
	// Formats chooses among the formats that a surface can have; 0 is the first.
	Formats int
	// Seed is of the numbers; Edges makes them edge values, NaNs and infinities
	// too, instead of ordinary ones.
	Seed  string
	Edges bool
}

func (l Launch) String() string {
	f := l.Frame
	return fmt.Sprintf("%dx%d to %dx%d, formats %d, %s", f.InWidth, f.InHeight, f.OutWidth, f.OutHeight, l.Formats, l.Seed)
}

// Standin is a case of a kernel of the stand-in library: text is a module that
// has it, as it is or edited.
func Standin(k standin.Kernel, text []byte, l Launch) (Case, error) {
	c := Case{Name: k.Name, File: k.Module, Text: text, About: "a kernel of the stand-in library", Tier: 4, Share: 0.02,
		Grid: k.Grid(l.Frame), Block: k.Block, Denormals: Flush, seed: k.Name + " " + l.String() + "."}
	block := argument{size: k.ParamBytes, structure: true}
	for i, p := range k.Params {
		q, err := l.param(p)
		if err != nil {
			return c, fmt.Errorf("%s: %w", k.Name, err)
		}
		c.Params = append(c.Params, q)
		block.members = append(block.members, member{i, p.Offset})
	}
	c.args = []argument{block}
	return c, nil
}

// ranges are of ordinary numbers: depths, motion in fractions of what a kernel
// multiplies it with, exposure; the others are colours.
var ranges = map[string][2]float64{"depth": {0, 1}, "motion": {-0.75, 0.75}, "history": {0, 1}, "weights": {-4, 4}, "exposure": {0.25, 2}}

func (l Launch) param(p standin.Param) (Param, error) {
	q := Param{Name: p.Name, In: true, Fill: Fill{How: "range", Hi: 3}}
	if r, ok := ranges[p.Name]; ok {
		q.Fill.Lo, q.Fill.Hi = r[0], r[1]
	}
	if l.Edges && p.Name != "exposure" {
		q.Fill = Fill{How: "edges"}
	}
	w, h := p.Extent.Of(l.Frame)
	switch p.Role {
	case standin.Scalar:
		q.Kind, q.Type, q.Bits, q.In = Value, Type{'b', 32}, uint64(p.Value(l.Frame)), false
		return q, nil
	case standin.Pointer:
		// A few numbers are f32, those of every pixel f16, what is counted begins at 0.
		size := p.Bytes * max(w*h, 1)
		q.Kind, q.Type, q.Out = Buffer, Type{'f', 16}, p.Writes
		switch {
		case p.Writes:
			q.Type, q.Fill, q.Tolerance = Type{'b', 32}, Fill{How: "zero"}, Tolerance{Exact: true}
		case p.Extent == standin.Fixed:
			q.Type = Type{'f', 32}
		}
		q.Count = size / q.Type.Size()
		return q, nil
	}
	word := p.Format
	if p.Role == standin.Surface && l.Formats > 0 && len(p.Others) > 0 {
		word = p.Others[min(l.Formats, len(p.Others))-1]
	}
	if word == "rgba8" {
		word = "rgba8n"
	}
	f, ok := ParseFormat(word)
	if !ok {
		return q, fmt.Errorf("%s has a format that is not known here: %s", p.Name, p.Format)
	}
	q.Kind, q.Type, q.Count = Texture, f.channel(), w*h*f.Channels
	q.Image = Image{Format: f, Width: w, Height: h, Linear: p.Filter == "linear", Normalized: true}
	if p.Role == standin.Surface {
		q.Kind, q.In, q.Out = Surface, false, true
		q.Image.Linear, q.Image.Normalized = false, false
		// Quick functions differ between GPUs, and halves have ten bits.
		q.Tolerance = Tolerance{Exact: true}
		if f.Class == Float {
			q.Tolerance = Tolerance{ULP: 64, Abs: math.Ldexp(1, -9)}
		}
	}
	return q, nil
}

// StandinCases are one small launch of every kernel of the stand-in library that
// can be run, its Text without the module's other entries. dir has the vectors,
// "" for none.
func StandinCases(dir string) ([]Case, error) {
	of := map[string]*ptx.Module{}
	for _, m := range standin.Modules() {
		parsed, err := ptx.Parse(m.Name, m.Text)
		if err != nil {
			return nil, err
		}
		of[m.Name] = parsed
	}
	var cases []Case
	for _, k := range standin.Kernels() {
		if !k.Runs() {
			continue
		}
		one, err := Alone(of[k.Module], k.Name)
		if err != nil {
			return nil, err
		}
		c, err := Standin(k, one, Launch{Frame: standin.Frame{InWidth: 19, InHeight: 6, OutWidth: 37, OutHeight: 11}, Seed: "small"})
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	if dir == "" {
		return cases, nil
	}
	return withVectors(dir, cases)
}

// Alone is a module's text without its other entries, which is quicker to compile.
func Alone(m *ptx.Module, kernel string) ([]byte, error) {
	if m.Function(kernel) == nil {
		return nil, fmt.Errorf("%s has no entry %s", m.Name, kernel)
	}
	var edits []ptx.Edit
	for _, f := range m.Functions() {
		if f.Entry && f.Name != kernel {
			edits = append(edits, ptx.Edit{Span: f.Span})
		}
	}
	return m.Apply(edits)
}
