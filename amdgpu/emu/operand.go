package emu

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// operandKind says where an operand lives.
type operandKind uint8

const (
	vgpr  operandKind = iota
	sgpr              // also vcc, ttmp, m0, null, exec, by their numbers
	konst             // inline constant or literal
	special
	off     // the word "off"
	several // ranges of vector registers in brackets
)

// Scalar register numbers, as the hardware encodes them.
const (
	regVCC  = 106
	regTTMP = 108
	regNull = 124
	regM0   = 125
	regExec = 126
)

// Values that are read like registers but are none.
const (
	specialSCC = iota
	specialVCCZ
	specialEXECZ
	specialSharedBase
	specialSharedLimit
	specialPrivateBase
	specialPrivateLimit
)

// operand is one operand as the text has it, before an instruction gives it a
// type.
type operand struct {
	kind     operandKind
	reg      int // first register, or which special value
	count    int // registers, 1 where not a range
	neg, abs bool
	half     int8 // 'l' is 1, 'h' is 2: 16-bit halves of true16 forms
	literal  bool // 32-bit literal written in hexadecimal
	integer  int64
	float    float64
	isFloat  bool
	ranges   []operand // of several
	text     string
}

// registers are the numbers of the vector registers of an operand, in order;
// none for any other.
func (o *operand) registers() []int {
	var out []int
	if o.kind == vgpr && o.half == 0 && !o.neg && !o.abs {
		for i := range o.count {
			out = append(out, o.reg+i)
		}
	}
	for i := range o.ranges {
		out = append(out, o.ranges[i].registers()...)
	}
	return out
}

var namedOperands = map[string]operand{
	"vcc": {kind: sgpr, reg: regVCC, count: 2}, "vcc_lo": {kind: sgpr, reg: regVCC, count: 1}, "vcc_hi": {kind: sgpr, reg: regVCC + 1, count: 1},
	"exec": {kind: sgpr, reg: regExec, count: 2}, "exec_lo": {kind: sgpr, reg: regExec, count: 1}, "exec_hi": {kind: sgpr, reg: regExec + 1, count: 1},
	"m0": {kind: sgpr, reg: regM0, count: 1}, "null": {kind: sgpr, reg: regNull, count: 1},
	"scc": {kind: special, reg: specialSCC, count: 1}, "src_scc": {kind: special, reg: specialSCC, count: 1},
	"src_vccz": {kind: special, reg: specialVCCZ, count: 1}, "src_execz": {kind: special, reg: specialEXECZ, count: 1},
	"src_shared_base": {kind: special, reg: specialSharedBase, count: 2}, "src_shared_limit": {kind: special, reg: specialSharedLimit, count: 2},
	"src_private_base": {kind: special, reg: specialPrivateBase, count: 2}, "src_private_limit": {kind: special, reg: specialPrivateLimit, count: 2},
	"off": {kind: off, count: 1},
}

// parseOperand reads v1, s[2:3], vcc_lo, -|v3|, 0x10, 1.0, v5.h, ...
func parseOperand(text string) (operand, error) {
	o, err := parsePlain(text)
	o.text = text
	return o, err
}

func parsePlain(text string) (operand, error) {
	if o, ok := namedOperands[text]; ok {
		return o, nil
	}
	if o, ok := parseNumber(text); ok {
		return o, nil
	}
	if inner, ok := between(text, "[", "]"); ok {
		o := operand{kind: several}
		for _, part := range strings.Split(inner, ",") {
			r, err := parseOperand(strings.TrimSpace(part))
			if err == nil && r.kind != vgpr {
				err = fmt.Errorf("operand %q is no vector register", r.text)
			}
			if err != nil {
				return o, err
			}
			o.ranges = append(o.ranges, r)
		}
		return o, nil
	}
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		o, err := parsePlain(rest)
		o.neg = !o.neg
		return o, err
	}
	if inner, ok := between(text, "neg(", ")"); ok {
		o, err := parsePlain(inner)
		o.neg = !o.neg
		return o, err
	}
	if inner, ok := between(text, "|", "|"); ok {
		o, err := parsePlain(inner)
		o.abs = true
		return o, err
	}
	return parseRegister(text)
}

// parseNumber: decimal integers and floats are inline constants, hexadecimal
// ones literals.
func parseNumber(text string) (operand, bool) {
	o := operand{kind: konst, count: 1}
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		v, err := strconv.ParseUint(hex, 16, 64)
		o.integer, o.literal = int64(v), true
		return o, err == nil
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		o.integer = v
		return o, true
	}
	if strings.ContainsAny(text, "0123456789") && strings.Contains(text, ".") && !strings.ContainsAny(text, "vslh|[") {
		v, err := strconv.ParseFloat(text, 64)
		o.float, o.isFloat = v, true
		return o, err == nil
	}
	return o, false
}

func between(text, before, after string) (string, bool) {
	if len(text) > len(before)+len(after) && strings.HasPrefix(text, before) && strings.HasSuffix(text, after) {
		return text[len(before) : len(text)-len(after)], true
	}
	return "", false
}

func parseRegister(text string) (operand, error) {
	bad := fmt.Errorf("operand %q is not known", text)
	o := operand{count: 1}
	name := text
	if base, ok := strings.CutSuffix(name, ".l"); ok {
		name, o.half = base, 1
	} else if base, ok := strings.CutSuffix(name, ".h"); ok {
		name, o.half = base, 2
	}
	base := 0
	switch {
	case strings.HasPrefix(name, "ttmp"):
		name, o.kind, base = name[4:], sgpr, regTTMP
	case strings.HasPrefix(name, "v"):
		name, o.kind = name[1:], vgpr
	case strings.HasPrefix(name, "s"):
		name, o.kind = name[1:], sgpr
	default:
		return o, bad
	}
	if inner, ok := between(name, "[", "]"); ok {
		first, last, ranged := strings.Cut(inner, ":")
		if !ranged {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if errA != nil || errB != nil || b < a {
			return o, bad
		}
		o.reg, o.count = base+a, b-a+1
	} else {
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 {
			return o, bad
		}
		o.reg = base + n
	}
	limit := 256
	if o.kind == sgpr {
		limit = 128
	}
	if o.reg+o.count > limit {
		return o, bad
	}
	return o, nil
}

// value is the bits of a constant as an operand of a type.
func (o operand) value(t valueType) (uint64, error) {
	if !o.isFloat {
		v := uint64(o.integer)
		switch {
		case o.literal && t == typeF64:
			return v << 32, nil
		case o.literal && t == typeI64:
			return uint64(int64(int32(v))), nil
		case t.bits() == 64:
			return v, nil
		case t.bits() == 16:
			return v & 0xffff, nil
		}
		return v & 0xffffffff, nil
	}
	switch t {
	case typeF32, typeU32, typeI32, typePackedInt:
		if o.float == inverseTwoPi {
			return 0x3e22f983, nil
		}
		return uint64(math.Float32bits(float32(o.float))), nil
	case typeF64, typeU64, typeI64:
		if o.float == inverseTwoPi {
			return 0x3fc45f306dc9c882, nil
		}
		return math.Float64bits(o.float), nil
	case typeF16, typePackedF16:
		return inlineF16(o.float)
	}
	return 0, fmt.Errorf("constant %s as a %v operand is not modelled", o.text, t)
}

// inverseTwoPi is how the inline constant 1/(2 pi) is printed.
const inverseTwoPi = 0.15915494

func inlineF16(v float64) (uint64, error) {
	sign := uint64(0)
	if math.Signbit(v) {
		sign, v = 0x8000, -v
	}
	switch v {
	case 0.5:
		return sign | 0x3800, nil
	case 1:
		return sign | 0x3c00, nil
	case 2:
		return sign | 0x4000, nil
	case 4:
		return sign | 0x4400, nil
	case inverseTwoPi:
		return sign | 0x3118, nil
	}
	return 0, fmt.Errorf("%g is not an inline constant", v)
}

// valueType is how an instruction reads an operand.
type valueType uint8

const (
	typeNone valueType = iota
	typeU32            // any 32 bits
	typeI32
	typeF32
	typeU16
	typeI16
	typeF16
	typeU64
	typeI64
	typeF64
	typePackedInt // two 16-bit integers
	typePackedF16
)

var typeNames = [...]string{"none", "u32", "i32", "f32", "u16", "i16", "f16", "u64", "i64", "f64", "packed 16-bit integer", "packed f16"}

func (t valueType) String() string { return typeNames[t] }

func (t valueType) bits() int {
	switch t {
	case typeU16, typeI16, typeF16:
		return 16
	case typeU64, typeI64, typeF64:
		return 64
	}
	return 32
}

func (t valueType) float() bool { return t == typeF32 || t == typeF16 || t == typeF64 }
