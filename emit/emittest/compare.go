package emittest

import (
	"fmt"
	"math"
	"strconv"

	"kmx/internal/num"
)

// Tolerance is how close an output must come. Exact asks for the same bits, in
// floats for the same value: a NaN equals every NaN, since which NaN an
// instruction makes is not said; zeros of different sign differ. Otherwise a
// value is right that is at most ULP places away, or at most Abs; infinities
// must be the same.
type Tolerance struct {
	Exact bool
	ULP   int
	Abs   float64
}

func readTolerance(words []string) (t Tolerance, rest []string, err error) {
	if len(words) > 0 && words[0] == "exact" {
		return Tolerance{Exact: true}, words[1:], nil
	}
	for len(words) >= 2 {
		switch {
		case words[0] == "ulp" && t.ULP == 0:
			t.ULP, err = strconv.Atoi(words[1])
		case words[0] == "abs" && t.Abs == 0:
			t.Abs, err = strconv.ParseFloat(words[1], 64)
		default:
			err = fmt.Errorf("%q is not expected", words[0])
		}
		if err != nil || t.ULP < 0 || !(t.Abs >= 0) {
			return t, nil, fmt.Errorf("%s %s is no tolerance", words[0], words[1])
		}
		words = words[2:]
	}
	if t.ULP == 0 && t.Abs == 0 || len(words) > 0 {
		return t, nil, fmt.Errorf("it does not say how exact it is: exact, or ulp N, or abs X")
	}
	return t, nil, nil
}

// Diff compares what a run stored in p with what was wanted: nil, or an error
// that names the first element that differs and how many do.
func (p Param) Diff(got, want []byte) error {
	if len(got) != len(want) || len(want) != p.Size() {
		return fmt.Errorf("%s: %d bytes, wanted %d of %d", p.Name, len(got), len(want), p.Size())
	}
	first, n := -1, 0
	for i := range p.Count {
		if !p.close(p.Type.Get(got, i), p.Type.Get(want, i)) {
			if n++; first < 0 {
				first = i
			}
		}
	}
	if n == 0 {
		return nil
	}
	g, w := p.Type.Get(got, first), p.Type.Get(want, first)
	return fmt.Errorf("%s[%d]: %s, the GPU gave %s; %d of %d differ", p.Name, first, p.Type.show(g), p.Type.show(w), n, p.Count)
}

// Check compares all outputs of a run with what is wanted, by the case's own
// measure.
func (c Case) Check(got [][]byte) error {
	for i, p := range c.Params {
		if !p.Out {
			continue
		}
		err := p.Diff(got[i], c.Want[i])
		if err == nil {
			continue
		}
		if c.Share == 0 {
			return err
		}
		if n, of := p.differ(got[i], c.Want[i]); float64(n) > c.Share*float64(of) {
			return fmt.Errorf("%w; that is %d of %d texels", err, n, of)
		}
	}
	return nil
}

// differ counts the texels of an image, or the elements of a buffer, in which two
// outputs are not close.
func (p Param) differ(got, want []byte) (n, of int) {
	if len(got) != len(want) || len(got) != p.Size() {
		return p.Count, p.Count
	}
	channels := max(p.Image.Format.Channels, 1)
	for i := 0; i < p.Count; i += channels {
		of++
		for c := range channels {
			if !p.close(p.Type.Get(got, i+c), p.Type.Get(want, i+c)) {
				n++
				break
			}
		}
	}
	return n, of
}

func (p Param) close(got, want uint64) bool {
	if got == want {
		return true
	}
	if p.Type.Base != 'f' {
		return false
	}
	g, w := p.Type.float(got), p.Type.float(want)
	switch {
	case g != g || w != w:
		return g != g && w != w
	case p.Exact:
		return false
	case math.Abs(g-w) <= p.Abs:
		return true
	case math.IsInf(g, 0) || math.IsInf(w, 0):
		return false
	}
	d := p.Type.place(got) - p.Type.place(want)
	return max(d, -d) <= int64(p.ULP)
}

// float is the value of the bits.
func (t Type) float(v uint64) float64 {
	if t.Bits == 16 {
		return num.F16(v).Float64()
	}
	return float64(math.Float32frombits(uint32(v)))
}

// place numbers the floats in their order; both zeros are 0.
func (t Type) place(v uint64) int64 {
	sign := uint64(1) << (t.Bits - 1)
	if v&sign != 0 {
		return -int64(v &^ sign)
	}
	return int64(v)
}

func (t Type) show(v uint64) string {
	s := fmt.Sprintf("0x%0*x", t.Bits/4, v)
	if t.Base == 'f' {
		s += fmt.Sprintf(" (%g)", t.float(v))
	}
	return s
}
