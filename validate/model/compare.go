package model

import (
	"encoding/binary"
	"fmt"
	"math"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// Difference says how far one output lies from another.
type Difference struct {
	Values int // numbers compared
	Equal  int // of them the same bits, or both NaN
	NaN    int // NaN in one of the two only
	// Steps is the largest distance in representable numbers: ulps of f16, codes
	// of e4m3. Numbers that are NaN on either side do not count.
	Steps int
	// PSNR in dB is the largest magnitude of the reference over the root mean
	// square of the difference. It is +Inf where all numbers have equal values,
	// NaN where there is a NaN on one side.
	PSNR float64
	// First is the index of the first number that is not equal, -1 for none.
	First int
}

func (d Difference) String() string {
	return fmt.Sprintf("%d of %d equal, at most %d steps apart, PSNR %.1f dB, NaN on one side %d", d.Equal, d.Values, d.Steps, d.PSNR, d.NaN)
}

// Compare compares two activations of a family number by number, in the order
// of memory. They must have the same length.
func Compare(f layout.Family, reference, got []byte) (Difference, error) {
	size := 2
	if f == layout.M {
		size = 1
	}
	if len(reference) != len(got) || len(got)%size != 0 {
		return Difference{}, fmt.Errorf("outputs of %d and %d bytes cannot be compared", len(reference), len(got))
	}
	d := Difference{Values: len(got) / size, First: -1}
	var peak, square float64
	for i := range d.Values {
		r, g, steps := at(f, reference, got, i)
		if steps == 0 || r.IsNaN() && g.IsNaN() {
			d.Equal++
			if !r.IsNaN() {
				peak = max(peak, math.Abs(r.Float64()))
			}
			continue
		}
		if d.First < 0 {
			d.First = i
		}
		if r.IsNaN() || g.IsNaN() {
			d.NaN++
			continue
		}
		d.Steps = max(d.Steps, steps)
		peak = max(peak, math.Abs(r.Float64()))
		e := r.Float64() - g.Float64()
		square += e * e
	}
	switch {
	case d.NaN > 0:
		d.PSNR = math.NaN()
	case square == 0:
		d.PSNR = math.Inf(1)
	default:
		d.PSNR = 20*math.Log10(peak) - 10*math.Log10(square/float64(d.Values))
	}
	return d, nil
}

// at is number i on both sides and their distance in representable numbers.
func at(f layout.Family, reference, got []byte, i int) (r, g num.F16, steps int) {
	if f == layout.M {
		a, b := num.E4M3(reference[i]), num.E4M3(got[i])
		return a.F16(), b.F16(), distance(int(a&0x7f), a>>7 != 0, int(b&0x7f), b>>7 != 0)
	}
	r, g = num.F16(binary.LittleEndian.Uint16(reference[2*i:])), num.F16(binary.LittleEndian.Uint16(got[2*i:]))
	return r, g, distance(int(r.Abs()), r>>15 != 0, int(g.Abs()), g>>15 != 0)
}

// distance counts the steps between two numbers given as magnitude bits and
// sign; +0 and -0 are one step apart.
func distance(a int, aNegative bool, b int, bNegative bool) int {
	if aNegative {
		a = -1 - a
	}
	if bNegative {
		b = -1 - b
	}
	return max(a-b, b-a)
}
