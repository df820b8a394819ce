package emu

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Permutations of lanes through the LDS hardware; they touch no memory.

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
