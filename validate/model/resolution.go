package model

import "kmx/validate/layout"

// spreadOut hands the columns of an expansion to the tokens of a square. e has
// one row for each half-resolution token and 4C columns; columns q*C to
// q*C+C-1 make sub-token q of it.
func spreadOut(f layout.Family, e Values) Values {
	c := e.Cols / 4
	out := NewValues(tokens, c)
	for t := range tokens {
		low, sub := under(f, t)
		copy(out.Row(t), e.Row(low)[sub*c:(sub+1)*c])
	}
	return out
}

// drawIn puts the four sub-tokens under each half-resolution token side by
// side: the rows that a merge multiplies. It is the inverse of spreadOut.
func drawIn(f layout.Family, y Values) Values {
	out := NewValues(quarter, 4*y.Cols)
	for t := range tokens {
		low, sub := under(f, t)
		copy(out.Row(low)[sub*y.Cols:], y.Row(t))
	}
	return out
}
