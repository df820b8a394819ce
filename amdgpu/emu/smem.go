package emu

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// scalarLoad is s_load_* and s_buffer_load_*: memory into scalar registers.
type scalarLoad struct {
	transfer
	dst    int
	base   int
	buffer bool
	scalar int // offset register, -1: none
	offset int64
}

func buildScalarLoad(d *decoded) (func(*wave), error) {
	name, buffer := strings.CutPrefix(d.name, "s_buffer_load_")
	if !buffer {
		name, _ = strings.CutPrefix(d.name, "s_load_")
	}
	t, ok := transfers[name]
	if !ok || t.half != 0 || name == "b8" || name == "b16" {
		return nil, fmt.Errorf("%s is not modelled", d.name)
	}
	if err := d.want(3); err != nil {
		return nil, err
	}
	cachePolicy(d)
	s := &scalarLoad{transfer: t, buffer: buffer, scalar: -1}
	dst, base, offset := d.operands[0], d.operands[1], d.operands[2]
	pair := 2
	if buffer {
		pair = 4
	}
	if dst.kind != sgpr || dst.count != t.registers() || base.kind != sgpr || base.count != pair {
		return nil, fmt.Errorf("operands %s, %s are not modelled", dst.text, base.text)
	}
	s.dst, s.base = dst.reg, base.reg
	var err error
	if s.offset, err = byteOffset(d); err != nil {
		return nil, err
	}
	switch {
	case offset.kind == konst && !offset.isFloat && !offset.neg:
		s.offset += offset.integer
	case offset.kind == konst && !offset.isFloat:
		s.offset -= offset.integer
	case offset.kind == sgpr && offset.reg == regNull:
	case offset.kind == sgpr && offset.count == 1:
		s.scalar = offset.reg
	default:
		return nil, fmt.Errorf("offset %s is not modelled", offset.text)
	}
	return s.run, nil
}

func (s *scalarLoad) run(w *wave) {
	offset := s.offset
	if s.scalar >= 0 {
		offset += int64(w.s[s.scalar&127])
	}
	addr := w.get64(s.base) + uint64(offset)
	n := s.size
	if s.buffer {
		r := resourceAt(w, s.base)
		addr = r.base + uint64(offset)
		limit := uint64(r.records)
		if r.stride != 0 {
			limit *= uint64(r.stride)
		}
		if uint64(offset) > limit || n > limit-uint64(offset) {
			for i := range s.registers() { // out of range reads 0
				w.set32(s.dst+i, 0)
			}
			return
		}
	}
	if unit := min(n, 4); addr%unit != 0 {
		w.fail(Misaligned, -1, "scalar load of %d bytes at 0x%x", n, addr)
		return
	}
	b, ok := w.bytes(-1, addr, n, false)
	if !ok {
		return
	}
	w.group.counts.scalarLoaded += int64(n)
	if n < 4 {
		w.set32(s.dst, s.small(b))
		return
	}
	for i := range s.registers() {
		w.set32(s.dst+i, binary.LittleEndian.Uint32(b[4*i:]))
	}
}
