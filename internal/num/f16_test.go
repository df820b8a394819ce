package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"
)

// everything asks for the long run: all inputs instead of a sample.
func everything() bool { return os.Getenv("KMX_TEST_ALL") == "1" }

// value is what the format's definition says h is worth; h must be finite.
func value(h F16) *big.Float {
	exp, frac := int(h>>10&31), int64(h&0x3ff)
	if exp == 0 {
		exp = 1
	} else {
		frac |= 0x400
	}
	v := new(big.Float).SetMantExp(new(big.Float).SetInt64(frac), exp-25)
	if h&0x8000 != 0 {
		v.Neg(v)
	}
	return v
}

// nearest rounds x by its definition: the closer neighbour, the even one of
// two. Zero results take the sign of neg.
func nearest(x *big.Float, neg bool) F16 {
	sign := F16(0)
	if neg {
		sign = 0x8000
	}
	a := new(big.Float).Abs(x)
	lo, hi := F16(0), F16(0x7c00) // hi stands for 65536 here
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; value(mid).Cmp(a) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	top := big.NewFloat(65536)
	if hi < 0x7c00 {
		top = value(hi)
	}
	exact := func() *big.Float { return new(big.Float).SetPrec(2000) }
	down, up := exact().Sub(a, value(lo)), exact().Sub(top, a)
	switch c := down.Cmp(up); {
	case c < 0 || c == 0 && lo&1 == 0:
		return sign | lo
	}
	return sign | hi
}

func finite(yield func(F16) bool) {
	for i := range 1 << 16 {
		if h := F16(i); !h.IsNaN() && !h.IsInf() && !yield(h) {
			return
		}
	}
}

func TestDecodeEveryF16(t *testing.T) {
	for h := range finite {
		want, _ := value(h).Float64()
		if got := h.Float64(); got != want || math.Signbit(got) != (h&0x8000 != 0) {
			t.Fatalf("%#04x is %v, want %v", uint16(h), got, want)
		}
		if got := float64(h.Float32()); got != want {
			t.Fatalf("%#04x as float32 is %v, want %v", uint16(h), got, want)
		}
		if back := F16FromFloat32(h.Float32()); back != h {
			t.Fatalf("%#04x comes back from float32 as %#04x", uint16(h), uint16(back))
		}
		if back := F16FromFloat64(h.Float64()); back != h {
			t.Fatalf("%#04x comes back from float64 as %#04x", uint16(h), uint16(back))
		}
	}
	for i := range 1 << 16 {
		h := F16(i)
		if h.IsInf() && (!math.IsInf(h.Float64(), 0) || F16FromFloat32(h.Float32()) != h || F16FromFloat64(h.Float64()) != h) {
			t.Errorf("%#04x is not an infinity there and back", i)
		}
		if h.IsNaN() && (!math.IsNaN(h.Float64()) || F16FromFloat32(h.Float32()) != h|0x200) {
			t.Errorf("%#04x is not a NaN there and back", i)
		}
	}
}

// TestRoundAroundEveryF16 looks at every number, every tie between two, and
// the float32 and float64 values next to them.
func TestRoundAroundEveryF16(t *testing.T) {
	inf32, inf64 := float32(math.Inf(1)), math.Inf(1)
	for i := range 0x7c00 {
		lo, _ := value(F16(i)).Float64()
		hi := 65536.0
		if i < 0x7bff {
			hi, _ = value(F16(i + 1)).Float64()
		}
		up := F16(i)
		if i&1 == 1 {
			up++ // the tie goes to the even one
		}
		tie := (lo + hi) / 2
		for _, c := range []struct {
			x    float64
			want F16
		}{
			{lo, F16(i)}, {tie, up},
			{math.Nextafter(tie, 0), F16(i)}, {math.Nextafter(tie, inf64), F16(i + 1)},
			{math.Nextafter(lo, inf64), F16(i)},
		} {
			if got := F16FromFloat64(c.x); got != c.want {
				t.Fatalf("float64 %v rounds to %#04x, want %#04x", c.x, uint16(got), uint16(c.want))
			}
			if got := F16FromFloat64(-c.x); got != c.want|0x8000 {
				t.Fatalf("float64 %v rounds to %#04x, want %#04x", -c.x, uint16(got), uint16(c.want|0x8000))
			}
		}
		for _, c := range []struct {
			x    float32
			want F16
		}{
			{float32(tie), up},
			{math.Nextafter32(float32(tie), 0), F16(i)}, {math.Nextafter32(float32(tie), inf32), F16(i + 1)},
		} {
			if got := F16FromFloat32(c.x); got != c.want {
				t.Fatalf("float32 %v rounds to %#04x, want %#04x", c.x, uint16(got), uint16(c.want))
			}
		}
	}
}

// TestFloat32AgreesWithFloat64 compares the two conversions, which share no
// code, over float32 bit patterns: a sample, or all of them.
func TestFloat32AgreesWithFloat64(t *testing.T) {
	step := uint64(4093)
	if everything() {
		step = 1
	}
	for b := uint64(0); b < 1<<32; b += step {
		x := math.Float32frombits(uint32(b))
		if a, c := F16FromFloat32(x), F16FromFloat64(float64(x)); a != c && !(a.IsNaN() && c.IsNaN()) {
			t.Fatalf("float32 bits %#08x: %#04x and %#04x", b, uint16(a), uint16(c))
		}
	}
}

// operands are numbers of every exponent with telling fractions.
func operands() []F16 {
	var list []F16
	for e := range F16(31) {
		for _, f := range []F16{0, 1, 2, 0x155, 0x1ff, 0x200, 0x201, 0x3fe, 0x3ff} {
			list = append(list, e<<10|f, 0x8000|e<<10|f)
		}
	}
	return list
}

// same compares with the rounded exact result; neg is the sign of an exact zero.
func same(t *testing.T, op string, got F16, exact *big.Float, neg bool, args ...F16) {
	t.Helper()
	if exact.Sign() != 0 {
		neg = exact.Sign() < 0
	}
	if want := nearest(exact, neg); got != want {
		t.Fatalf("%s%04x = %#04x, want %#04x", op, args, uint16(got), uint16(want))
	}
}

func TestArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	exact := func() *big.Float { return new(big.Float).SetPrec(2000) }
	check := func(a, b, c F16) {
		va, vb, vc := value(a), value(b), value(c)
		sa, sb, sc := a&0x8000 != 0, b&0x8000 != 0, c&0x8000 != 0
		same(t, "add", Add(a, b), exact().Add(va, vb), sa && sb, a, b)
		same(t, "sub", Sub(a, b), exact().Sub(va, vb), sa && !sb, a, b)
		p := exact().Mul(va, vb)
		same(t, "mul", Mul(a, b), p, sa != sb, a, b)
		// A product of zero is added as a signed zero.
		same(t, "fma", FMA(a, b, c), exact().Add(p, vc), sa != sb && sc && p.Sign() == 0 && vc.Sign() == 0, a, b, c)
	}
	list := operands()
	rounds := 30_000
	if everything() {
		rounds = 3_000_000
	}
	for range rounds {
		pick := func() F16 {
			if rng.IntN(2) == 0 {
				return list[rng.IntN(len(list))]
			}
			for {
				if h := F16(rng.Uint32()); !h.IsNaN() && !h.IsInf() {
					return h
				}
			}
		}
		a, b, c := pick(), pick(), pick()
		check(a, b, c)
		// A third operand near minus the product: cancellation.
		if p := Mul(a, b).Neg(); !p.IsInf() {
			check(a, b, p)
			check(a, b, p^1)
		}
	}
}

// TestFMARoundsOnce has sums that go wrong when the product is rounded first.
func TestFMARoundsOnce(t *testing.T) {
	f := F16FromFloat64
	for _, c := range []struct{ a, b, c, want float64 }{
		{1 + 1.0/1024, 1 + 1.0/1024, -(1 + 2.0/1024), 1.0 / (1 << 20)}, // the square's last bit survives
		{683, 48, 1.0 / (1 << 24), 32800},                              // a tie, and a little more
		{683, 48, -1.0 / (1 << 24), 32768},                             // a tie, and a little less
		{683, 48, 0, 32768},
	} {
		if got := FMA(f(c.a), f(c.b), f(c.c)); got.Float64() != c.want {
			t.Errorf("fma(%v, %v, %v) = %v, want %v", c.a, c.b, c.c, got.Float64(), c.want)
		}
	}
}

func TestSpecials(t *testing.T) {
	const inf, ninf, nan, one, zero, nzero = 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0, 0x8000
	for _, c := range []struct {
		name      string
		got, want F16
	}{
		{"inf-inf", Sub(inf, inf), nan}, {"inf+1", Add(inf, one), inf}, {"0*inf", Mul(zero, inf), nan},
		{"inf*-1", Mul(inf, F16(one).Neg()), ninf}, {"fma inf", FMA(inf, one, ninf), nan}, {"fma 0 inf", FMA(zero, inf, one), nan},
		{"fma overflow", FMA(0x7bff, 0x7bff, one), inf}, {"max nan", Max(nan, one), one}, {"max nan right", Max(one, nan), one},
		{"min nan", Min(nan, one), one}, {"max zeros", Max(nzero, zero), zero}, {"max zeros swapped", Max(zero, nzero), zero},
		{"min zeros", Min(zero, nzero), nzero}, {"both nan", Max(0x7c01, nan), 0x7e01}, {"clamp nan", Clamp(nan, one), 0xbc00},
		{"clamp high", Clamp(inf, one), one}, {"clamp low", Clamp(ninf, one), 0xbc00}, {"clamp inside", Clamp(0x3000, one), 0x3000},
	} {
		if c.got != c.want && !(c.got.IsNaN() && c.want == nan) {
			t.Errorf("%s: %#04x, want %#04x", c.name, uint16(c.got), uint16(c.want))
		}
	}
}

func TestMinMaxOrder(t *testing.T) {
	list := operands()
	for _, a := range list {
		for _, b := range list {
			lo, hi := Min(a, b), Max(a, b)
			if lo.Float64() > hi.Float64() || !(lo == a && hi == b || lo == b && hi == a) {
				t.Fatalf("min and max of %#04x and %#04x are %#04x and %#04x", uint16(a), uint16(b), uint16(lo), uint16(hi))
			}
		}
	}
}
