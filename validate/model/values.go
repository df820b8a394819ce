package model

import "kmx/internal/num"

// Values is a Rows x Cols matrix of f16, row after row: usually one row for
// each token of a work-group and one column for each channel.
type Values struct {
	Rows, Cols int
	V          []num.F16
}

// NewValues is a matrix of zeros.
func NewValues(rows, cols int) Values {
	return Values{rows, cols, make([]num.F16, rows*cols)}
}

// At is element (r, c).
func (v Values) At(r, c int) num.F16 { return v.V[r*v.Cols+c] }

// Row is row r, not a copy.
func (v Values) Row(r int) []num.F16 { return v.V[r*v.Cols : (r+1)*v.Cols] }

// rows is the part of v from row first to before row last, not a copy.
func (v Values) rows(first, last int) Values {
	return Values{last - first, v.Cols, v.V[first*v.Cols : last*v.Cols]}
}

// mapped applies f to every element.
func (v Values) mapped(f func(num.F16) num.F16) Values {
	out := NewValues(v.Rows, v.Cols)
	for i, x := range v.V {
		out.V[i] = f(x)
	}
	return out
}

// plus is the sum of two matrices, each element rounded once.
func (v Values) plus(w Values) Values {
	out := NewValues(v.Rows, v.Cols)
	for i, x := range v.V {
		out.V[i] = num.Add(x, w.V[i])
	}
	return out
}

// plusRow adds the same row to every row, each element rounded once.
func (v Values) plusRow(row []num.F16) Values {
	out := NewValues(v.Rows, v.Cols)
	for i, x := range v.V {
		out.V[i] = num.Add(x, row[i%v.Cols])
	}
	return out
}

// timesRow multiplies every row by the same row, element by element, each
// rounded once.
func (v Values) timesRow(row []num.F16) Values {
	out := NewValues(v.Rows, v.Cols)
	for i, x := range v.V {
		out.V[i] = num.Mul(x, row[i%v.Cols])
	}
	return out
}
