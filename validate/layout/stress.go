package layout

import (
	"encoding/binary"
	"math"
	"strings"

	"kmx/internal/num"
)

// StressWeights is GenerateWeights with numbers put in that reach for the ends
// of the formats, while every stage still ends in numbers: subnormal weights
// and gains in both families; in M also gains and biases that drive
// intermediate, merged and stored values past the 448 of e4m3.
func (l Layer) StressWeights(seed uint64) []byte {
	buf := l.GenerateWeights(seed)
	rng := newSource(seed, 3)
	for _, f := range l.Fields() {
		for r := range f.Rows {
			for c := range f.Cols {
				if v, ok := stressed(rng, l, f); ok {
					f.Set(buf, r, c, num.F16FromFloat64(v))
				}
			}
		}
	}
	if l.Family == M {
		l.saturateNorms(buf, rng)
	}
	return buf
}

// saturateNorms gives one channel gains that drive it past 448 after either
// norm, and makes the weights that multiply it subnormal, so that only that
// channel overflows.
func (l Layer) saturateNorms(buf []byte, rng *source) {
	hot := int(rng.uniform() * float64(l.C))
	for _, f := range l.Fields() {
		switch part := f.Name[strings.LastIndexByte(f.Name, '.')+1:]; part {
		case "G1", "G2":
			f.Set(buf, 0, hot, num.F16FromFloat64(900*math.Sqrt(float64(l.C))))
		case "Q", "V", "W1":
			for c := range f.Cols {
				f.Set(buf, hot, c, num.F16FromFloat64(math.Ldexp(math.Floor(4*rng.uniform()-1.5), -9)))
			}
		}
	}
}

// stressed draws what to put in place of a generated number, if anything.
func stressed(rng *source, l Layer, f Field) (float64, bool) {
	pick, sign := rng.uniform(), 1.0
	if rng.uniform() < 0.5 {
		sign = -1
	}
	subnormal := math.Ldexp(1+7*rng.uniform(), -24)
	if f.Type == E4M3 {
		subnormal = math.Ldexp(1+6*rng.uniform(), -9)
	}
	switch {
	case f.Role == Ignored || f.Role == Probabilities || f.Role == Scores:
		return 0, false
	case f.Role == Matrix || f.Role == Gain:
		if pick < 1.0/16 {
			return sign * subnormal, true
		}
	case l.Family == M && (f.Name == "B2" || f.Name == "merge.bias") && pick < 1.0/16:
		return sign * 500, true
	}
	return 0, false
}

// StressTokens is an activation whose channels scatter over many powers of
// two, subnormals and zeros of both signs included. Each token keeps some
// channels of order one, because K's norm makes NaN of a token whose squares
// all vanish.
func (l Layer) StressTokens(seed uint64, g Grid, channels int) []byte {
	buf := l.GenerateTokens(seed, g, channels)
	rng := newSource(seed, 4)
	lowest := -24
	if l.Family == M {
		lowest = -9
	}
	for y := range g.H {
		for x := range g.W {
			for c := range channels {
				v := math.Ldexp(1+rng.uniform(), lowest+int(rng.uniform()*float64(4-lowest)))
				pick := rng.uniform()
				switch {
				case pick < 1.0/4:
					continue
				case pick < 1.0/3:
					v = 0
				}
				if rng.uniform() < 0.5 {
					v = math.Copysign(v, -1)
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
