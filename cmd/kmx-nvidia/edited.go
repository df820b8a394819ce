//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"

	"kmx/cuda/ptx"
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
	c, err := emittest.Standin(v.kernel, v.edited, emittest.Launch{Frame: frames[0], Seed: seeds[0].name})
	if err != nil {
		return err
	}
	one, err := b.runModule(plain, c)
	if err != nil {
		return err
	}
	other, err := b.runModule(edited, c)
	if err != nil {
		return err
	}
	if stored(c, one, other) == nil {
		return errors.New("the comparison sees no difference")
	}
	return nil
}

// forms compiles a kernel as it is and edited.
func (b *batch) forms(v variant, functions []byte) (plain, edited uint64, err error) {
	var forms [2]uint64
	after, err := ptx.Parse(v.name, v.edited)
	if err != nil {
		return 0, 0, err
	}
	for i, m := range []*ptx.Module{v.module, after} {
		one, err := emittest.Alone(m, v.kernel.Name)
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
				l := emittest.Launch{Frame: f, Formats: choice, Seed: s.name, Edges: s.edges}
				c, err := emittest.Standin(v.kernel, v.edited, l)
				if err != nil {
					return err
				}
				one, err := b.runModule(plain, c)
				if err != nil {
					return fmt.Errorf("%s: %w", l, err)
				}
				other, err := b.runModule(edited, c)
				if err != nil {
					return fmt.Errorf("%s, edited: %w", l, err)
				}
				for _, bytes := range one {
					b.of("edited", "bytes compared").Done += uint64(len(bytes))
				}
				b.count("edited", string(v.kernel.Group)+": launches that store the same", v.kernel.Name+" "+l.String(), stored(c, one, other))
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

// stored compares all that two runs stored, byte for byte, and asks that every
// surface was written.
func stored(c emittest.Case, one, other [][]byte) error {
	for i, p := range c.Params {
		if !p.Out {
			continue
		}
		for at := range one[i] {
			if one[i][at] != other[i][at] {
				return fmt.Errorf("%s: byte %d of %d is %#02x in the original's, %#02x in the edited kernel's", p.Name, at, len(one[i]), one[i][at], other[i][at])
			}
		}
		if p.Kind == emittest.Surface && bytes.Equal(one[i], c.Start(i)) {
			return fmt.Errorf("%s was not written", p.Name)
		}
	}
	return nil
}
