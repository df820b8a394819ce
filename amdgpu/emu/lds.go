package emu

import (
	"fmt"
	"math/bits"
	"strconv"
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
	return v.run, v.operands(d)
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

// buildPermute: ds_bpermute_b32 reads the lane that an address names (in bytes
// of 4 a lane), ds_permute_b32 writes to it. Both stay in half a wave64.
func buildPermute(d *decoded, name string) (func(*wave), error) {
	if err := d.want(3); err != nil {
		return nil, err
	}
	for _, o := range d.operands {
		if o.kind != vgpr || o.count != 1 {
			return nil, fmt.Errorf("operand %s is not modelled", o.text)
		}
	}
	offset, err := byteOffset(d)
	if err != nil {
		return nil, err
	}
	dst, addr, data := d.operands[0].reg, d.operands[1].reg, d.operands[2].reg
	forward, fetch := name == "permute_b32", name == "bpermute_fi_b32"
	return func(w *wave) {
		for h := range w.halves {
			exec := w.exec(h)
			r, a, out := &w.v[h][data&255], &w.v[h][addr&255], &w.out[0]
			*out = vreg{}
			for rest := exec; rest != 0; rest &= rest - 1 {
				l := bits.TrailingZeros32(rest) & 31
				other := int(a[l]+uint32(offset)) >> 2 & 31
				switch {
				case forward:
					out[other] = r[l] // the highest lane wins
				case fetch || exec>>other&1 != 0:
					out[l] = r[other]
				default:
					w.fail(InactiveLane, h*32+l, "it reads lane %d, which is not active (EXEC 0x%08x)", h*32+other, exec)
					return
				}
			}
			store(&w.v[h][dst&255], out, exec)
		}
	}, nil
}

// buildSwizzle: offset:swizzle(...) or a number. With bit 15 a quad permutation,
// otherwise lane = ((lane & and) | or) ^ xor in groups of 32.
func buildSwizzle(d *decoded) (func(*wave), error) {
	if err := d.want(2); err != nil {
		return nil, err
	}
	if d.operands[0].kind != vgpr || d.operands[1].kind != vgpr {
		return nil, fmt.Errorf("these operands are not modelled")
	}
	text := d.mods["offset"]
	delete(d.mods, "offset")
	from, err := swizzlePattern(text)
	if err != nil {
		return nil, err
	}
	dst, src := d.operands[0].reg, d.operands[1].reg
	return func(w *wave) {
		for h := range w.halves {
			exec := w.exec(h)
			r, out := &w.v[h][src&255], &w.out[0]
			for l := range out {
				out[l] = 0
				if other := from(l); exec>>other&1 != 0 {
					out[l] = r[other&31]
				} else if exec>>l&1 != 0 {
					w.fail(InactiveLane, h*32+l, "it reads lane %d, which is not active (EXEC 0x%08x)", h*32+other, exec)
					return
				}
			}
			store(&w.v[h][dst&255], out, exec)
		}
	}, nil
}

func swizzlePattern(text string) (func(lane int) int, error) {
	bad := fmt.Errorf("swizzle offset:%s is not modelled", text)
	mask := func(and, or, xor int) func(int) int { return func(l int) int { return ((l & and) | or) ^ xor } }
	inner, named := between(text, "swizzle(", ")")
	if !named {
		v, err := strconv.ParseInt(text, 0, 32)
		if text == "" {
			v, err = 0, nil
		}
		switch {
		case err != nil || v >= 0xc000:
			return nil, bad
		case v&0x8000 != 0:
			return func(l int) int { return l&^3 | int(v)>>(2*(l&3))&3 }, nil
		}
		return mask(int(v)&31, int(v)>>5&31, int(v)>>10&31), nil
	}
	words := strings.Split(inner, ",")
	var numbers []int
	for i, word := range words {
		words[i] = strings.Trim(strings.TrimSpace(word), `"`)
		if n, err := strconv.Atoi(words[i]); err == nil && i > 0 && words[0] != "BITMASK_PERM" {
			numbers = append(numbers, n)
		}
	}
	switch {
	case words[0] == "QUAD_PERM" && len(numbers) == 4:
		return func(l int) int { return l&^3 | numbers[l&3]&3 }, nil
	case words[0] == "BITMASK_PERM" && len(words) == 2 && len(words[1]) == 5:
		and, or, xor := 0, 0, 0
		for i, c := range words[1] {
			b := 16 >> i
			switch c {
			case '1':
				or |= b
			case 'p':
				and |= b
			case 'i':
				and, xor = and|b, xor|b
			case '0':
			default:
				return nil, bad
			}
		}
		return mask(and, or, xor), nil
	case words[0] == "SWAP" && len(numbers) == 1:
		return mask(31, 0, numbers[0]), nil
	case words[0] == "REVERSE" && len(numbers) == 1:
		return mask(31, 0, numbers[0]-1), nil
	case words[0] == "BROADCAST" && len(numbers) == 2:
		return mask(31&^(numbers[0]-1), numbers[1], 0), nil
	}
	return nil, bad
}
