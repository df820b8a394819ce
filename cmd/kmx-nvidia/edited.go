//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"kmx/cuda/standin"
	"kmx/emit/emittest"
)

// frames are the sizes that kernels are run on: whole blocks, sizes that end
// inside one, the same size in and out, and less than one block.
var frames = []standin.Frame{
	{InWidth: 48, InHeight: 32, OutWidth: 96, OutHeight: 64},
	{InWidth: 37, InHeight: 21, OutWidth: 75, OutHeight: 43},
	{InWidth: 64, InHeight: 36, OutWidth: 64, OutHeight: 36},
	{InWidth: 5, InHeight: 3, OutWidth: 9, OutHeight: 7},
}

// seeds are the runs of each kernel, frame and choice of formats: ordinary
// numbers twice, then numbers of every kind, NaNs and infinities too.
var seeds = []struct {
	name  string
	edges bool
}{{"first", false}, {"second", false}, {"edges", true}}

// edited runs every kernel that its recipe gives neither head nor tail, as it is
// and edited, on the same inputs.
func (b *batch) edited() error {
	quiet := &batch{options: b.options} // assemble tells of the recipes
	_, variants, err := quiet.library()
	if err != nil {
		return err
	}
	var first *variant
	for _, v := range variants {
		if v.recipe != "stores" || !v.kernel.Runs() {
			continue
		}
		if first == nil {
			first = &v
		}
		if err := b.pair(v); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	if first == nil {
		return errors.New("no kernel of the library can be run")
	}
	b.count("edited", "wrong functions that are found out", "two halves exchanged", b.control(*first))
	return nil
}

// control runs one kernel with a function that stores a pair the wrong way
// round: the comparison must see it.
func (b *batch) control(v variant) error {
	wrong := bytes.Replace(functions, []byte("{%h1, %h2};"), []byte("{%h2, %h1};"), 1)
	plain, edited, err := b.forms(v, wrong)
	if err != nil {
		return err
	}
	defer b.d.ModuleUnload(plain)
	defer b.d.ModuleUnload(edited)
	l := launch{v.kernel, frames[0], 0, seeds[0].name, false}
	one, err := l.run(b.d, plain)
	if err != nil {
		return err
	}
	other, err := l.run(b.d, edited)
	if err != nil {
		return err
	}
	for i := range one {
		if !bytes.Equal(one[i].after, other[i].after) {
			return nil
		}
	}
	return errors.New("the comparison sees no difference")
}

// forms compiles a kernel as it is and edited.
func (b *batch) forms(v variant, functions []byte) (plain, edited uint64, err error) {
	var forms [2]uint64
	for i, text := range [][]byte{v.module.Text, v.edited} {
		one, err := alone(text, v.kernel.Name)
		if err != nil {
			return 0, 0, err
		}
		if forms[i], err = b.d.link(one, functions); err != nil {
			return 0, 0, err
		}
	}
	return forms[0], forms[1], nil
}

// pair compares the two forms of one kernel. An error is one after which no
// kernel can be run.
func (b *batch) pair(v variant) error {
	d := b.d
	plain, edited, err := b.forms(v, functions)
	b.count("edited", "kernels compiled", v.name, err)
	if err != nil {
		return nil
	}
	defer d.ModuleUnload(plain)
	defer d.ModuleUnload(edited)
	for _, f := range frames {
		for choice := range choices(v.kernel) {
			for _, s := range seeds {
				if err := b.ctx.Err(); err != nil {
					return err
				}
				l := launch{v.kernel, f, choice, s.name, s.edges}
				var stored [2][]memory
				for i, form := range [2]uint64{plain, edited} {
					var err error
					if stored[i], err = l.run(d, form); err != nil {
						return fmt.Errorf("%s: %w", l, err)
					}
				}
				b.count("edited", string(v.kernel.Group)+": launches that store the same", l.String(), b.same(stored[0], stored[1]))
			}
		}
	}
	return nil
}

// choices is how many formats the surface with the most of them has.
func choices(k standin.Kernel) int {
	n := 1
	for _, p := range k.Params {
		n = max(n, 1+len(p.Others))
	}
	return n
}

// memory is what a surface or a pointer held before and after.
type memory struct {
	name          string
	before, after []byte
	row, texel    int
}

// same compares all that was stored, and that all of it was stored.
func (b *batch) same(plain, edited []memory) error {
	for i, p := range plain {
		e := edited[i]
		if !bytes.Equal(p.before, e.before) {
			return fmt.Errorf("%s: the two runs began differently", p.name)
		}
		t := b.of("edited", "bytes compared")
		t.Done += uint64(len(p.after))
		if at := different(p.after, e.after); at >= 0 {
			return fmt.Errorf("%s: byte %d (x %d, y %d) is %#02x in the original's, %#02x in the edited kernel's", p.name, at, at%p.row/p.texel, at/p.row, p.after[at], e.after[at])
		}
		if p.texel > 1 && bytes.Equal(p.before, p.after) {
			return fmt.Errorf("%s was not written", p.name)
		}
	}
	return nil
}

func different(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// launch is one run of a kernel.
type launch struct {
	kernel standin.Kernel
	frame  standin.Frame
	choice int // of formats
	seed   string
	edges  bool
}

func (l launch) String() string {
	return fmt.Sprintf("%s %dx%d to %dx%d, formats %d, %s", l.kernel.Name, l.frame.InWidth, l.frame.InHeight, l.frame.OutWidth, l.frame.OutHeight, l.choice, l.seed)
}

// run fills textures and memory, launches, and reads back what can be written.
func (l launch) run(d *driver, module uint64) ([]memory, error) {
	type output struct {
		memory
		read func() ([]byte, error)
	}
	var written []output
	k := l.kernel
	block := make([]byte, k.ParamBytes)
	for _, p := range k.Params {
		switch p.Role {
		case standin.Scalar:
			binary.LittleEndian.PutUint32(block[p.Offset:], p.Value(l.frame))
		case standin.Pointer:
			data := l.contents(p)
			at, err := d.buffer(data)
			if err != nil {
				return nil, err
			}
			defer d.MemFree(at)
			binary.LittleEndian.PutUint64(block[p.Offset:], at)
			if p.Writes {
				after := func() ([]byte, error) { return d.read(at, len(data)) }
				written = append(written, output{memory{name: p.Name, before: data, row: len(data), texel: 1}, after})
			}
		default:
			m, data, err := l.image(p)
			if err != nil {
				return nil, err
			}
			pic, err := d.picture(m, p.Role == standin.Surface, data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name, err)
			}
			defer d.free(pic)
			binary.LittleEndian.PutUint64(block[p.Offset:], pic.object)
			if p.Role == standin.Surface {
				after := func() ([]byte, error) { return d.texels(pic) }
				written = append(written, output{memory{p.Name, data, nil, pic.bytesPerRow(), m.Format.Texel()}, after})
			}
		}
	}
	if err := d.launch(module, k.Name, k.Grid(l.frame), k.Block, [][]byte{block}); err != nil {
		return nil, err
	}
	var stored []memory
	for _, o := range written {
		var err error
		if o.after, err = o.read(); err != nil {
			return nil, err
		}
		stored = append(stored, o.memory)
	}
	return stored, nil
}

// image is the shape and the contents of a texture or a surface.
func (l launch) image(p standin.Param) (m emittest.Image, data []byte, err error) {
	word := p.Format
	if p.Role == standin.Surface && l.choice > 0 && len(p.Others) > 0 {
		word = p.Others[min(l.choice, len(p.Others))-1]
	}
	if word == "rgba8" {
		word = "rgba8n"
	}
	f, ok := emittest.ParseFormat(word)
	if !ok {
		return m, nil, fmt.Errorf("%s has a format that is not known here: %s", p.Name, word)
	}
	w, h := p.Extent.Of(l.frame)
	m = emittest.Image{Format: f, Width: w, Height: h, Linear: p.Filter == "linear", Normalized: true}
	if p.Role == standin.Surface {
		return m, bytes.Repeat([]byte{0xa5}, w*h*f.Texel()), nil
	}
	return m, l.fill(p, emittest.Type{Base: 'f', Bits: f.Bits}, w*h*f.Channels), nil
}

// contents is what memory holds: zeros where a kernel counts, f32 where there
// are a few numbers, f16 where there are many.
func (l launch) contents(p standin.Param) []byte {
	n := p.Bytes
	if w, h := p.Extent.Of(l.frame); w > 0 {
		n *= w * h
	}
	switch {
	case p.Writes:
		return make([]byte, n)
	case p.Extent == standin.Fixed:
		return l.fill(p, emittest.Type{Base: 'f', Bits: 32}, n/4)
	}
	return l.fill(p, emittest.Type{Base: 'f', Bits: 16}, n/2)
}

// ranges are of ordinary numbers: depths, motion in fractions of what the kernel
// multiplies it with, exposure; the others are colours or weights.
var ranges = map[string][2]float64{"depth": {0, 1}, "motion": {-0.75, 0.75}, "history": {0, 1}, "weights": {-4, 4}, "exposure": {0.25, 2}}

func (l launch) fill(p standin.Param, t emittest.Type, count int) []byte {
	how := emittest.Fill{How: "range", Lo: 0, Hi: 3}
	if r, ok := ranges[p.Name]; ok {
		how.Lo, how.Hi = r[0], r[1]
	}
	if l.edges && p.Name != "exposure" {
		how = emittest.Fill{How: "edges"}
	}
	return how.Bytes(t, count, emittest.Seed(l.String()+"."+p.Name))
}
