package layout

import (
	"encoding/binary"
	"testing"

	"kmx/internal/num"
)

// TestFaintTokens holds that the squares of a token add up to less than 2^-11 and
// to more than nothing.
func TestFaintTokens(t *testing.T) {
	for _, l := range Layers() {
		g := Grid{9, 5}
		buf := l.FaintTokens(3, g, l.C)
		for y := range g.H {
			for x := range g.W {
				var sum float64
				for c := range l.C {
					h := num.F16(0)
					if l.Family == M {
						h = num.E4M3(buf[MOffset(g, x, y, c)]).F16()
					} else {
						h = num.F16(binary.LittleEndian.Uint16(buf[KOffset(g, l.C, x, y, c):]))
					}
					sum += h.Float64() * h.Float64()
				}
				if sum <= 0 || sum >= 1.0/2048 {
					t.Errorf("%s, token (%d,%d): %g", l.Name, x, y, sum)
				}
			}
		}
	}
}
