package emu

// fpOrder is the outcome of a comparison.
type fpOrder uint8

const (
	fpLess fpOrder = iota
	fpEqual
	fpGreater
	fpUnordered
)

// Bits of a class mask, in the order of v_cmp_class.
const (
	classSignallingNaN = 1 << iota
	classQuietNaN
	classNegativeInf
	classNegativeNormal
	classNegativeDenormal
	classNegativeZero
	classPositiveZero
	classPositiveDenormal
	classPositiveNormal
	classPositiveInf
)

func cmpF32(m fpMode, a, b uint32) fpOrder {
	a, b = m.source32(a), m.source32(b)
	switch {
	case isNaNF32(a) || isNaNF32(b):
		return fpUnordered
	case (a|b)&^signF32 == 0:
		return fpEqual
	}
	return order(orderedF32(a), orderedF32(b))
}

func cmpF16(m fpMode, a, b uint16) fpOrder {
	a, b = m.source16(a), m.source16(b)
	switch {
	case isNaNF16(a) || isNaNF16(b):
		return fpUnordered
	case (a|b)&^signF16 == 0:
		return fpEqual
	}
	return order(orderedF16(a), orderedF16(b))
}

func cmpF64(m fpMode, a, b uint64) fpOrder {
	a, b = m.source64(a), m.source64(b)
	switch {
	case isNaNF64(a) || isNaNF64(b):
		return fpUnordered
	case (a|b)&^uint64(signF64) == 0:
		return fpEqual
	}
	return order(orderedF64(a), orderedF64(b))
}

// orderedF32 and its like map bits to integers of the same order, -0 before +0.
func orderedF32(x uint32) int32 { return int32(x) ^ int32(x)>>31&0x7fffffff }
func orderedF16(x uint16) int16 { return int16(x) ^ int16(x)>>15&0x7fff }
func orderedF64(x uint64) int64 { return int64(x) ^ int64(x)>>63&0x7fffffffffffffff }

func order[T int16 | int32 | int64](a, b T) fpOrder {
	switch {
	case a < b:
		return fpLess
	case a > b:
		return fpGreater
	}
	return fpEqual
}

func classF32(x, mask uint32) bool {
	return classOf(x&signF32 != 0, x&^signF32, infF32, 1<<22, 1<<23)&mask != 0
}

func classF16(x uint16, mask uint32) bool {
	return classOf(x&signF16 != 0, x&^signF16, infF16, 1<<9, 1<<10)&mask != 0
}

func classF64(x uint64, mask uint32) bool {
	return classOf(x&signF64 != 0, x&^signF64, infF64, 1<<51, 1<<52)&mask != 0
}

// classOf is the one class bit of a number given by its parts.
func classOf[T uint16 | uint32 | uint64](negative bool, magnitude, inf, quiet, normal T) uint32 {
	pick := func(ifNegative, ifPositive uint32) uint32 {
		if negative {
			return ifNegative
		}
		return ifPositive
	}
	switch {
	case magnitude > inf:
		if magnitude&quiet != 0 {
			return classQuietNaN
		}
		return classSignallingNaN
	case magnitude == inf:
		return pick(classNegativeInf, classPositiveInf)
	case magnitude == 0:
		return pick(classNegativeZero, classPositiveZero)
	case magnitude < normal:
		return pick(classNegativeDenormal, classPositiveDenormal)
	}
	return pick(classNegativeNormal, classPositiveNormal)
}
