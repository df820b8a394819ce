package emu

import (
	"fmt"
	"strings"
)

// Comparisons write one bit a lane to a scalar mask, 0 for inactive lanes; the
// v_cmpx forms write EXEC instead.

// outcomes is a set of results of comparing two numbers, a bit for each fpOrder.
type outcomes uint8

const (
	less      outcomes = 1 << fpLess
	equal     outcomes = 1 << fpEqual
	greater   outcomes = 1 << fpGreater
	unordered outcomes = 1 << fpUnordered
)

// conditions are the outcomes that make a comparison true, by name.
var conditions = map[string]outcomes{
	"f": 0, "lt": less, "eq": equal, "le": less | equal, "gt": greater, "lg": less | greater, "ge": greater | equal,
	"o": less | equal | greater, "u": unordered,
	"nge": less | unordered, "nlg": equal | unordered, "ngt": less | equal | unordered, "nle": greater | unordered,
	"neq": less | greater | unordered, "nlt": greater | equal | unordered, "tru": 15, "t": 15, "ne": less | greater,
}

var comparedTypes = map[string]valueType{
	"f16": typeF16, "f32": typeF32, "f64": typeF64, "i16": typeI16, "u16": typeU16, "i32": typeI32, "u32": typeU32, "i64": typeI64, "u64": typeU64,
}

func integerOrder[T int64 | uint64](a, b T) outcomes {
	switch {
	case a < b:
		return less
	case a == b:
		return equal
	}
	return greater
}

// compare gives the order of two operands of a type.
func compare(m fpMode, t valueType, a, b uint64) outcomes {
	switch t {
	case typeF16:
		return 1 << cmpF16(m, uint16(a), uint16(b))
	case typeF32:
		return 1 << cmpF32(m, uint32(a), uint32(b))
	case typeF64:
		return 1 << cmpF64(m, a, b)
	case typeI16:
		return integerOrder(int64(int16(a)), int64(int16(b)))
	case typeI32:
		return integerOrder(int64(int32(a)), int64(int32(b)))
	case typeI64:
		return integerOrder(int64(a), int64(b))
	}
	return integerOrder(a, b)
}

// hasClass is v_cmp_class.
func hasClass(t valueType, x uint64, mask uint32) bool {
	switch t {
	case typeF16:
		return classF16(uint16(x), mask)
	case typeF32:
		return classF32(uint32(x), mask)
	}
	return classF64(x, mask)
}

// comparison is v_cmp_* and v_cmpx_*.
type comparison struct {
	typ   valueType
	want  outcomes
	class bool
	src   [2]wideSource
	dst   int // a lane mask; EXEC for v_cmpx
	dpp   *dpp
	fast  [2]source // for 32-bit operands
}

// buildCompare reads the condition and type off the name; nil when the name is
// no comparison.
func buildCompare(d *decoded) (func(*wave), error) {
	name, exec := strings.CutPrefix(d.name, "v_cmpx_")
	if !exec {
		name, _ = strings.CutPrefix(d.name, "v_cmp_")
	}
	condition, typeName, _ := strings.Cut(name, "_")
	c := &comparison{typ: comparedTypes[typeName], class: condition == "class", dst: regExec}
	want, ok := conditions[condition]
	if c.typ == typeNone || !ok && !c.class {
		return nil, fmt.Errorf("comparison %s is not modelled", d.name)
	}
	c.want = want
	ops := d.operands
	if !exec {
		if len(ops) == 0 || ops[0].kind != sgpr {
			return nil, fmt.Errorf("a comparison writes a scalar mask")
		}
		if err := checkMask(d, ops[0]); err != nil {
			return nil, err
		}
		c.dst, ops = ops[0].reg, ops[1:]
	}
	if len(ops) != 2 {
		return nil, fmt.Errorf("%d operands to compare", len(ops))
	}
	sel, err := d.mods.list("op_sel")
	if err != nil {
		return nil, err
	}
	types := [2]valueType{c.typ, c.typ}
	if c.class {
		types[1] = typeU32
	}
	for i := range c.src {
		if i < len(sel) && sel[i] == 1 && c.typ.bits() == 16 && ops[i].kind != konst {
			ops[i].half = 2
		}
		if c.src[i], err = makeWideSource(ops[i], types[i]); err != nil {
			return nil, err
		}
		if c.typ.bits() <= 32 {
			if c.fast[i], err = makeSource(ops[i], types[i], false); err != nil {
				return nil, err
			}
		}
	}
	d.mods.flag("clamp") // signals exceptions only
	if c.dpp, err = makeDPP(d); err != nil {
		return nil, err
	}
	if c.dpp != nil {
		if c.typ.bits() == 64 || c.fast[0].kind != vgpr {
			return nil, fmt.Errorf("DPP here is not modelled")
		}
	}
	if c.typ.bits() <= 32 {
		return c.run32, nil
	}
	return c.run64, nil
}

// checkMask wants a lane mask of the wave's width.
func checkMask(d *decoded, o operand) error {
	n := 1
	if d.wave64 {
		n = 2
	}
	if o.kind != sgpr || o.reg != regNull && o.count != n {
		return fmt.Errorf("%s is no lane mask of this wave size", o.text)
	}
	return nil
}

func (c *comparison) run32(w *wave) {
	var masks [2]uint32
	for h := range w.halves {
		exec, bits := w.exec(h), uint32(0)
		live := exec
		var a, b *vreg
		if c.dpp != nil {
			a = &w.tmp[0]
			live = c.dpp.read(w, h, exec, &c.fast[0], a)
		} else {
			a = c.fast[0].read(w, h, &w.tmp[0])
		}
		b = c.fast[1].read(w, h, &w.tmp[1])
		switch {
		case c.class:
			for l := range a {
				bits |= uint32(bit(hasClass(c.typ, uint64(a[l]), b[l]))) << l
			}
		case c.typ == typeU32:
			for l := range a {
				x, y := a[l], b[l]
				o := equal
				if x < y {
					o = less
				} else if x > y {
					o = greater
				}
				if o&c.want != 0 {
					bits |= 1 << (l & 31)
				}
			}
		default:
			for l := range a {
				if compare(w.mode, c.typ, uint64(a[l]), uint64(b[l]))&c.want != 0 {
					bits |= 1 << (l & 31)
				}
			}
		}
		masks[h] = bits & live
	}
	w.setMask(c.dst, masks)
}

func (c *comparison) run64(w *wave) {
	var masks [2]uint32
	for h := range w.halves {
		bits := uint32(0)
		c.src[0].read(w, h, &w.wide[0])
		c.src[1].read(w, h, &w.wide[1])
		for l := range 32 {
			a, b := w.wide[0][l], w.wide[1][l]
			if c.class && hasClass(c.typ, a, uint32(b)) || !c.class && compare(w.mode, c.typ, a, b)&c.want != 0 {
				bits |= 1 << l
			}
		}
		masks[h] = bits & w.exec(h)
	}
	w.setMask(c.dst, masks)
}
