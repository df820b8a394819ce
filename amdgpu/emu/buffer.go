package emu

import (
	"fmt"
	"math/bits"
	"strings"
)

// resource is a buffer descriptor of four scalar registers.
type resource struct {
	base    uint64 // 48 bits
	stride  uint32 // bytes, 14 bits
	swizzle bool
	addTID  bool
	records uint32
	check   uint32 // OOB_SELECT: how records limits
}

func resourceAt(w *wave, reg int) resource {
	w1, w3 := w.s[reg+1], w.s[reg+3]
	return resource{
		base: uint64(w.s[reg]) | uint64(w1&0xffff)<<32, stride: w1 >> 16 & 0x3fff, swizzle: w1>>30 != 0,
		addTID: w3>>23&1 != 0, records: w.s[reg+2], check: w3 >> 28 & 3,
	}
}

// inRange is the hardware's check, by OOB_SELECT: 0 structured (index, and
// offset within the stride), 1 index only, 2 nothing but an empty buffer is out
// of range, 3 raw (bytes).
func (r *resource) inRange(index, offset, n uint32) bool {
	switch r.check {
	case 0:
		if r.stride != 0 && (index >= r.records || uint64(offset)+uint64(n) > uint64(r.stride)) {
			return false
		}
		return r.stride != 0 || uint64(offset)+uint64(n) <= uint64(r.records)
	case 1:
		return index < r.records
	case 2:
		return r.records != 0
	}
	return uint64(offset)+uint64(n) <= uint64(r.records)
}

// bufferMove is buffer_load_* and buffer_store_*. What is out of the resource's
// range reads 0 and is not stored, as on hardware; what is in range but not
// mapped is a fault.
type bufferMove struct {
	transfer
	reg      int
	resource int
	vector   int // register with index, offset or both, -1: none
	index    bool
	offen    bool
	scalar   wideSource
	offset   uint32
	write    bool
}

func buildBuffer(d *decoded) (func(*wave), error) {
	name, _ := strings.CutPrefix(d.name, "buffer_")
	kind, typ, _ := strings.Cut(name, "_")
	t, ok := transfers[typ]
	if !ok || kind != "load" && kind != "store" || t.size > 16 {
		return nil, fmt.Errorf("%s is not modelled", d.name)
	}
	if err := d.want(4); err != nil {
		return nil, err
	}
	cachePolicy(d)
	b := &bufferMove{transfer: t, write: kind == "store", vector: -1}
	b.index, b.offen = d.mods.flag("idxen"), d.mods.flag("offen")
	offset, err := byteOffset(d)
	if err != nil {
		return nil, err
	}
	b.offset = uint32(offset)
	data, vector, rsrc, scalar := d.operands[0], d.operands[1], d.operands[2], d.operands[3]
	if b.reg, err = dataRegister(data, t); err != nil {
		return nil, err
	}
	want := 0
	if b.index {
		want++
	}
	if b.offen {
		want++
	}
	switch {
	case vector.kind == off && want == 0:
	case vector.kind == vgpr && vector.count == want:
		b.vector = vector.reg
	default:
		return nil, fmt.Errorf("address %s is not modelled", vector.text)
	}
	if rsrc.kind != sgpr || rsrc.count != 4 {
		return nil, fmt.Errorf("resource %s is not modelled", rsrc.text)
	}
	b.resource = rsrc.reg
	b.scalar, err = makeWideSource(scalar, typeU32)
	if err == nil && b.scalar.kind == vgpr {
		err = fmt.Errorf("offset %s is not modelled", scalar.text)
	}
	return b.run, err
}

func (b *bufferMove) run(w *wave) {
	r := resourceAt(w, b.resource)
	if r.swizzle || r.addTID {
		w.fail(NotModelled, -1, "a resource with swizzling or thread ids")
		return
	}
	scalar := uint32(b.scalar.scalar(w))
	zeros := [16]byte{}
	lanes := int64(0)
	for h := range w.halves {
		for rest := w.exec(h); rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			index, offset, next := uint32(0), b.offset, b.vector
			if b.index {
				index = w.v[h][next&255][l]
				next++
			}
			if b.offen {
				offset += w.v[h][next&255][l]
			}
			// the scalar offset is not part of the check
			if !r.inRange(index, offset, uint32(b.size)) {
				if !b.write {
					b.load(w, h, l, b.reg, zeros[:b.size])
				}
				continue
			}
			at := r.base + uint64(index)*uint64(r.stride) + uint64(offset) + uint64(scalar)
			m, ok := w.bytes(h*32+l, at, b.size, b.write)
			if !ok {
				return
			}
			if b.write {
				b.store(w, h, l, b.reg, m)
			} else {
				b.load(w, h, l, b.reg, m)
			}
			lanes++
		}
	}
	if b.write {
		w.group.counts.globalStored += lanes * int64(b.size)
	} else {
		w.group.counts.globalLoaded += lanes * int64(b.size)
	}
}
