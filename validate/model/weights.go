package model

import (
	"kmx/internal/num"
	"kmx/validate/layout"
)

// columns makes the right-hand operand of a product with a weight matrix: one
// vector for each output channel. order is that of pack.
func columns(buf []byte, f layout.Field, order []int) operand {
	return pack(f.Cols, f.Rows, order, func(n, k int) num.F16 { return f.Get(buf, k, n) })
}

// row reads a vector of the weight buffer.
func row(buf []byte, f layout.Field) []num.F16 {
	out := make([]num.F16, f.Cols)
	for c := range out {
		out[c] = f.Get(buf, 0, c)
	}
	return out
}

// table reads a matrix of the weight buffer as it is.
func table(buf []byte, f layout.Field) Values {
	v := NewValues(f.Rows, f.Cols)
	for r := range f.Rows {
		for c := range f.Cols {
			v.V[r*f.Cols+c] = f.Get(buf, r, c)
		}
	}
	return v
}

// byRow makes an operand whose vectors are the rows of v.
func byRow(v Values, order []int) operand {
	return pack(v.Rows, v.Cols, order, func(r, c int) num.F16 { return v.At(r, c) })
}

// byColumn makes an operand whose vectors are the columns of v.
func byColumn(v Values) operand {
	return pack(v.Cols, v.Rows, nil, func(c, r int) num.F16 { return v.At(r, c) })
}
