package emu

import "fmt"

// finish is what happens to results on the way to a register.
type finish struct {
	typ   valueType
	high  bool // a 16-bit result goes to the upper half
	clamp bool
	omod  int
}

func (f *finish) trivial() bool { return !f.clamp && f.omod == 0 }

// apply changes results in place.
func (f *finish) apply(w *wave, d *vreg) {
	for l := range d {
		d[l] = f.one(w, d[l])
	}
}

// one scales and clamps a result.
func (f *finish) one(w *wave, x uint32) uint32 {
	switch f.typ {
	case typeF32:
		x = w.mode.omodF32(x, f.omod)
		if f.clamp {
			x = w.mode.clampF32(x)
		}
	case typeF16:
		y := w.mode.omodF16(uint16(x), f.omod)
		if f.clamp {
			y = w.mode.clampF16(y)
		}
		x = uint32(y)
	}
	return x
}

// outputModifiers takes clamp, mul and div.
func (f *finish) outputModifiers(d *decoded) error {
	f.clamp = d.mods.flag("clamp")
	mul, err := d.mods.number("mul")
	if err != nil {
		return err
	}
	div, err := d.mods.number("div")
	if err != nil {
		return err
	}
	switch {
	case mul == 2:
		f.omod = 1
	case mul == 4:
		f.omod = 2
	case div == 2:
		f.omod = 3
	case mul != 0 || div != 0:
		return fmt.Errorf("output modifier mul:%d div:%d is not modelled", mul, div)
	}
	if (f.clamp || f.omod != 0) && !f.typ.float() {
		return fmt.Errorf("clamp or output scaling of a %v result is not modelled", f.typ)
	}
	return nil
}
