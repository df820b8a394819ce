package emu

import (
	"fmt"
	"math/bits"
)

// imageMove is image_load and image_store. A coordinate outside the image reads
// 0, where the descriptor does not select a constant, and is not stored; what is
// in the image but not mapped is a fault.
type imageMove struct {
	imageOp
	write bool
	mip   bool
}

func buildImageMove(d *decoded, write, mip bool) (func(*wave), error) {
	extra := 0
	if mip {
		extra = 1
	}
	op, err := makeImageOp(d, 3, extra, true, 0)
	if err != nil {
		return nil, err
	}
	d.mods.flag("unorm") // coordinates are integers
	if write && op.d16 && op.mask&(op.mask+1) != 0 {
		return nil, fmt.Errorf("a store of 16-bit data with dmask 0x%x: the manuals contradict each other, so this is not modelled", op.mask)
	}
	m := &imageMove{imageOp: op, write: write, mip: mip}
	return m.run, nil
}

func (m *imageMove) run(w *wave) {
	r, ok := m.image(w)
	if !ok {
		return
	}
	if r.null {
		if !m.write {
			m.zero(w, bits.OnesCount32(m.mask))
		}
		return
	}
	if m.write && !m.plainOrder(w, &r) {
		return
	}
	size := uint64(r.format.bytes)
	lanes := int64(0)
	for h := range w.halves {
		for rest := w.exec(h); rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			if m.mip {
				if level := m.component(w, h, l, m.components); level != 0 {
					w.fail(NotModelled, h*32+l, "level %d of an image that has one", level)
					return
				}
			}
			addr, inside := r.at(m.place(w, h, l))
			var v [4]uint32
			if inside {
				b, ok := w.bytes(h*32+l, addr, size, m.write)
				if !ok {
					return
				}
				lanes++
				if m.write {
					r.format.encode(m.texel(w, h, l, r.format), b)
				} else {
					v = r.format.decode(b)
				}
			}
			if !m.write {
				v = r.selected(v)
				m.put(w, h, l, r.format, &v)
			}
		}
	}
	if m.write {
		w.group.counts.globalStored += lanes * int64(size)
	} else {
		w.group.counts.globalLoaded += lanes * int64(size)
	}
}

// zero is what comes from the descriptor of zeros.
func (op *imageOp) zero(w *wave, results int) {
	for h := range w.halves {
		for rest := w.exec(h); rest != 0; rest &= rest - 1 {
			for n := range results {
				op.putOne(w, h, bits.TrailingZeros32(rest)&31, &texelFormat{}, n, 0)
			}
		}
	}
}

// plainOrder: what selectors other than R, G, B, A do to a store is not
// established.
func (m *imageMove) plainOrder(w *wave, r *imageResource) bool {
	for c := range r.format.n {
		if r.selects[c&3] != uint8(4+c) {
			w.fail(NotModelled, -1, "a store to an image whose descriptor selects %d for component %c", r.selects[c&3], "RGBA"[c&3])
			return false
		}
	}
	if r.format.kind == texelUscaled || r.format.kind == texelSscaled {
		w.fail(NotModelled, -1, "a store to format %v", r.number)
		return false
	}
	return true
}

// texel is what a lane stores. Components that the mask leaves out are 0 on gfx11
// and those of the first register on gfx12, as the manuals say and LLVM relies on.
func (m *imageMove) texel(w *wave, h, l int, f *texelFormat) (v [4]uint32) {
	get := func(n int) uint32 {
		if m.d16 {
			return f.from16(uint16(w.v[h][(m.data+n/2)&255][l&31] >> (n & 1 * 16)))
		}
		return w.v[h][(m.data+n)&255][l&31]
	}
	if m.target == gfx12 {
		first := get(0)
		v = [4]uint32{first, first, first, first}
	}
	n := 0
	for rest := m.mask; rest != 0; rest &= rest - 1 {
		v[bits.TrailingZeros32(rest)&3] = get(n)
		n++
	}
	return v
}

// imageQuery is image_get_resinfo: width, height, layers and levels.
type imageQuery struct{ imageOp }

func buildImageQuery(d *decoded) (func(*wave), error) {
	op, err := makeImageOp(d, 3, 1, false, 0)
	d.mods.flag("unorm")
	if err == nil && op.d16 {
		err = fmt.Errorf("%s with 16-bit data is not modelled", d.name)
	}
	q := &imageQuery{op}
	return q.run, err
}

func (q *imageQuery) run(w *wave) {
	r, ok := q.image(w)
	if !ok {
		return
	}
	if r.null {
		q.zero(w, bits.OnesCount32(q.mask))
		return
	}
	v := [4]uint32{uint32(r.width), uint32(r.height), uint32(r.last - r.first + 1), 1}
	has := uint32(1 | 8)
	switch r.kind {
	case kind2D:
		has |= 2
	case kind2DArray:
		has |= 2 | 4
	case kind1DArray: // where the manuals put the layers of these is not clear
	}
	if q.mask&^has != 0 {
		w.fail(NotModelled, -1, "dmask 0x%x asks a %s image for a dimension that it does not have", q.mask, kindNames[r.kind])
		return
	}
	for h := range w.halves {
		for rest := w.exec(h); rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			if level := q.component(w, h, l, 0); level != 0 {
				w.fail(NotModelled, h*32+l, "level %d of an image that has one", level)
				return
			}
			q.put(w, h, l, r.format, &v)
		}
	}
}
