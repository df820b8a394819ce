package emu

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

// An atomicOp gives what is stored from the old value and the operand; compare
// is the second operand of compare-and-swap.
type atomicOp func(m fpMode, old, operand, compare uint64) uint64

// atomicSpec is an operation with its width in bytes. swap takes two operands.
type atomicSpec struct {
	size uint64
	swap bool
	op   atomicOp
}

// atomicSpecs by the part of the mnemonic after "atomic_" (or "ds_"), in the
// spellings of both generations.
var atomicSpecs = map[string]atomicSpec{}

func init() {
	both := func(name, t32, t64 string, op32, op64 atomicOp) {
		atomicSpecs[name+"_"+t32] = atomicSpec{size: 4, op: op32}
		atomicSpecs[name+"_"+t64] = atomicSpec{size: 8, op: op64}
	}
	same := func(name, t32, t64 string, op atomicOp) { both(name, t32, t64, op, op) }
	same("swap", "b32", "b64", func(_ fpMode, _, v, _ uint64) uint64 { return v })
	same("add", "u32", "u64", func(_ fpMode, old, v, _ uint64) uint64 { return old + v })
	same("sub", "u32", "u64", func(_ fpMode, old, v, _ uint64) uint64 { return old - v })
	same("rsub", "u32", "u64", func(_ fpMode, old, v, _ uint64) uint64 { return v - old })
	same("and", "b32", "b64", func(_ fpMode, old, v, _ uint64) uint64 { return old & v })
	same("or", "b32", "b64", func(_ fpMode, old, v, _ uint64) uint64 { return old | v })
	same("xor", "b32", "b64", func(_ fpMode, old, v, _ uint64) uint64 { return old ^ v })
	same("min", "u32", "u64", func(_ fpMode, old, v, _ uint64) uint64 { return min(old, v) })
	same("max", "u32", "u64", func(_ fpMode, old, v, _ uint64) uint64 { return max(old, v) })
	both("min", "i32", "i64", func(_ fpMode, old, v, _ uint64) uint64 { return uint64(min(int32(old), int32(v))) },
		func(_ fpMode, old, v, _ uint64) uint64 { return uint64(min(int64(old), int64(v))) })
	both("max", "i32", "i64", func(_ fpMode, old, v, _ uint64) uint64 { return uint64(max(int32(old), int32(v))) },
		func(_ fpMode, old, v, _ uint64) uint64 { return uint64(max(int64(old), int64(v))) })
	same("inc", "u32", "u64", func(_ fpMode, old, v, _ uint64) uint64 {
		if old >= v {
			return 0
		}
		return old + 1
	})
	same("dec", "u32", "u64", func(_ fpMode, old, v, _ uint64) uint64 {
		if old == 0 || old > v {
			return v
		}
		return old - 1
	})
	f32 := func(f func(fpMode, uint32, uint32) uint32) atomicOp {
		return func(m fpMode, old, v, _ uint64) uint64 { return uint64(f(m, uint32(old), uint32(v))) }
	}
	f64 := func(f func(fpMode, uint64, uint64) uint64) atomicOp {
		return func(m fpMode, old, v, _ uint64) uint64 { return f(m, old, v) }
	}
	atomicSpecs["add_f32"] = atomicSpec{size: 4, op: f32(addF32)}
	for _, suffix := range []string{"", "_num"} {
		atomicSpecs["min"+suffix+"_f32"] = atomicSpec{size: 4, op: f32(minNumF32)}
		atomicSpecs["max"+suffix+"_f32"] = atomicSpec{size: 4, op: f32(maxNumF32)}
		atomicSpecs["min"+suffix+"_f64"] = atomicSpec{size: 8, op: f64(minNumF64)}
		atomicSpecs["max"+suffix+"_f64"] = atomicSpec{size: 8, op: f64(maxNumF64)}
	}
	atomicSpecs["pk_add_f16"] = atomicSpec{size: 4, op: func(m fpMode, old, v, _ uint64) uint64 {
		return uint64(addF16(m, uint16(old), uint16(v))) | uint64(addF16(m, uint16(old>>16), uint16(v>>16)))<<16
	}}
	compareSwap := func(_ fpMode, old, v, compare uint64) uint64 {
		if old == compare {
			return v
		}
		return old
	}
	for name, size := range map[string]uint64{"b32": 4, "b64": 8} {
		atomicSpecs["cmpswap_"+name] = atomicSpec{size: size, swap: true, op: compareSwap}
		atomicSpecs["cmpstore_"+name] = atomicSpec{size: size, swap: true, op: compareSwap}
		atomicSpecs["storexchg_"+name] = atomicSpecs["swap_"+name]
	}
}

// apply changes memory and returns what was there.
func (s *atomicSpec) apply(m fpMode, b []byte, v, compare uint64) uint64 {
	if s.size == 8 {
		old := binary.LittleEndian.Uint64(b)
		binary.LittleEndian.PutUint64(b, s.op(m, old, v, compare))
		return old
	}
	old := uint64(binary.LittleEndian.Uint32(b))
	binary.LittleEndian.PutUint32(b, uint32(s.op(m, old, v, compare)))
	return old
}

// pairOf reads one or two registers of a lane.
func (w *wave) pairOf(h, l, reg int, size uint64) uint64 {
	v := uint64(w.v[h][reg&255][l&31])
	if size == 8 {
		v |= uint64(w.v[h][(reg+1)&255][l&31]) << 32
	}
	return v
}

func (w *wave) setPair(h, l, reg int, size, v uint64) {
	w.v[h][reg&255][l&31] = uint32(v)
	if size == 8 {
		w.v[h][(reg+1)&255][l&31] = uint32(v >> 32)
	}
}

// globalAtomic is a flat or global atomic: dst, address, data, scalar address;
// dst only when it returns. Lanes take their turns from 0 up.
type globalAtomic struct {
	atomicSpec
	*address
	data, dst int // dst -1: none
}

func buildGlobalAtomic(d *decoded, space addressSpace, name string) (func(*wave), error) {
	spec, ok := atomicSpecs[name]
	if !ok || space == scratchSpace || strings.HasPrefix(name, "cmpstore") || strings.HasPrefix(name, "storexchg") || strings.HasPrefix(name, "rsub") {
		return nil, fmt.Errorf("%s is not modelled", d.name)
	}
	a := &globalAtomic{atomicSpec: spec, dst: -1}
	ops := d.operands
	if cachePolicy(d) {
		if len(ops) == 0 || ops[0].kind != vgpr || ops[0].count != int(spec.size/4) {
			return nil, fmt.Errorf("this destination is not modelled")
		}
		a.dst, ops = ops[0].reg, ops[1:]
	}
	if len(ops) < 2 || len(ops) > 3 {
		return nil, fmt.Errorf("%d operands are not modelled", len(ops))
	}
	n := int(spec.size / 4)
	if spec.swap {
		n *= 2
	}
	if ops[1].kind != vgpr || ops[1].count != n {
		return nil, fmt.Errorf("data operand %s does not have %d registers", ops[1].text, n)
	}
	a.data = ops[1].reg
	var scalar *operand
	if len(ops) == 3 {
		scalar = &ops[2]
	}
	var err error
	a.address, err = makeAddress(d, space, &ops[0], scalar)
	return a.run, err
}

func (a *globalAtomic) run(w *wave) {
	w.group.atomics.Lock()
	defer w.group.atomics.Unlock()
	watch := w.group.watch
	w.group.watch = nil // a flat address may be one of LDS, where waves may meet in atomics
	defer func() { w.group.watch = watch }()
	for h := range w.halves {
		for rest := w.exec(h); rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			if at := a.at(w, h, l); at%a.size != 0 {
				w.fail(Misaligned, h*32+l, "atomic access of %d bytes at 0x%x", a.size, at)
				return
			}
			b, ok := a.bytes(w, h, l, a.size, true)
			if !ok {
				return
			}
			v, compare := w.pairOf(h, l, a.data, a.size), uint64(0)
			if a.swap { // data first, then what to compare with
				compare = w.pairOf(h, l, a.data+int(a.size/4), a.size)
			}
			old := a.apply(w.mode, b, v, compare)
			if a.dst >= 0 {
				w.setPair(h, l, a.dst, a.size, old)
			}
			w.group.counts.globalLoaded += int64(a.size)
			w.group.counts.globalStored += int64(a.size)
		}
	}
}
