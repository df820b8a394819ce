package emu

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// transfer is how registers and memory correspond in a load or store: so many
// bytes, sign-extended or not, into whole registers or one half of one.
type transfer struct {
	size   uint64 // bytes of memory
	signed bool
	half   int // 0: whole registers, 1: low half (the other kept), 2: high half
}

func (t transfer) registers() int { return int(t.size+3) / 4 }

// transfers by the last part of a mnemonic, for loads and stores.
var transfers = map[string]transfer{
	"b32": {size: 4}, "b64": {size: 8}, "b96": {size: 12}, "b128": {size: 16}, "b256": {size: 32}, "b512": {size: 64},
	"u8": {size: 1}, "i8": {size: 1, signed: true}, "u16": {size: 2}, "i16": {size: 2, signed: true},
	"b8": {size: 1}, "b16": {size: 2},
	"d16_u8": {size: 1, half: 1}, "d16_i8": {size: 1, signed: true, half: 1}, "d16_b16": {size: 2, half: 1},
	"d16_hi_u8": {size: 1, half: 2}, "d16_hi_i8": {size: 1, signed: true, half: 2}, "d16_hi_b16": {size: 2, half: 2}, "d16_hi_b8": {size: 1, half: 2},
	// the LDS instructions put these the other way round
	"u8_d16": {size: 1, half: 1}, "i8_d16": {size: 1, signed: true, half: 1}, "u16_d16": {size: 2, half: 1},
	"u8_d16_hi": {size: 1, half: 2}, "i8_d16_hi": {size: 1, signed: true, half: 2}, "u16_d16_hi": {size: 2, half: 2},
	"b8_d16_hi": {size: 1, half: 2}, "b16_d16_hi": {size: 2, half: 2},
}

// load moves memory into a lane's registers.
func (t *transfer) load(w *wave, h, l, reg int, b []byte) {
	v := &w.v[h]
	switch {
	case t.size >= 4:
		for i := 0; i+4 <= len(b); i += 4 {
			v[(reg+i/4)&255][l&31] = binary.LittleEndian.Uint32(b[i:])
		}
		return
	case t.half == 0:
		v[reg&255][l&31] = t.small(b)
	case t.half == 1:
		r := &v[reg&255][l&31]
		*r = *r&0xffff0000 | t.small(b)&0xffff
	default:
		r := &v[reg&255][l&31]
		*r = *r&0xffff | t.small(b)<<16
	}
}

// small is the value of one or two bytes.
func (t *transfer) small(b []byte) uint32 {
	switch {
	case len(b) == 2 && t.signed:
		return uint32(int32(int16(binary.LittleEndian.Uint16(b))))
	case len(b) == 2:
		return uint32(binary.LittleEndian.Uint16(b))
	case t.signed:
		return uint32(int32(int8(b[0])))
	}
	return uint32(b[0])
}

// store moves a lane's registers into memory.
func (t *transfer) store(w *wave, h, l, reg int, b []byte) {
	v := &w.v[h]
	if t.size >= 4 {
		for i := 0; i+4 <= len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], v[(reg+i/4)&255][l&31])
		}
		return
	}
	x := v[reg&255][l&31]
	if t.half == 2 {
		x >>= 16
	}
	b[0] = byte(x)
	if len(b) == 2 {
		b[1] = byte(x >> 8)
	}
}

// dataRegister checks an operand that holds what is moved.
func dataRegister(o operand, t transfer) (int, error) {
	if o.kind != vgpr || o.count != t.registers() || o.half != 0 || o.neg || o.abs {
		return 0, fmt.Errorf("data operand %s does not have %d registers", o.text, t.registers())
	}
	return o.reg, nil
}

// byteOffset takes the modifier offset:N, which may be negative or hexadecimal.
func byteOffset(d *decoded) (int64, error) {
	text, ok := d.mods["offset"]
	if !ok {
		return 0, nil
	}
	delete(d.mods, "offset")
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("offset:%s is not a number", text)
	}
	return v, nil
}

// cachePolicy takes the modifiers that only concern caches and says whether an
// atomic returns the old value.
func cachePolicy(d *decoded) (returns bool) {
	for _, name := range []string{"slc", "dlc", "nv"} {
		d.mods.flag(name)
	}
	returns = d.mods.flag("glc")
	if th, ok := d.mods["th"]; ok {
		returns = strings.Contains(th, "RETURN")
		delete(d.mods, "th")
	}
	delete(d.mods, "scope")
	return returns
}
