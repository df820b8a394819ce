package emu

import (
	"fmt"
	"strings"
)

// dual is a VOPD instruction: two operations of one lane width, of which both
// read their operands before either writes.
type dual struct{ x, y *valu }

// buildDual takes "v_dual_x ... :: v_dual_y ..." apart.
func (p *Program) buildDual(d *decoded) (func(*wave), error) {
	if d.wave64 {
		return nil, fmt.Errorf("dual issue in wave64")
	}
	first, second, ok := strings.Cut(d.text, " :: ")
	if !ok {
		return nil, fmt.Errorf("a dual instruction without its second half")
	}
	var v dual
	for text, to := range map[string]**valu{first: &v.x, second: &v.y} {
		part, err := parseText(text)
		if err != nil {
			return nil, err
		}
		part.target, part.wave64 = d.target, d.wave64
		if *to, err = dualHalf(part); err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		if err := part.mods.leftover(); err != nil {
			return nil, err
		}
	}
	if first == second {
		v.y = v.x
	}
	return v.run, nil
}

func dualHalf(d *decoded) (*valu, error) {
	name, ok := strings.CutPrefix(d.name, "v_dual_")
	if !ok {
		return nil, fmt.Errorf("half of a dual instruction is not modelled")
	}
	d.name = "v_" + name
	if d.name == "v_cndmask_b32" {
		return makeSelect(d, typeU32)
	}
	spec, ok := valuTable[d.name]
	if !ok {
		spec, ok = dotTable[d.name]
	}
	if !ok || spec.g != nil {
		return nil, fmt.Errorf("half of a dual instruction is not modelled")
	}
	return makeVALU(d, &spec)
}

func (v *dual) run(w *wave) {
	exec := w.exec(0)
	if exec == 0 {
		return
	}
	v.x.compute(w, 0, exec, &w.out[0])
	v.y.compute(w, 0, exec, &w.out[1])
	v.x.write(w, 0, exec, &w.out[0])
	v.y.write(w, 0, exec, &w.out[1])
}
