package emittest_test

import (
	"math"
	"math/bits"
	"testing"

	"kmx/emit/emittest"
	"kmx/internal/num"
)

// values are the elements of every parameter at one index, zero-extended.
type values map[string]uint64

func (v values) i(name string) int32   { return int32(v[name]) }
func (v values) u(name string) uint32  { return uint32(v[name]) }
func (v values) h(name string) num.F16 { return num.F16(v[name]) }
func (v values) f(name string) float32 { return math.Float32frombits(uint32(v[name])) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func word[T int32 | uint32](n T) uint64 { return uint64(uint32(n)) }

func float(f float32) uint64 { return uint64(math.Float32bits(f)) }

// closed is what some kernels compute, from their definitions. An output that is
// not mentioned is not checked.
var closed = map[string]func(v values) values{
	"add_sub_32": func(v values) values {
		a, b := int64(v.i("a")), int64(v.i("b"))
		clamp := func(n int64) uint64 { return word(int32(min(max(n, math.MinInt32), math.MaxInt32))) }
		return values{"add": word(int32(a + b)), "sub": word(int32(a - b)), "adds": clamp(a + b), "subs": clamp(a - b), "neg": word(int32(-a)), "absolute": word(int32(max(a, -a)))}
	},
	"mul_wide": func(v values) values {
		return values{"ws": uint64(int64(v.i("a")) * int64(v.i("b"))), "wu": uint64(v.u("a")) * uint64(v.u("b")),
			"hs": word(int32(int16(v.i("a"))) * int32(int16(v.i("b")))), "hu": word(uint32(uint16(v.u("a"))) * uint32(uint16(v.u("b"))))}
	},
	"mul_64": func(v values) values {
		hi, lo := bits.Mul64(v["a"], v["b"])
		return values{"lo": lo, "hiu": hi}
	},
	"div_rem_s32": func(v values) values {
		a, b := max(v.i("a"), -math.MaxInt32), v.i("b")
		if b == 0 {
			b = 3
		}
		return values{"q": word(a / b), "r": word(a % b), "qk": word(v.i("a") / -10), "rk": word(v.i("a") % 7)}
	},
	"shift_32": func(v values) values {
		a, n := v.u("a"), v.u("b") // Go's shifts clamp as those of PTX do
		return values{"l": word(a << n), "r": word(a >> n), "s": word(int32(a) >> n), "lk": word(a << 5), "sk": word(int32(a) >> 31)}
	},
	"shift_64": func(v values) values {
		a, n := v["a"], v.u("b")
		return values{"l": a << n, "r": a >> n, "s": uint64(int64(a) >> n)}
	},
	"funnel_shift": func(v values) values {
		both := v["b"]<<32 | v["a"]
		left := func(n uint32) uint64 { return both << n >> 32 & math.MaxUint32 }
		right := func(n uint32) uint64 { return both >> n & math.MaxUint32 }
		c := v.u("c")
		return values{"lw": left(c & 31), "lc": left(min(c, 32)), "rw": right(c & 31), "rc": right(min(c, 32)), "rot": word(bits.RotateLeft32(v.u("a"), 13))}
	},
	"setp_s32": func(v values) values {
		a, b := v.i("a"), v.i("b")
		return values{"m": bit(a == b) | bit(a != b)<<1 | bit(a < b)<<2 | bit(a <= b)<<3 | bit(a > b)<<4 | bit(a >= b)<<5}
	},
	"setp_f32": func(v values) values {
		a, b := v.f("a"), v.f("b")
		nan := a != a || b != b
		m := bit(a == b) | bit(!nan && a != b)<<1 | bit(a < b)<<2 | bit(a <= b)<<3 | bit(a > b)<<4 | bit(a >= b)<<5
		m |= bit(nan || a == b)<<6 | bit(a != b)<<7 | bit(!(a >= b))<<8 | bit(!(a > b))<<9 | bit(!(a <= b))<<10 | bit(!(a < b))<<11
		return values{"m": m | bit(!nan)<<12 | bit(nan)<<13}
	},
	"bfe_32": func(v values) values {
		field := func(a, at, n uint32) uint32 { return uint32(uint64(a) >> at & (1<<n - 1)) }
		signed := func(a, at, n uint32) uint32 {
			if n == 0 {
				return 0
			}
			sign := a >> 31
			if at+n-1 < 32 {
				sign = a >> (at + n - 1) & 1
			}
			r := uint64(0)
			for i := range uint32(32) {
				b := sign
				if i < n && at+i < 32 {
					b = a >> (at + i) & 1
				}
				r |= uint64(b) << i
			}
			return uint32(r)
		}
		a, b, c := v.u("a"), v.u("b"), v.u("c")
		return values{"u": word(field(a, b, c)), "s": word(signed(a, b, c)), "u8": word(field(a, 8, 8)), "s5": word(signed(a, 11, 5))}
	},
	"prmt_bytes": func(v values) values {
		pick := func(a, b, c uint32) (r uint64) {
			both := uint64(b)<<32 | uint64(a)
			for i := range 4 {
				s := c >> (4 * i)
				n := both >> (8 * (s & 7)) & 0xff
				if s&8 != 0 {
					n = 0xff * (n >> 7)
				}
				r |= n << (8 * i)
			}
			return r
		}
		a, b := v.u("a"), v.u("b")
		return values{"v": pick(a, b, v.u("c")), "k": pick(a, b, 0x5410), "s": pick(a, b, 0xba98), "w": pick(a, 0, 0x4140)}
	},
	"lop3_tables": func(v values) values {
		a, b, c := v.u("a"), v.u("b"), v.u("c")
		return values{"andor": word(a&b | c), "xor3": word(a ^ b ^ c), "maj": word(a&b | b&c | a&c), "sel": word(a&b | ^a&c), "nor": word(^(a | b | c))}
	},
	"popc_clz": func(v values) values {
		return values{"p": uint64(bits.OnesCount32(v.u("a"))), "z": uint64(bits.LeadingZeros32(v.u("a"))), "wp": uint64(bits.OnesCount64(v["b"])), "wz": uint64(bits.LeadingZeros64(v["b"]))}
	},
	"brev_bits": func(v values) values {
		return values{"r": word(bits.Reverse32(v.u("a"))), "wide": bits.Reverse64(v["b"])}
	},
	"add_f32": func(v values) values {
		a, b := v.f("a"), v.f("b")
		return values{"add": float(a + b), "sub": float(a - b), "mul": float(a * b)}
	},
	"div_rn_f32": func(v values) values {
		return values{"r": float(v.f("a") / v.f("b")), "rcp": float(1 / v.f("a"))}
	},
	"sqrt_rn_f32": func(v values) values { return values{"r": float(float32(math.Sqrt(float64(v.f("a")))))} },
	"cvt_f32_f16": func(v values) values { return values{"rn": uint64(num.F16FromFloat32(v.f("a")))} },
	"cvt_f16_f32": func(v values) values { return values{"x": float(v.h("a").Float32()), "y": float(v.h("b").Float32())} },
	"add_f16": func(v values) values {
		a, b := v.h("a").Float64(), v.h("b").Float64()
		return values{"add": uint64(num.F16FromFloat64(a + b)), "sub": uint64(num.F16FromFloat64(a - b)), "mul": uint64(num.F16FromFloat64(float64(a * b)))}
	},
	"cvt_f32_s32": func(v values) values {
		a := float64(v.f("a"))
		to := func(f float64) uint64 {
			if f != f {
				return 0
			}
			return word(int32(int64(min(max(f, math.MinInt32), math.MaxInt32))))
		}
		return values{"ni": to(math.RoundToEven(a)), "zi": to(math.Trunc(a)), "mi": to(math.Floor(a)), "pi": to(math.Ceil(a))}
	},
	"cvt_integral_f32": func(v values) values {
		a := float64(v.f("a"))
		return values{"ni": float(float32(math.RoundToEven(a))), "zi": float(float32(math.Trunc(a))), "mi": float(float32(math.Floor(a))), "pi": float(float32(math.Ceil(a)))}
	},
	"roundf_and_or":   roundf,
	"roundf_copysign": roundf,
	"loop_collatz":    collatz,
	"real_pack_rgb10": nil,
	"shared_reverse":  nil,
	"params_scalar":   nil,
}

// roundf is the C function; it takes denormals for zeros.
func roundf(v values) values {
	round := func(f float32) uint64 {
		return float(float32(math.Round(float64(f))))
	}
	return values{"x": round(v.f("a")), "y": round(v.f("b"))}
}

func collatz(v values) values {
	n, last := uint32(0), v.u("a")
	for last != 1 {
		if n > 60 {
			n = 999
			break
		}
		if last%2 == 0 {
			last /= 2
		} else {
			last = 3*last + 1
		}
		n++
	}
	return values{"r": word(n), "last": word(last)}
}

// TestClosedForms holds vectors against what the instructions are defined to
// compute, written without a look at any of this project's arithmetic but the
// f16 conversions.
func TestClosedForms(t *testing.T) {
	cases, err := emittest.Cases(corpus)
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	for _, c := range cases {
		want := closed[c.Name]
		if want == nil {
			continue
		}
		done++
		n := c.Params[0].Count
		wanted := make([][]byte, len(c.Params))
		start := make([][]byte, len(c.Params))
		for k := range c.Params {
			start[k] = c.Start(k)
		}
		for i := range n {
			v := values{}
			for k, p := range c.Params {
				if p.In {
					v[p.Name] = p.Type.Get(start[k], i)
				}
			}
			out := want(v)
			for k, p := range c.Params {
				if o, ok := out[p.Name]; ok {
					if wanted[k] == nil {
						wanted[k] = make([]byte, p.Size())
					}
					p.Type.Put(wanted[k], i, o)
				}
			}
		}
		for k, p := range c.Params {
			if wanted[k] == nil {
				continue
			}
			if err := p.Diff(wanted[k], c.Want[k]); err != nil {
				t.Errorf("%s: by definition %v", c.Name, err)
			}
		}
	}
	if done < 20 {
		t.Errorf("only %d kernels were checked", done)
	}
}
