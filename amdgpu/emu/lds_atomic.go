package emu

import (
	"fmt"
	"math/bits"
	"strings"
)

// ldsAtomic: [dst,] address, data [, data].
type ldsAtomic struct {
	atomicSpec
	dst, addr, data, extra int
	offset                 uint32
}

func buildLDSAtomic(d *decoded, name string) (func(*wave), error) {
	plain := strings.Replace(name, "_rtn_", "_", 1)
	returns := plain != name
	spec, ok := atomicSpecs[plain]
	if !ok || strings.HasPrefix(plain, "swap") || strings.HasPrefix(plain, "cmpswap") {
		return nil, fmt.Errorf("%s is not modelled", d.name)
	}
	a := &ldsAtomic{atomicSpec: spec, dst: -1}
	offset, err := byteOffset(d)
	if err != nil {
		return nil, err
	}
	a.offset = uint32(offset)
	ops, n := d.operands, int(spec.size/4)
	want := 2
	if spec.swap {
		want++
	}
	if returns {
		want++
	}
	if err := d.want(want); err != nil {
		return nil, err
	}
	for _, o := range ops {
		if o.kind != vgpr {
			return nil, fmt.Errorf("operand %s is not modelled", o.text)
		}
	}
	if returns {
		if ops[0].count != n {
			return nil, fmt.Errorf("destination %s is not modelled", ops[0].text)
		}
		a.dst, ops = ops[0].reg, ops[1:]
	}
	for _, o := range ops[1:] {
		if o.count != n {
			return nil, fmt.Errorf("data operand %s does not have %d registers", o.text, n)
		}
	}
	a.addr, a.data = ops[0].reg, ops[1].reg
	if spec.swap {
		a.extra = ops[2].reg
	}
	return a.run, nil
}

func (a *ldsAtomic) run(w *wave) {
	watch := w.group.watch
	w.group.watch = nil // waves may meet in atomics
	for h := range w.halves {
		at := w.v[h][a.addr&255]
		exec := w.exec(h)
		for rest := exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			p := uint64(at[l] + a.offset)
			if p%a.size != 0 {
				w.fail(Misaligned, h*32+l, "atomic access of %d bytes at 0x%x of LDS", a.size, p)
				return
			}
			b, ok := w.lds(h*32+l, p, a.size, true)
			if !ok {
				break
			}
			v, compare := w.pairOf(h, l, a.data, a.size), uint64(0)
			if a.swap {
				compare = w.pairOf(h, l, a.extra, a.size)
			}
			old := a.apply(w.mode, b, v, compare)
			if a.dst >= 0 {
				w.setPair(h, l, a.dst, a.size, old)
			}
			if watch != nil {
				watch.atomic(uint32(p), uint32(a.size))
			}
		}
		w.group.counts.lds(&at, exec, a.offset, uint32(a.size), true)
	}
	w.group.watch = watch
}
