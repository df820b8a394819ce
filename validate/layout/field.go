package layout

import (
	"encoding/binary"
	"fmt"
	"iter"

	"kmx/internal/num"
)

// Type is the format of the numbers in a field.
type Type int

const (
	// F16 is IEEE binary16, little-endian, 2 bytes.
	F16 Type = iota
	// E4M3 is the OCP 8-bit format, 1 byte.
	E4M3
)

// Size is the number of bytes of one value.
func (t Type) Size() int { return [...]int{2, 1}[t] }

// Role says what a field is for; the generator scales by it.
type Role int

const (
	// Gain multiplies channels (gamma of a norm, g2 of K's MLP).
	Gain Role = iota
	// Bias starts an accumulation or is added to tokens.
	Bias
	// Matrix is an operand of a matrix product.
	Matrix
	// Scores is an attention table added to the scores.
	Scores
	// Probabilities is the whole attention matrix of a position-only head.
	Probabilities
	// Ignored numbers change no output: columns that fill up a tile, and
	// projections that a position-only layer does not use.
	Ignored
)

// Field is one named matrix of a weight buffer, Rows x Cols; a vector has one
// row. Indices are plain: row k is the k-th input channel, column n the n-th
// output channel, and in attention tables row and column are query and key.
type Field struct {
	Name       string
	Type       Type
	Role       Role
	Rows, Cols int
	at         func(row, col int) int
}

// Offset is the byte offset of an element from the start of the buffer.
func (f Field) Offset(row, col int) int { return f.at(row, col) }

// Start is the smallest offset of the field and End one past its last byte.
func (f Field) Start() int { start, _ := f.span(); return start }

// End is one past the last byte of the field.
func (f Field) End() int { _, end := f.span(); return end }

func (f Field) span() (start, end int) {
	start = f.at(0, 0)
	for r := range f.Rows {
		for c := range f.Cols {
			o := f.at(r, c)
			start, end = min(start, o), max(end, o+f.Type.Size())
		}
	}
	return start, end
}

// Get is an element of the field in buf, widened to f16.
func (f Field) Get(buf []byte, row, col int) num.F16 {
	o := f.at(row, col)
	if f.Type == E4M3 {
		return num.E4M3(buf[o]).F16()
	}
	return num.F16(binary.LittleEndian.Uint16(buf[o:]))
}

// Set stores v, rounded to the field's type.
func (f Field) Set(buf []byte, row, col int, v num.F16) {
	o := f.at(row, col)
	if f.Type == E4M3 {
		buf[o] = byte(num.EncodeE4M3(v))
		return
	}
	binary.LittleEndian.PutUint16(buf[o:], uint16(v))
}

// Present reports whether the layer has this field.
func (f Field) Present() bool { return f.at != nil }

// Weight is one number of a weight buffer.
type Weight struct {
	Field    Field
	Row, Col int
	Offset   int // bytes from the start of the buffer
	Size     int // bytes
}

// Name is the field's name with the indices, such as "head1.Q[3,17]".
func (w Weight) Name() string {
	if w.Field.Rows == 1 {
		return fmt.Sprintf("%s[%d]", w.Field.Name, w.Col)
	}
	return fmt.Sprintf("%s[%d,%d]", w.Field.Name, w.Row, w.Col)
}

// Weights walks over every number of the layer's weight buffer, ignored ones
// included, field by field.
func (l Layer) Weights() iter.Seq[Weight] {
	return func(yield func(Weight) bool) {
		for _, f := range l.Fields() {
			for r := range f.Rows {
				for c := range f.Cols {
					if !yield(Weight{f, r, c, f.at(r, c), f.Type.Size()}) {
						return
					}
				}
			}
		}
	}
}

// Fields lists the fields of the layer's weight buffer, in the order of their
// use. Together they cover the buffer without overlap.
func (l Layer) Fields() []Field {
	if l.Family == M {
		w, _ := MLayout(l)
		return w.fields()
	}
	w, _ := KLayout(l)
	return w.fields()
}

// WeightBytes is the size of the layer's weight buffer.
func (l Layer) WeightBytes() int {
	if l.Family == M {
		w, _ := MLayout(l)
		return w.Bytes
	}
	w, _ := KLayout(l)
	return w.Bytes
}

// vector is a field of n consecutive f16 at base.
func vector(name string, role Role, base, n int) Field {
	return Field{name, F16, role, 1, n, func(_, c int) int { return base + 2*c }}
}
