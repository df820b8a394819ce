package model

import (
	"fmt"

	"kmx/validate/layout"
)

// Memory is what a launch can reach.
type Memory interface {
	// Read returns n bytes at addr. The caller does not change them.
	Read(addr uint64, n int) ([]byte, error)
}

// Buffers is memory made of byte slices at addresses. Slices must not overlap.
type Buffers map[uint64][]byte

// Read is part of Memory; n bytes must lie in one slice.
func (b Buffers) Read(addr uint64, n int) ([]byte, error) {
	for base, data := range b {
		if addr >= base && addr-base <= uint64(len(data)) {
			if rest := data[addr-base:]; len(rest) >= n {
				return rest[:n], nil
			}
			return nil, fmt.Errorf("%d bytes at %#x go past the end of the %d bytes at %#x", n, addr, len(data), base)
		}
	}
	return nil, fmt.Errorf("%d bytes at %#x lie in no buffer", n, addr)
}

// Store copies the outputs of a launch into the slices.
func (b Buffers) Store(outputs []Output) error {
	for _, o := range outputs {
		to, err := b.Read(o.Addr, len(o.Data))
		if err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
		copy(to, o.Data)
	}
	return nil
}

// Launch is a kernel launch as the driver sees it.
type Launch struct {
	Params []byte    // the kernel's parameter block
	Grid   [3]uint32 // work-groups; zeros cover the image
	Memory Memory
}

// Output is a buffer after a launch: what was there, with what the kernel
// wrote.
type Output struct {
	Name string // "out", "merged" or "flags"
	Addr uint64
	Data []byte
}

// Run computes what the named kernel does with its parameter block and memory,
// which stays as it is. Flags of the tube that are waited for count as set.
func Run(kernel string, launch Launch, o Options) ([]Output, error) {
	l, err := layout.Find(kernel)
	if err != nil {
		return nil, err
	}
	var r reader
	if l.Family == layout.M {
		r, err = readM(l, launch)
	} else {
		r, err = readK(l, launch)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kernel, err)
	}
	if err := Apply(l, r.call, o); err != nil {
		return nil, err
	}
	return r.outputs, nil
}

// reader collects the buffers of a call; the first problem stays.
type reader struct {
	mem     Memory
	call    Call
	outputs []Output
	err     error
}

func (r *reader) input(what string, addr uint64, n int) []byte {
	data, err := r.mem.Read(addr, n)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", what, err)
	}
	return data
}

// output is a copy of the buffer, to be written to.
func (r *reader) output(name string, addr uint64, n int) []byte {
	data := append([]byte(nil), r.input(name, addr, n)...)
	r.outputs = append(r.outputs, Output{name, addr, data})
	return data
}

func newReader(w, h, sx, sy int32, launch Launch) reader {
	return reader{mem: launch.Memory, call: Call{
		// Apply complains about sizes outside 1 to maxSide.
		Grid:   layout.Grid{W: min(max(0, int(w)), maxSide+1), H: min(max(0, int(h)), maxSide+1)},
		ShiftX: int(sx), ShiftY: int(sy),
		NX: int(launch.Grid[0]), NY: int(launch.Grid[1]),
	}}
}

func readK(l layout.Layer, launch Launch) (reader, error) {
	p, err := layout.DecodeKParams(launch.Params)
	if err != nil {
		return reader{}, err
	}
	r := newReader(p.W, p.H, p.ShiftX, p.ShiftY, launch)
	c := &r.call
	c.Weights = r.input("weights", p.Weights, l.WeightBytes())
	switch {
	case l.Decoder():
		c.In = r.input("input", p.In, layout.KBytes(c.Grid.Half(), l.Low))
		c.Skip = r.input("skip input", p.Skip, layout.KBytes(c.Grid, l.C))
	case l.Embed > 0:
		c.In = r.input("input", p.In, layout.KBytes(c.Grid, l.Embed))
	default:
		c.In = r.input("input", p.In, layout.KBytes(c.Grid, l.C))
	}
	switch {
	case l.Merge > 0:
		c.Out = r.output("out", p.Full, layout.KBytes(c.Grid, l.C))
		c.Merged = r.output("merged", p.Out, layout.KBytes(c.Grid.Half(), l.Merge))
	case l.Head > 0:
		c.Out = r.output("out", p.Out, layout.KBytes(c.Grid, l.Head))
	default:
		c.Out = r.output("out", p.Out, layout.KBytes(c.Grid, l.C))
	}
	return r, r.err
}

func readM(l layout.Layer, launch Launch) (reader, error) {
	p, err := layout.DecodeMParams(launch.Params, l.Tube)
	if err != nil {
		return reader{}, err
	}
	r := newReader(p.W, p.H, p.ShiftX, p.ShiftY, launch)
	c := &r.call
	c.Weights = r.input("weights", p.Weights, l.WeightBytes())
	if l.Decoder() {
		c.In = r.input("input", p.In, layout.MBytes(c.Grid.Half(), l.Low))
		c.Skip = r.input("skip input", p.Skip, layout.MBytes(c.Grid, l.C))
	} else {
		c.In = r.input("input", p.In, layout.MBytes(c.Grid, l.C))
	}
	c.Out = r.output("out", p.Out, layout.MBytes(c.Grid, l.C))
	if l.Merge > 0 {
		c.Merged = r.output("merged", p.Merged, layout.MBytes(c.Grid.Half(), l.Merge))
	}
	if l.Tube && p.OutFlags != 0 {
		r.flags(p.OutFlags)
	}
	return r, r.err
}

// flags sets the tube's own flag for each of its work-groups; bytes between
// flags are not written.
func (r *reader) flags(addr uint64) {
	nx, ny := r.call.NX, r.call.NY
	if nx == 0 || ny == 0 {
		nx, ny = r.call.Grid.Blocks(r.call.ShiftX, r.call.ShiftY)
	}
	if nx*ny == 0 {
		return
	}
	data := r.output("flags", addr, layout.FlagOffset(nx-1, ny-1, nx)+1)
	if r.err != nil {
		return
	}
	for by := range ny {
		for bx := range nx {
			data[layout.FlagOffset(bx, by, nx)] = 1
		}
	}
}
