package model

import (
	"math"
	"math/big"
	"math/bits"

	"kmx/internal/num"
)

// operand is one side of a matrix product: vectors of k values each, cut into
// steps of 16 that one WMMA consumes. Values are held as float64, exactly.
type operand struct {
	vectors, steps int
	v              []float64 // vector after vector, 16*steps each
	spread         []float64 // of each step: largest magnitude over the last place in use
}

const stepK = 16

// pack makes an operand of n vectors of k values. order, if not nil, says which
// value stands at each place; k must be a multiple of 16.
func pack(n, k int, order []int, at func(vector, i int) num.F16) operand {
	o := operand{n, k / stepK, make([]float64, n*k), make([]float64, n*k/stepK)}
	var values [stepK]num.F16
	for v := range n {
		for s := range o.steps {
			for i := range values {
				from := s*stepK + i
				if order != nil {
					from = order[from]
				}
				values[i] = at(v, from)
				o.v[v*k+s*stepK+i] = values[i].Float64()
			}
			o.spread[v*o.steps+s] = spread(values[:])
		}
	}
	return o
}

// spread is the largest magnitude of the values divided by the largest power
// of two that divides them all: 2^b when they fit into b bits of fixed point.
// It is +Inf if one is not finite, 0 if all are 0.
func spread(values []num.F16) float64 {
	largest, place := num.F16(0), 32
	for _, v := range values {
		m := v.Abs()
		if m == 0 {
			continue
		}
		largest = max(largest, m)
		// The last place of an f16 is 2^(exponent-25); zeros at the end of the
		// fraction (with its hidden bit above) raise it.
		place = min(place, max(1, int(m>>10))+bits.TrailingZeros16(uint16(m&0x3ff|0x400)))
	}
	switch {
	case largest == 0:
		return 0
	case largest.IsInf() || largest.IsNaN():
		return math.Inf(1)
	}
	return math.Ldexp(largest.Float64(), 25-place)
}

// exactSpread bounds the product of two spreads under which sixteen products
// add up in float64 without rounding, in any order.
const exactSpread = 1 << (53 - 4)

// step is one WMMA for one element of the result: c plus sixteen products,
// exact, rounded once to float32.
func step(c float32, a, b *[stepK]float64, spreads float64) float32 {
	if !(spreads <= exactSpread) {
		return stepSlowly(c, a, b)
	}
	// Four sums that each start with a product, so that -0 stays -0.
	s0 := float64(a[0] * b[0])
	s1 := float64(a[1] * b[1])
	s2 := float64(a[2] * b[2])
	s3 := float64(a[3] * b[3])
	for i := 4; i < stepK; i += 4 {
		s0 += float64(a[i] * b[i])
		s1 += float64(a[i+1] * b[i+1])
		s2 += float64(a[i+2] * b[i+2])
		s3 += float64(a[i+3] * b[i+3])
	}
	return addOnce((s0+s1)+(s2+s3), float64(c))
}

// addOnce is p + c rounded once to float32, for p exact in float64.
func addOnce(p, c float64) float32 {
	s := p + c
	back := s - p
	if e := (p - (s - back)) + (c - back); e != 0 && !math.IsNaN(e) {
		// The float64 sum is rounded, off by e. Its neighbour towards e with an
		// odd last place rounds to the same float32 as the exact sum.
		if b := math.Float64bits(s); b&1 == 0 {
			if (e > 0) == (s > 0) {
				b++
			} else {
				b--
			}
			s = math.Float64frombits(b)
		}
	}
	return float32(s)
}

// stepSlowly is step by its definition, for operands of any spread.
func stepSlowly(c float32, a, b *[stepK]float64) float32 {
	plain, finite := float64(c), true
	for i := range a {
		p := float64(a[i] * b[i]) // exact: f16 values
		plain += p
		finite = finite && !math.IsInf(p, 0) && !math.IsNaN(p)
	}
	if !finite || math.IsInf(float64(c), 0) || math.IsNaN(float64(c)) {
		return float32(plain)
	}
	sum := new(big.Float).SetPrec(512).SetFloat64(float64(c))
	for i := range a {
		sum.Add(sum, big.NewFloat(float64(a[i]*b[i])))
	}
	f, _ := sum.Float32()
	return f
}

// accumulator is the float32 accumulator of a matrix product. When rounding
// is done after steps, its values are those of f16.
type accumulator struct {
	rows, cols int
	v          []float32
}

// startRow is an accumulator whose every row starts as the given row; nil
// starts from zero.
func startRow(rows, cols int, row []num.F16) accumulator {
	a := accumulator{rows, cols, make([]float32, rows*cols)}
	if row != nil {
		for i := range a.v {
			a.v[i] = row[i%cols].Float32()
		}
	}
	return a
}

// start is an accumulator that starts as v.
func start(v Values) accumulator {
	a := startRow(v.Rows, v.Cols, nil)
	for i, x := range v.V {
		a.v[i] = x.Float32()
	}
	return a
}

// add accumulates the product of left and right: one vector of left for each
// row, one of right for each column, steps ascending. roundEvery is after how
// many steps the accumulator is rounded to f16; 0 keeps float32 throughout.
func (a accumulator) add(left, right operand, roundEvery int) {
	k := stepK * left.steps
	for r := range a.rows {
		lv, ls := left.v[r*k:(r+1)*k], left.spread[r*left.steps:(r+1)*left.steps]
		row := a.v[r*a.cols : (r+1)*a.cols]
		for c := range row {
			rv, rs := right.v[c*k:(c+1)*k], right.spread[c*left.steps:(c+1)*left.steps]
			acc := row[c]
			for s := range ls {
				acc = step(acc, (*[stepK]float64)(lv[s*stepK:]), (*[stepK]float64)(rv[s*stepK:]), ls[s]*rs[s])
				if roundEvery > 0 && (s+1)%roundEvery == 0 {
					acc = num.F16FromFloat32(acc).Float32()
				}
			}
			row[c] = acc
		}
	}
}

// f16 rounds the accumulator to f16.
func (a accumulator) f16() Values {
	out := NewValues(a.rows, a.cols)
	for i, x := range a.v {
		out.V[i] = num.F16FromFloat32(x)
	}
	return out
}
