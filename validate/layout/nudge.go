package layout

// Nudge is a change of one weight of a field that no rounding swallows: large
// enough to be seen in an output of any layer, small enough to saturate nothing.
// Tests of what a layer reads add it to a weight.
func (l Layer) Nudge(f Field) float64 {
	switch {
	case f.Role == Scores && l.Family == M:
		return 40 // about 2^16 in weight
	case f.Role == Scores:
		return 12
	case f.Role == Probabilities:
		return 0.5
	case f.Role == Gain:
		return 8
	}
	return 2
}
