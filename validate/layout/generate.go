package layout

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"

	"kmx/internal/num"
)

// GenerateWeights is a seeded weight buffer for the layer. Magnitudes are such
// that every stage keeps values of order one: matrices have variance 1 over
// their rows, norm gains undo the division by the length of a token, attention
// scores spread without all falling on one key. Ignored numbers are NaN, so
// that whoever lets one into a result is seen.
func (l Layer) GenerateWeights(seed uint64) []byte {
	rng := newSource(seed, 1)
	buf := make([]byte, l.WeightBytes())
	for i := range buf {
		buf[i] = 0x7f // NaN in either format
	}
	for _, f := range l.Fields() {
		fill(rng, l, f, buf)
	}
	return buf
}

// fill draws the numbers of one field.
func fill(rng *source, l Layer, f Field, buf []byte) {
	switch f.Role {
	case Ignored:
		return
	case Probabilities:
		for q := range f.Rows {
			for k, p := range rng.distribution(f.Cols) {
				f.Set(buf, q, k, num.F16FromFloat64(p))
			}
		}
		return
	}
	scale := fieldScale(l, f)
	for r := range f.Rows {
		for c := range f.Cols {
			v := scale * rng.normal()
			switch f.Role {
			case Scores:
				if rng.uniform() < 1.0/256 {
					v *= 12 // some scores reach the clamp
				}
			case Gain:
				// Away from zero, of either sign: a channel that no norm lets
				// through would hide its weights.
				v = scale * (0.6 + float64(0.8*rng.uniform()))
				if rng.uniform() < 0.25 {
					v = -v
				}
			}
			f.Set(buf, r, c, num.F16FromFloat64(v))
		}
	}
}

// fieldScale is the standard deviation (of gains: the mean magnitude) that
// keeps the stage after the field at order one.
func fieldScale(l Layer, f Field) float64 {
	perRow := 1 / math.Sqrt(float64(f.Rows))
	part := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
	switch {
	case f.Name == "G1" || f.Name == "G2" && l.Family == M:
		return math.Sqrt(float64(l.C)) // the norm leaves tokens of length 1
	case f.Role == Gain:
		return 1
	case f.Role == Scores && l.Family == K:
		return 1.5
	case f.Role == Scores:
		return 5 // M multiplies scores by about 0.017 later
	case f.Role == Bias:
		return 0.25
	case part == "Q" || part == "K":
		return 0.7 * perRow
	case part == "O": // the rows of all heads meet in one sum; attention has averaged
		return 2 / math.Sqrt(float64(l.Inner()))
	case part == "W2" && l.Family == K: // K's MLP has no norm: growth would add up over the layers
		return 0.7 / math.Sqrt(float64(4*l.C))
	case part == "W2":
		return 1.5 / math.Sqrt(float64(4*l.C))
	case strings.HasPrefix(f.Name, "merge") || strings.HasPrefix(f.Name, "expand"):
		return 0.8 * perRow
	}
	return perRow
}

// GenerateTokens is a seeded activation of the layer's family: channels of
// about unit variance, tokens of different strength, and now and then a value
// several times larger.
func (l Layer) GenerateTokens(seed uint64, g Grid, channels int) []byte {
	rng := newSource(seed, 2)
	size := KBytes(g, channels)
	if l.Family == M {
		size = MBytes(g, channels)
	}
	buf := make([]byte, size)
	for y := range g.H {
		for x := range g.W {
			strength := 0.5 + rng.uniform()
			for c := range channels {
				v := strength * rng.normal()
				if rng.uniform() < 1.0/256 {
					v *= 4
				}
				h := num.F16FromFloat64(v)
				if l.Family == M {
					buf[MOffset(g, x, y, c)] = byte(num.EncodeE4M3(h))
				} else {
					binary.LittleEndian.PutUint16(buf[KOffset(g, channels, x, y, c):], uint16(h))
				}
			}
		}
	}
	return buf
}

// source draws reproducible numbers: the generator's bits and what is made of
// them are fixed, whatever the Go release.
// Products are converted before they are added, so that no machine fuses them.
type source struct{ pcg *rand.PCG }

func newSource(seed, stream uint64) *source { return &source{rand.NewPCG(seed, stream)} }

// uniform is in [0, 1).
func (s *source) uniform() float64 { return float64(s.pcg.Uint64()>>11) / (1 << 53) }

// normal is nearly normal with variance 1, within ±6: the sum of twelve
// uniforms. It needs no function whose last bit could depend on the machine.
func (s *source) normal() float64 {
	var sum float64
	for range 12 {
		sum += s.uniform()
	}
	return sum - 6
}

// distribution is n probabilities with a sum of about 1, of uneven size.
func (s *source) distribution(n int) []float64 {
	p := make([]float64, n)
	var sum float64
	for i := range p {
		u := s.uniform()
		p[i] = 0.01 + float64(u*u*u*u)*float64(u*u*u*u)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
