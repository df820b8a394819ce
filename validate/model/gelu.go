package model

import "kmx/internal/num"

// Constants of the activation, as f16 bits.
const (
	geluBound = 0x4000 // 2
	geluK1    = 0x3698 // f16(0.41216215)
	geluK2    = 0x2d30 // f16(0.08108108)
	half      = 0x3800
)

// gelu is the activation of both networks, a quadratic stand-in for GELU in
// f16 steps without a fused one:
//
//	c = clamp(x, +-2);  u = f16(k1 - f16(k2*|c|))
//	y = f16(x * f16(0.5 + f16(c*u)))
func gelu(x num.F16) num.F16 {
	c := num.Clamp(x, geluBound)
	u := num.Sub(geluK1, num.Mul(geluK2, c.Abs()))
	return num.Mul(x, num.Add(half, num.Mul(c, u)))
}
