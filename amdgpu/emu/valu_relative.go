package emu

import "fmt"

// Register-indirect moves: M0 is added to the number of a register.

// buildMoveRelative makes v_movrels_b32 (source), v_movreld_b32 (destination),
// v_movrelsd_b32 (both) and v_movrelsd_2_b32 (both, by ten bits of M0 each).
func buildMoveRelative(d *decoded) (func(*wave), error) {
	if err := d.want(2); err != nil {
		return nil, err
	}
	src, err := makeSource(d.operands[1], typeU32, false)
	if err != nil {
		return nil, err
	}
	to := d.operands[0]
	moveSource, moveDestination := d.name != "v_movreld_b32", d.name != "v_movrels_b32"
	if to.kind != vgpr || to.count != 1 || moveSource && src.kind != vgpr {
		return nil, fmt.Errorf("operands %s, %s are not modelled", to.text, d.operands[1].text)
	}
	split := d.name == "v_movrelsd_2_b32"
	return func(w *wave) {
		from, dst := src, to.reg
		m0 := int(w.s[regM0])
		srcBy, dstBy := m0, m0
		if split {
			srcBy, dstBy = m0&0x3ff, m0>>16&0x3ff
		}
		if moveSource {
			from.reg += srcBy
		}
		if moveDestination {
			dst += dstBy
		}
		if uint(dst) > 255 || from.kind == vgpr && uint(from.reg) > 255 {
			w.fail(NotModelled, -1, "M0 is 0x%x, which leads beyond the registers", w.s[regM0])
			return
		}
		for h := range w.halves {
			store(&w.v[h][dst&255], from.read(w, h, &w.tmp[0]), w.exec(h))
		}
	}, nil
}

// buildScalarMoveRelative makes s_movrels_b32, s_movreld_b32 and their _b64
// forms.
func buildScalarMoveRelative(d *decoded) (func(*wave), error) {
	if err := d.want(2); err != nil {
		return nil, err
	}
	n, t := 1, typeU32
	if d.name == "s_movrels_b64" || d.name == "s_movreld_b64" {
		n, t = 2, typeU64
	}
	src, err := makeWideSource(d.operands[1], t)
	if err != nil {
		return nil, err
	}
	to, source := d.operands[0], d.name == "s_movrels_b32" || d.name == "s_movrels_b64"
	if to.kind != sgpr || to.count != n || src.kind == vgpr || source && src.kind != sgpr {
		return nil, fmt.Errorf("operands %s, %s are not modelled", to.text, d.operands[1].text)
	}
	return func(w *wave) {
		from, dst := src, to.reg
		if source {
			from.reg += int(w.s[regM0])
		} else {
			dst += int(w.s[regM0])
		}
		if uint(dst)+uint(n) > regVCC || from.kind == sgpr && uint(from.reg)+uint(n) > regVCC {
			w.fail(NotModelled, -1, "M0 is 0x%x, which leads beyond the registers", w.s[regM0])
			return
		}
		v := from.scalar(w)
		if n == 2 {
			w.set64(dst, v)
		} else {
			w.set32(dst, uint32(v))
		}
	}, nil
}
