package emu

import (
	"fmt"
	"math/bits"
	"strings"
)

// LDS instructions: loads and stores of one or two elements, atomics.

// lds gives n bytes of the work-group's memory to a wave.
func (w *wave) lds(lane int, at, n uint64, write bool) ([]byte, bool) {
	g := w.group
	size := uint64(len(g.lds))
	if at > size || n > size-at {
		w.fail(OutsideLDS, lane, "%d bytes at 0x%x of %d that the work-group has", n, at, size)
		return nil, false
	}
	if g.watch != nil {
		g.watch.access(w, lane, uint32(at), uint32(n), write)
		w.asked(lane, uint32(at), uint32(n), write)
	}
	return g.lds[at : at+n : at+n], true
}

// lds1 is a load or store of one element, or of two with offsets of their own.
type lds1 struct {
	transfer
	addr    int
	reg     [2]int // one register (range) an element
	offsets [2]uint32
	n       int // elements
	write   bool
	unit    uint64 // of alignment, 0: any
}

// buildLDS makes ds_* instructions.
func buildLDS(d *decoded) (func(*wave), error) {
	d.mods.flag("gds_off")
	name, _ := strings.CutPrefix(d.name, "ds_")
	switch name {
	case "bpermute_b32", "permute_b32", "bpermute_fi_b32":
		return buildPermute(d, name)
	case "swizzle_b32":
		return buildSwizzle(d)
	}
	kind, typ, _ := strings.Cut(name, "_")
	if kind == "load" || kind == "store" {
		return buildLDSMove(d, kind == "store", typ)
	}
	return buildLDSAtomic(d, name)
}

func buildLDSMove(d *decoded, write bool, typ string) (func(*wave), error) {
	v := &lds1{write: write, n: 1}
	stride := uint32(0)
	for prefix, scale := range map[string]uint32{"2addr_stride64_": 64, "2addr_": 1} {
		if rest, ok := strings.CutPrefix(typ, prefix); ok && (scale == 64 || !strings.HasPrefix(rest, "stride64_")) {
			typ, stride, v.n = rest, scale, 2
			break
		}
	}
	t, ok := transfers[typ]
	if !ok || t.size > 16 || v.n == 2 && t.size != 4 && t.size != 8 {
		return nil, fmt.Errorf("%s is not modelled", d.name)
	}
	v.transfer = t
	if v.n == 2 {
		v.unit = t.size
		for i, name := range []string{"offset0", "offset1"} {
			n, err := d.mods.number(name)
			if err != nil {
				return nil, err
			}
			v.offsets[i] = uint32(n) * stride * uint32(t.size)
		}
	} else {
		n, err := byteOffset(d)
		if err != nil {
			return nil, err
		}
		v.offsets[0] = uint32(n)
	}
	return counted(v.run), v.operands(d)
}

// operands: address and data of a store, data and address of a load. A load of
// two has one destination range.
func (v *lds1) operands(d *decoded) error {
	ops := d.operands
	want := 2
	if v.write {
		want = 1 + v.n
	}
	if err := d.want(want); err != nil {
		return err
	}
	address := ops[1]
	if v.write {
		address = ops[0]
	}
	if address.kind != vgpr || address.count != 1 {
		return fmt.Errorf("address %s is not modelled", address.text)
	}
	v.addr = address.reg
	var err error
	switch {
	case v.write:
		for i := range v.n {
			if v.reg[i], err = dataRegister(ops[1+i], v.transfer); err != nil {
				return err
			}
		}
	case v.n == 2:
		each := v.registers()
		if ops[0].kind != vgpr || ops[0].count != 2*each {
			return fmt.Errorf("destination %s is not modelled", ops[0].text)
		}
		v.reg = [2]int{ops[0].reg, ops[0].reg + each}
	default:
		v.reg[0], err = dataRegister(ops[0], v.transfer)
	}
	return err
}

func (v *lds1) run(w *wave) {
	for h := range w.halves {
		exec := w.exec(h)
		r := &w.v[h][v.addr&255]
		at := *r // the destination may be the address register
		for i := range v.n {
			for rest := exec; rest != 0; rest &= rest - 1 {
				l := bits.TrailingZeros32(rest) & 31
				a := uint64(at[l] + v.offsets[i])
				if v.unit != 0 && a%v.unit != 0 {
					w.fail(Misaligned, h*32+l, "LDS element of %d bytes at 0x%x", v.unit, a)
					return
				}
				b, ok := w.lds(h*32+l, a, v.size, v.write)
				if !ok {
					return
				}
				if v.write {
					v.store(w, h, l, v.reg[i], b)
				} else {
					v.load(w, h, l, v.reg[i], b)
				}
			}
			w.group.counts.lds(&at, exec, v.offsets[i], uint32(v.size), v.write)
		}
	}
}
