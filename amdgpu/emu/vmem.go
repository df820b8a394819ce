package emu

import (
	"fmt"
	"math/bits"
	"strings"
)

// Flat, global and scratch instructions.

type addressSpace uint8

const (
	globalSpace addressSpace = iota
	flatSpace
	scratchSpace
)

var addressSpaces = map[string]addressSpace{"global": globalSpace, "flat": flatSpace, "scratch": scratchSpace}

// address is where the lanes of an instruction find their memory.
type address struct {
	space  addressSpace
	vector int  // register of the vector part, -1: none
	wide   bool // the vector part has 64 bits
	scalar int  // register of the scalar part, -1: none
	offset int64
}

// makeAddress takes the vector and the scalar operand and the offset.
func makeAddress(d *decoded, space addressSpace, vector, scalar *operand) (*address, error) {
	a := &address{space: space, vector: -1, scalar: -1}
	var err error
	if a.offset, err = byteOffset(d); err != nil {
		return nil, err
	}
	switch {
	case vector.kind == off && space == scratchSpace:
	case vector.kind == vgpr && vector.count <= 2:
		a.vector, a.wide = vector.reg, vector.count == 2
	default:
		return nil, fmt.Errorf("address %s is not modelled", vector.text)
	}
	if scalar != nil && scalar.kind != off && !(scalar.kind == sgpr && scalar.reg == regNull) {
		n := 2
		if space == scratchSpace {
			n = 1
		}
		if scalar.kind != sgpr || scalar.count != n {
			return nil, fmt.Errorf("scalar address %s is not modelled", scalar.text)
		}
		a.scalar = scalar.reg
	}
	switch {
	case space == flatSpace && (!a.wide || scalar != nil), space == scratchSpace && a.wide,
		space == globalSpace && a.wide == (a.scalar >= 0):
		return nil, fmt.Errorf("this combination of address operands is not modelled")
	}
	return a, nil
}

// at is the address of a lane. Scratch addresses count from the lane's own
// private segment.
func (a *address) at(w *wave, h, l int) uint64 {
	v := uint64(a.offset)
	if a.vector >= 0 {
		v += uint64(w.v[h][a.vector&255][l&31])
		if a.wide {
			v += uint64(w.v[h][(a.vector+1)&255][l&31]) << 32
		}
	}
	if a.scalar >= 0 {
		if a.space == scratchSpace {
			v += uint64(w.s[a.scalar&127])
		} else {
			v += w.get64(a.scalar)
		}
	}
	return v
}

// bytes gives the memory of a lane.
func (a *address) bytes(w *wave, h, l int, n uint64, write bool) ([]byte, bool) {
	addr := a.at(w, h, l)
	if a.space == scratchSpace {
		return w.scratch(h*32+l, uint64(uint32(addr)), n)
	}
	if a.space == flatSpace && addr >= sharedAperture {
		if addr >= privateAperture {
			return w.scratch(h*32+l, addr-privateAperture, n)
		}
		return w.lds(h*32+l, addr-sharedAperture, n, write)
	}
	return w.bytes(h*32+l, addr, n, write)
}

// scratch gives n bytes of a lane's private segment.
func (w *wave) scratch(lane int, at, n uint64) ([]byte, bool) {
	size := uint64(w.group.scratch)
	if at > size || n > size-at {
		w.fail(OutsideScratch, lane, "%d bytes at 0x%x of a private segment of %d", n, at, size)
		return nil, false
	}
	begin := uint64(lane)*size + at
	return w.priv[begin : begin+n : begin+n], true
}

// vmem is a load or store.
type vmem struct {
	transfer
	*address
	reg   int
	write bool
}

// buildVMEM makes flat_, global_ and scratch_ loads, stores and atomics.
func buildVMEM(d *decoded) (func(*wave), error) {
	prefix, rest, _ := strings.Cut(d.name, "_")
	space := addressSpaces[prefix]
	kind, typ, _ := strings.Cut(rest, "_")
	if kind == "atomic" {
		return buildGlobalAtomic(d, space, typ)
	}
	if strings.HasPrefix(typ, "tr_") && kind == "load" {
		return buildTransposed(d, typ)
	}
	t, ok := transfers[typ]
	if !ok || kind != "load" && kind != "store" || t.size > 16 {
		return nil, fmt.Errorf("%s is not modelled", d.name)
	}
	cachePolicy(d)
	v := &vmem{transfer: t, write: kind == "store"}
	ops := d.operands
	if len(ops) < 2 || len(ops) > 3 {
		return nil, fmt.Errorf("%d operands are not modelled", len(ops))
	}
	data, vector := &ops[0], &ops[1]
	if v.write {
		data, vector = vector, data
	}
	var scalar *operand
	if len(ops) == 3 {
		scalar = &ops[2]
	}
	var err error
	if v.reg, err = dataRegister(*data, t); err != nil {
		return nil, err
	}
	v.address, err = makeAddress(d, space, vector, scalar)
	return v.run, err
}

func (v *vmem) run(w *wave) {
	lanes := 0
	for h := range w.halves {
		for rest := w.exec(h); rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			b, ok := v.bytes(w, h, l, v.size, v.write)
			if !ok {
				return
			}
			if v.write {
				v.store(w, h, l, v.reg, b)
			} else {
				v.load(w, h, l, v.reg, b)
			}
			lanes++
		}
	}
	c := &w.group.counts
	switch {
	case v.space == scratchSpace && v.write:
		c.scratchStored += int64(lanes) * int64(v.size)
	case v.space == scratchSpace:
		c.scratchLoaded += int64(lanes) * int64(v.size)
	case v.write:
		c.globalStored += int64(lanes) * int64(v.size)
	default:
		c.globalLoaded += int64(lanes) * int64(v.size)
	}
}

// transposed is global_load_tr of gfx12: lane l reads row l%16, piece l/16 of a
// 16x16 matrix; afterwards it holds column l%16, the same piece of it. The
// manual shows it by a picture only; this reading makes a matrix stored by rows
// the operand that WMMA wants of its transpose.
type transposed struct {
	*address
	reg     int
	element int // bytes
}

func buildTransposed(d *decoded, typ string) (func(*wave), error) {
	t := &transposed{element: 2}
	n := 4
	switch strings.TrimSuffix(strings.TrimSuffix(typ, "_w32"), "_w64") {
	case "tr_b128":
	case "tr_b64":
		t.element, n = 1, 2
	default:
		return nil, fmt.Errorf("%s is not modelled", d.name)
	}
	if d.wave64 {
		return nil, fmt.Errorf("the wave64 form is not modelled")
	}
	if err := d.want(3); err != nil {
		return nil, err
	}
	cachePolicy(d)
	if o := d.operands[0]; o.kind != vgpr || o.count != n {
		return nil, fmt.Errorf("destination %s is not modelled", o.text)
	}
	t.reg = d.operands[0].reg
	var err error
	t.address, err = makeAddress(d, globalSpace, &d.operands[1], &d.operands[2])
	return t.run, err
}

func (t *transposed) run(w *wave) {
	if !w.fullExec() {
		return
	}
	var rows [32][]byte
	n := uint64(8 * t.element)
	for l := range rows {
		b, ok := t.bytes(w, 0, l, n, false)
		if !ok {
			return
		}
		rows[l] = b
	}
	w.group.counts.globalLoaded += 32 * int64(n)
	var out [16]byte
	for l := range rows {
		column, piece := l%16, l/16
		for i := range 8 {
			from := rows[8*piece+i+16*(column/8)]
			copy(out[i*t.element:], from[column%8*t.element:(column%8+1)*t.element])
		}
		(&transfer{size: n}).load(w, 0, l, t.reg, out[:n])
	}
}
