package emu

import "math"

// Matrix products of 16x16x16. What the hardware does within one is not
// published. Here every element of D is the exact sum of its sixteen products
// and C, rounded once to nearest even, denormals kept.
//
// Exactness: a product of two f16 (bf16, fp8) has at most 22 significant bits
// and is exact in f64. If the operands' exponents of a row and a column are
// close enough (see exactBits), then all products are multiples of one unit and
// sixteen of them stay below 2^53 units, so that f64 additions in any order are
// exact. Otherwise the products are split at a fixed weight into two parts whose
// sums are exact for all of f16 and fp8, or summed without error as expansions.
// The last sum, with C, is rounded to odd and then to the result.

// wmmaOperand holds sixteen vectors of sixteen K: the rows of A or the columns of B.
type wmmaOperand struct {
	rows [16]wmmaVector
}

type wmmaVector struct {
	k [16]float64
	// All elements are multiples of 2^low and below 2^high in magnitude; zeros
	// do not count. special: there is an infinity or NaN.
	low, high int16
	special   bool
	wide      bool // exponents beyond those of f16
}

// exactBits is how far the highest and lowest bit of sixteen products may be
// apart: below 2^49 units each, hence below 2^53 together.
const exactBits = 49

// setF16 makes k vector i.
func (o *wmmaOperand) setF16(i int, k *[16]uint16) {
	v := &o.rows[i]
	largest, smallest := uint16(0), uint16(infF16)
	for n, x := range k {
		magnitude := x &^ signF16
		largest = max(largest, magnitude)
		if magnitude != 0 {
			smallest = min(smallest, magnitude)
		}
		v.k[n] = math.Float64frombits(uint64(magnitude)<<42|uint64(x&signF16)<<48) * 0x1p1008
	}
	v.wide = false
	v.low = max(int16(smallest>>10), 1) - 25
	v.high = max(int16(largest>>10), 1) - 14
	if v.special = largest >= infF16; v.special {
		for n, x := range k {
			v.k[n] = widenF16(x)
		}
	}
}

// setBF16 makes k vector i.
func (o *wmmaOperand) setBF16(i int, k *[16]uint16) {
	v := &o.rows[i]
	for n, x := range k {
		v.k[n] = float64(math.Float32frombits(uint32(x) << 16))
	}
	v.measure(7)
}

// setFP8 and setBF8 make k vector i.
func (o *wmmaOperand) setFP8(i int, k *[16]uint8) {
	v := &o.rows[i]
	for n, x := range k {
		v.k[n] = fp8Values[x]
	}
	v.measure(3)
}

func (o *wmmaOperand) setBF8(i int, k *[16]uint8) {
	v := &o.rows[i]
	for n, x := range k {
		v.k[n] = bf8Values[x]
	}
	v.measure(2)
}

// measure finds the range of elements with that many bits behind the first.
func (v *wmmaVector) measure(bits int) {
	largest, smallest := uint64(0), uint64(infF64)
	for _, x := range v.k {
		if b := math.Float64bits(x) &^ uint64(signF64); b != 0 {
			largest, smallest = max(largest, b), min(smallest, b)
		}
	}
	v.special = largest >= infF64
	v.low = int16(int(smallest>>52) - 1023 - bits)
	v.high = int16(int(largest>>52) - 1023 + 1)
	v.wide = v.low < -24 || v.high > 16
}

// sum is the exact sum of the products of two vectors and c, rounded to odd.
// Infinities and NaN give what their arithmetic gives.
func (a *wmmaVector) sum(b *wmmaVector, c float64) float64 {
	switch {
	case a.special || b.special || math.IsInf(c, 0) || c != c:
		return a.plainSum(b, c)
	case int(a.high-a.low)+int(b.high-b.low) <= exactBits:
		return addOdd(a.narrowSum(b), c)
	case a.wide || b.wide:
		return a.signedZero(b, c, expansionSum(&a.k, &b.k, c))
	}
	high, low := a.splitSum(b)
	return a.signedZero(b, c, addOdd3(high, low, c))
}

// plainSum adds in order, each step rounded.
func (a *wmmaVector) plainSum(b *wmmaVector, c float64) float64 {
	for i := range a.k {
		c += a.k[i] * b.k[i]
	}
	return c
}

// signedZero restores the sign that a sum of zeros alone has; what cancels is +0.
func (a *wmmaVector) signedZero(b *wmmaVector, c, sum float64) float64 {
	if sum == 0 && a.plainSum(b, c) == 0 {
		return a.plainSum(b, c)
	}
	return sum
}

// narrowSum adds products that have a common unit.
func (a *wmmaVector) narrowSum(b *wmmaVector) float64 {
	x, y := &a.k, &b.k
	s0 := x[0]*y[0] + x[4]*y[4] + x[8]*y[8] + x[12]*y[12]
	s1 := x[1]*y[1] + x[5]*y[5] + x[9]*y[9] + x[13]*y[13]
	s2 := x[2]*y[2] + x[6]*y[6] + x[10]*y[10] + x[14]*y[14]
	s3 := x[3]*y[3] + x[7]*y[7] + x[11]*y[11] + x[15]*y[15]
	return (s0 + s1) + (s2 + s3)
}

// splitSum adds products between 2^-48 and 2^32 in two parts: multiples of 2^-8,
// below 2^36 together, and the rest, of which each is at most 2^-9.
func (a *wmmaVector) splitSum(b *wmmaVector) (high, low float64) {
	const splitter = 3 << 43 // its last bit weighs 2^-8
	for i := range a.k {
		p := a.k[i] * b.k[i]
		h := (p + splitter) - splitter
		high += h
		low += p - h
	}
	return high, low
}

// expansionSum adds without any bound on exponents, as a list of numbers that do
// not overlap (Shewchuk, "Adaptive precision floating-point arithmetic", 1997),
// and rounds to odd.
func expansionSum(x, y *[16]float64, c float64) float64 {
	var parts [18]float64
	n := 0
	add := func(v float64) {
		kept := 0
		for _, p := range parts[:n] {
			var err float64
			if v, err = twoSum(v, p); err != 0 {
				parts[kept] = err
				kept++
			}
		}
		parts[kept] = v
		n = kept + 1
	}
	add(c)
	for i := range x {
		add(x[i] * y[i])
	}
	// The parts grow in magnitude. All but the last two only say which side of
	// their sum the exact value lies.
	low := 0.0
	for _, p := range parts[:n-1] {
		low = addOdd(p, low)
	}
	return addOdd(parts[n-1], low)
}

// wmmaF32 is element (i, j) of D with f32 results.
func wmmaF32(a *wmmaOperand, i int, b *wmmaOperand, j int, c uint32) uint32 {
	s := a.rows[i].sum(&b.rows[j], float64(math.Float32frombits(c)))
	if s != s {
		return quietF32(c)
	}
	return math.Float32bits(float32(s))
}

// wmmaF16 is element (i, j) of D with f16 results.
func wmmaF16(a *wmmaOperand, i int, b *wmmaOperand, j int, c uint16) uint16 {
	s := a.rows[i].sum(&b.rows[j], widenF16(c))
	if s != s {
		return quietF16(c)
	}
	return nearestF16(s)
}

// wmmaBF16 is element (i, j) of D with bf16 results.
func wmmaBF16(a *wmmaOperand, i int, b *wmmaOperand, j int, c uint16) uint16 {
	s := a.rows[i].sum(&b.rows[j], float64(math.Float32frombits(cvtF32BF16(c))))
	if s != s {
		return uint16(quietF32(cvtF32BF16(c)) >> 16)
	}
	return nearestBF16(s)
}

// nearestBF16 rounds an exact or odd value: bf16 has the exponents of f32, and
// f32 rounded to odd has enough bits more.
func nearestBF16(v float64) uint16 {
	f := float32(v)
	odd := math.Float32bits(f)
	if back := float64(f); back != v && odd&1 == 0 {
		if math.Abs(back) > math.Abs(v) {
			odd--
		} else {
			odd++
		}
	}
	return cvtBF16F32(0, odd)
}

// wmmaIU8 is the sum of sixteen products of bytes and c, wrapping, or limited
// to i32 when clamp is set.
func wmmaIU8(a, b *[16]uint8, aSigned, bSigned bool, c uint32, clamp bool) uint32 {
	return integerDot(a[:], b[:], 8, aSigned, bSigned, c, clamp)
}

// wmmaIU4 is wmmaIU8 for values of four bits, one in each byte.
func wmmaIU4(a, b []uint8, aSigned, bSigned bool, c uint32, clamp bool) uint32 {
	return integerDot(a, b, 4, aSigned, bSigned, c, clamp)
}

func integerDot(a, b []uint8, bits int, aSigned, bSigned bool, c uint32, clamp bool) uint32 {
	value := func(x uint8, signed bool) int64 {
		x <<= 8 - bits
		if signed {
			return int64(int8(x) >> (8 - bits))
		}
		return int64(x >> (8 - bits))
	}
	sum := int64(int32(c))
	for i := range a {
		sum += value(a[i], aSigned) * value(b[i], bSigned)
	}
	if clamp {
		sum = max(math.MinInt32, min(sum, math.MaxInt32))
	}
	return uint32(sum)
}
