package emu

import "fmt"

// dpp is the lane permutation of a first operand: rows of 16 lanes for DPP16,
// groups of 8 for DPP8. It never leaves half a wave64.
type dpp struct {
	from    [32]int8  // source lane, -1 where the pattern leaves its row
	enabled [2]uint32 // lanes that row_mask and bank_mask let through, by half
	zero    bool      // what has no source reads 0, otherwise the lane is left alone
	fetch   bool      // inactive source lanes are read
}

// rowPatterns give the source of a lane of a row of 16 for a count.
var rowPatterns = map[string]func(lane, n int) int{
	"row_shl":   func(lane, n int) int { return inRow(lane + n) },
	"row_shr":   func(lane, n int) int { return inRow(lane - n) },
	"row_ror":   func(lane, n int) int { return (lane - n) & 15 },
	"row_share": func(_, n int) int { return n & 15 },
	"row_xmask": func(lane, n int) int { return lane ^ n&15 },
}

func inRow(lane int) int {
	if lane < 0 || lane > 15 {
		return -1
	}
	return lane
}

// makeDPP takes the DPP modifiers; nil when there are none.
func makeDPP(d *decoded) (*dpp, error) {
	p := &dpp{enabled: [2]uint32{allLanes, allLanes}}
	found := false
	pattern := func(group int, f func(lane int) int) {
		found = true
		for l := range p.from {
			p.from[l] = -1
			if from := f(l % group); from >= 0 {
				p.from[l] = int8(l - l%group + from)
			}
		}
	}
	for name, f := range rowPatterns {
		if _, ok := d.mods[name]; ok {
			n, err := d.mods.number(name)
			if err != nil {
				return nil, err
			}
			pattern(16, func(lane int) int { return f(lane, n) })
		}
	}
	if d.mods.flag("row_mirror") {
		pattern(16, func(lane int) int { return 15 - lane })
	}
	if d.mods.flag("row_half_mirror") {
		pattern(8, func(lane int) int { return 7 - lane })
	}
	for name, group := range map[string]int{"quad_perm": 4, "dpp8": 8} {
		list, err := d.mods.list(name)
		if err != nil {
			return nil, err
		}
		if list == nil {
			continue
		}
		if len(list) != group {
			return nil, fmt.Errorf("%s has %d lanes", name, len(list))
		}
		for _, from := range list {
			if from < 0 || from >= group {
				return nil, fmt.Errorf("%s names lane %d", name, from)
			}
		}
		pattern(group, func(lane int) int { return list[lane] })
		p.zero = name == "dpp8" // an inactive source of DPP8 reads 0
	}
	if !found {
		if d.encoding == "dpp" || d.encoding == "e64_dpp" {
			return nil, fmt.Errorf("this DPP pattern is not modelled")
		}
		return nil, nil
	}
	fi, err := d.mods.number("fi")
	if err != nil {
		return nil, err
	}
	p.fetch = fi != 0
	if d.mods.flag("bound_ctrl") {
		p.zero = true
	}
	return p, p.masks(d)
}

// masks takes row_mask and bank_mask.
func (p *dpp) masks(d *decoded) error {
	rows, banks := 15, 15
	for name, to := range map[string]*int{"row_mask": &rows, "bank_mask": &banks} {
		if _, ok := d.mods[name]; ok {
			n, err := d.mods.number(name)
			if err != nil {
				return err
			}
			*to = n
		}
	}
	for h := range p.enabled {
		for l := range 32 {
			row, bank := 2*h+l/16, l%16/4
			if rows>>row&1 == 0 || banks>>bank&1 == 0 {
				p.enabled[h] &^= 1 << l
			}
		}
	}
	return nil
}

// read permutes an operand into buf and returns the lanes that may be written.
func (p *dpp) read(w *wave, h int, exec uint32, s *source, buf *vreg) uint32 {
	r := &w.v[h][s.reg&255]
	write := exec & p.enabled[h]
	for l := range buf {
		from := int(p.from[l])
		if from < 0 || !p.fetch && exec>>from&1 == 0 {
			buf[l] = 0 ^ s.xor
			if !p.zero {
				write &^= 1 << l
			}
			continue
		}
		buf[l] = r[from&31]>>(s.shift&31)&s.and ^ s.xor
	}
	return write
}
