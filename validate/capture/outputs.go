package capture

import (
	"fmt"

	"kmx/validate/layout"
	"kmx/validate/model"
)

// Region is a part of memory that a launch writes.
type Region struct {
	Name   string // "out", "merged" or "flags"
	Addr   uint64
	Bytes  int
	Flags  bool // single bytes among others that stay; else an activation
	Family layout.Family
	// Of an activation: its size in tokens and channels.
	Grid     layout.Grid
	Channels int
}

// Outputs are the regions that the launch of a network layer writes, by its
// parameters. Other kernels have none that are known.
func Outputs(c *Capture) ([]Region, error) {
	l, err := layout.Find(c.Kernel)
	if err != nil {
		return nil, err
	}
	if l.Family == layout.K {
		return kOutputs(l, c)
	}
	return mOutputs(l, c)
}

func kOutputs(l layout.Layer, c *Capture) ([]Region, error) {
	p, err := layout.DecodeKParams(c.Args)
	if err != nil {
		return nil, err
	}
	g, err := gridOf(p.W, p.H)
	if err != nil {
		return nil, err
	}
	activation := func(name string, addr uint64, g layout.Grid, channels int) Region {
		return Region{Name: name, Addr: addr, Bytes: layout.KBytes(g, channels), Family: layout.K, Grid: g, Channels: channels}
	}
	switch {
	case l.Merge > 0:
		return []Region{activation("out", p.Full, g, l.C), activation("merged", p.Out, g.Half(), l.Merge)}, nil
	case l.Head > 0:
		return []Region{activation("out", p.Out, g, l.Head)}, nil
	}
	return []Region{activation("out", p.Out, g, l.C)}, nil
}

func mOutputs(l layout.Layer, c *Capture) ([]Region, error) {
	p, err := layout.DecodeMParams(c.Args, l.Tube)
	if err != nil {
		return nil, err
	}
	g, err := gridOf(p.W, p.H)
	if err != nil {
		return nil, err
	}
	activation := func(name string, addr uint64, g layout.Grid, channels int) Region {
		return Region{Name: name, Addr: addr, Bytes: layout.MBytes(g, channels), Family: layout.M, Grid: g, Channels: channels}
	}
	rs := []Region{activation("out", p.Out, g, l.C)}
	if l.Merge > 0 {
		rs = append(rs, activation("merged", p.Merged, g.Half(), l.Merge))
	}
	if l.Tube && p.OutFlags != 0 {
		nx, ny := int(c.Grid[0]), int(c.Grid[1])
		rs = append(rs, Region{Name: "flags", Addr: p.OutFlags, Bytes: layout.FlagOffset(nx-1, ny-1, nx) + 1, Flags: true, Family: layout.M})
	}
	return rs, nil
}

// gridOf bounds a size that parameters give.
func gridOf(w, h int32) (layout.Grid, error) {
	const side = 1 << 15
	if w < 1 || h < 1 || w > side || h > side {
		return layout.Grid{}, fmt.Errorf("the parameters say %dx%d tokens: each side must be 1 to %d", w, h, side)
	}
	return layout.Grid{W: int(w), H: int(h)}, nil
}

// place says which number of an activation index i of its memory is.
func (r Region) place(i int) string {
	if r.Flags || r.Channels == 0 {
		return fmt.Sprintf("byte %d", i)
	}
	x, y, ch := 0, 0, 0
	if r.Family == layout.K {
		ch = i % r.Channels
		x, y = i/r.Channels%r.Grid.W, i/r.Channels/r.Grid.W
	} else {
		plane := r.Grid.Tokens() * 32
		ch = i/plane*32 + i%32
		x, y = i%plane/32%r.Grid.W, i%plane/32/r.Grid.W
	}
	return fmt.Sprintf("channel %d of token (%d,%d)", ch, x, y)
}

// Model computes a captured launch of a network layer with the reference model
// and returns the capture with the memory afterwards.
func Model(c *Capture, o model.Options) (*Capture, error) {
	if err := c.Unreplayable(); err != nil {
		return nil, err
	}
	outputs, err := model.Run(c.Kernel, model.Launch{Params: c.Args, Grid: c.Grid, Memory: c}, o)
	if err != nil {
		return nil, err
	}
	after := c.Clone()
	for _, out := range outputs {
		to, err := after.Read(out.Addr, len(out.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", out.Name, err)
		}
		copy(to, out.Data)
	}
	return after, nil
}
