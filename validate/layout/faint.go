package layout

import (
	"encoding/binary"
	"math"

	"kmx/internal/num"
)

// FaintTokens is an activation that is nearly zero: of each token one to a few
// channels are a few steps of 2^-9, e4m3's smallest number, and the others zero.
// Where a norm adds something to a sum of squares, that is most of the sum. No
// token is all zero: K's norm would make NaN of it.
func (l Layer) FaintTokens(seed uint64, g Grid, channels int) []byte {
	size := KBytes(g, channels)
	if l.Family == M {
		size = MBytes(g, channels)
	}
	buf := make([]byte, size)
	rng := newSource(seed, 5)
	for y := range g.H {
		for x := range g.W {
			for range 1 + int(3*rng.uniform()) {
				c := int(rng.uniform() * float64(channels))
				v := math.Ldexp(math.Floor(1+4*rng.uniform()), -9)
				if rng.uniform() < 0.5 {
					v = -v
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
