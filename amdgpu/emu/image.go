package emu

import (
	"fmt"
	"math/bits"
	"strings"
)

// Image instructions: loads, stores and queries here, samples in
// image_sample.go. Sources are chapter 10 of AMD's RDNA3 and RDNA4 instruction set
// manuals.

// imageAddress is where the lanes of an image instruction have their coordinates.
type imageAddress struct {
	regs []int // in order, one component each, or two of 16 bits
	a16  bool
}

// component is the bits of coordinate c.
func (a *imageAddress) component(w *wave, h, l, c int) uint32 {
	if !a.a16 {
		return w.v[h][a.regs[c]&255][l&31]
	}
	return w.v[h][a.regs[c>>1]&255][l&31] >> (c & 1 * 16) & 0xffff
}

// imageDim is the shape that an instruction addresses.
type imageDim struct {
	kind       uint32
	components int // of the coordinate, the layer among them
}

var imageDims = map[string]imageDim{
	"SQ_RSRC_IMG_1D": {kind1D, 1}, "SQ_RSRC_IMG_2D": {kind2D, 2}, "SQ_RSRC_IMG_1D_ARRAY": {kind1DArray, 2}, "SQ_RSRC_IMG_2D_ARRAY": {kind2DArray, 3},
}

// imageOp is what all image instructions have.
type imageOp struct {
	imageDim
	imageAddress
	target   generation
	resource int // scalar register of the descriptor
	data     int
	mask     uint32 // components, bit 0 is R
	d16      bool
}

func buildImage(d *decoded) (func(*wave), error) {
	name, _ := strings.CutPrefix(d.name, "image_")
	switch name {
	case "load", "load_mip", "store", "store_mip":
		return buildImageMove(d, strings.HasPrefix(name, "store"), strings.HasSuffix(name, "_mip"))
	case "get_resinfo":
		return buildImageQuery(d)
	}
	if spec, ok := sampleSpecs[name]; ok {
		return buildSample(d, spec)
	}
	return nil, fmt.Errorf("%s is not modelled", d.name)
}

// makeImageOp takes the operands data, address and resource, and the modifiers.
// extra is the number of address components after the coordinate, coordinate says
// whether there is one; results is how many components data has, 0: as many as
// the mask.
func makeImageOp(d *decoded, operands, extra int, coordinate bool, results int) (imageOp, error) {
	op := imageOp{target: d.target}
	if err := d.want(operands); err != nil {
		return op, err
	}
	cachePolicy(d)
	mask, err := d.mods.number("dmask")
	if err != nil {
		return op, err
	}
	if op.mask = uint32(mask); mask < 1 || mask > 15 {
		return op, fmt.Errorf("dmask %d is not modelled", mask)
	}
	dim := d.mods["dim"]
	delete(d.mods, "dim")
	var ok bool
	if op.imageDim, ok = imageDims[dim]; !ok {
		return op, fmt.Errorf("dim:%s is not modelled", dim)
	}
	op.d16, op.a16 = d.mods.flag("d16"), d.mods.flag("a16")
	want := extra
	if coordinate {
		want += op.components
	}
	if op.a16 {
		want = (want + 1) / 2
	}
	data, address, rsrc := d.operands[0], d.operands[1], d.operands[2]
	op.regs = address.registers()
	// llvm-objdump 19 takes a gfx12 instruction whose last address registers are v0
	// for a form with fewer of them, and then prints one register of the data.
	short := d.target == gfx12 && 0 < len(op.regs) && len(op.regs) < want && data.count == 1
	for short && len(op.regs) < want {
		op.regs = append(op.regs, 0)
	}
	if len(op.regs) != want {
		return op, fmt.Errorf("address %s does not have %d registers", address.text, want)
	}
	if results == 0 {
		results = bits.OnesCount32(op.mask)
	}
	if op.d16 {
		results = (results + 1) / 2
	}
	if data.kind != vgpr || data.count != results && !short {
		return op, fmt.Errorf("data operand %s does not have %d registers", data.text, results)
	}
	op.data = data.reg
	if rsrc.kind != sgpr || rsrc.count != 8 {
		return op, fmt.Errorf("resource %s does not have 8 registers", rsrc.text)
	}
	op.resource = rsrc.reg
	return op, nil
}

// image reads the descriptor; ok is false after a fault.
func (op *imageOp) image(w *wave) (r imageResource, ok bool) {
	var d [8]uint32
	copy(d[:], w.s[op.resource:])
	r, err := readImage(op.target, &d)
	if err == nil && !r.null && r.kind != op.kind {
		err = fmt.Errorf("the instruction is for an image of kind %s, its descriptor for %s: that is not modelled", kindNames[op.kind], kindNames[r.kind])
	}
	if err == nil && op.d16 && !r.null && r.format.integer() && r.format.bits[0] > 16 {
		err = fmt.Errorf("16-bit data of format %v is not modelled", r.number)
	}
	if err != nil {
		w.fail(NotModelled, -1, "%v", err)
		return r, false
	}
	return r, true
}

// place is the texel that a lane's integer coordinate names.
func (op *imageOp) place(w *wave, h, l int) (x, y, layer uint64) {
	x = uint64(op.component(w, h, l, 0))
	switch op.kind {
	case kind2D:
		y = uint64(op.component(w, h, l, 1))
	case kind1DArray:
		layer = uint64(op.component(w, h, l, 1))
	case kind2DArray:
		y, layer = uint64(op.component(w, h, l, 1)), uint64(op.component(w, h, l, 2))
	}
	return x, y, layer
}

// put writes those of four components that the mask asks for to a lane.
func (op *imageOp) put(w *wave, h, l int, f *texelFormat, v *[4]uint32) {
	n := 0
	for rest := op.mask; rest != 0; rest &= rest - 1 {
		op.putOne(w, h, l, f, n, v[bits.TrailingZeros32(rest)&3])
		n++
	}
}

// putOne writes result n. The other half of a last register of 16-bit results
// stays as it was.
func (op *imageOp) putOne(w *wave, h, l int, f *texelFormat, n int, v uint32) {
	if !op.d16 {
		w.v[h][(op.data+n)&255][l&31] = v
		return
	}
	r, shift := &w.v[h][(op.data+n/2)&255][l&31], n&1*16
	*r = *r&^(0xffff<<shift) | uint32(f.to16(v))<<shift
}
