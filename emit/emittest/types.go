package emittest

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"kmx/internal/num"
)

// Type is a PTX type: Base b, u, s or f, with its bits.
type Type struct {
	Base byte
	Bits int
}

// ParseType reads u32, f16 and so on.
func ParseType(s string) (Type, bool) {
	if len(s) < 2 {
		return Type{}, false
	}
	n, err := strconv.Atoi(s[1:])
	t := Type{s[0], n}
	switch {
	case err != nil:
		return Type{}, false
	case s[0] == 'f':
		return t, n == 16 || n == 32
	case s[0] == 'b' || s[0] == 'u' || s[0] == 's':
		return t, n == 8 || n == 16 || n == 32 || n == 64
	}
	return Type{}, false
}

func (t Type) String() string { return string(t.Base) + strconv.Itoa(t.Bits) }

// Size is its bytes.
func (t Type) Size() int { return t.Bits / 8 }

func (t Type) mask() uint64 { return ^uint64(0) >> (64 - t.Bits) }

// Put stores the low bits of v, little-endian, at element i of b.
func (t Type) Put(b []byte, i int, v uint64) {
	switch at := b[i*t.Size():]; t.Bits {
	case 8:
		at[0] = byte(v)
	case 16:
		binary.LittleEndian.PutUint16(at, uint16(v))
	case 32:
		binary.LittleEndian.PutUint32(at, uint32(v))
	default:
		binary.LittleEndian.PutUint64(at, v)
	}
}

// Get is element i of b, zero-extended.
func (t Type) Get(b []byte, i int) uint64 {
	switch at := b[i*t.Size():]; t.Bits {
	case 8:
		return uint64(at[0])
	case 16:
		return uint64(binary.LittleEndian.Uint16(at))
	case 32:
		return uint64(binary.LittleEndian.Uint32(at))
	default:
		return binary.LittleEndian.Uint64(at)
	}
}

// number reads a literal of the type: integers in Go's syntax, floats too, or
// their bits as 0x... .
func (t Type) number(s string) (uint64, error) {
	if t.Base == 'f' && !strings.HasPrefix(s, "0x") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is no number", s)
		}
		return t.fromFloat(f), nil
	}
	if n, err := strconv.ParseInt(s, 0, t.Bits); err == nil {
		return uint64(n) & t.mask(), nil
	}
	n, err := strconv.ParseUint(s, 0, t.Bits)
	if err != nil {
		return 0, fmt.Errorf("%q is no %s", s, t)
	}
	return n, nil
}

// fromFloat is f in the type's encoding, rounded to nearest; integers are
// truncated.
func (t Type) fromFloat(f float64) uint64 {
	switch {
	case t.Base != 'f':
		return uint64(int64(f)) & t.mask()
	case t.Bits == 16:
		return uint64(num.F16FromFloat64(f))
	}
	return uint64(math.Float32bits(float32(f)))
}
