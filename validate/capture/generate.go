package capture

import (
	"fmt"

	"kmx/validate/layout"
)

// Case is what a generated capture of a layer looks like.
type Case struct {
	Name           string
	Grid           layout.Grid // of the full resolution, in tokens
	ShiftX, ShiftY int
	Seed           uint64
	// Stress draws weights and tokens that reach for the ends of the formats.
	Stress bool
	// Faint draws tokens that are nearly zero.
	Faint bool
	// Flags makes a launch of the tube wait for its neighbours' flags, which are
	// set, and set its own.
	Flags bool
}

func (c Case) String() string {
	return fmt.Sprintf("%s: %dx%d tokens, shift (%d,%d), seed %d", c.Name, c.Grid.W, c.Grid.H, c.ShiftX, c.ShiftY, c.Seed)
}

// Cases are the launches that a layer is tried with: sizes that fill their
// windows and sizes that do not, odd ones, every kind of border, shifts, several
// windows each way, and numbers at the ends of the formats.
func Cases(l layout.Layer) []Case {
	cases := []Case{
		{Name: "one window", Grid: layout.Grid{W: 8, H: 8}, Seed: 1},
		{Name: "several windows", Grid: layout.Grid{W: 24, H: 16}, Seed: 2},
		{Name: "shifted", Grid: layout.Grid{W: 16, H: 24}, ShiftX: 4, ShiftY: 4, Seed: 3},
		{Name: "odd size", Grid: layout.Grid{W: 19, H: 13}, Seed: 4},
		{Name: "odd size, shifted", Grid: layout.Grid{W: 13, H: 21}, ShiftX: 2, ShiftY: 6, Seed: 5},
		{Name: "narrow", Grid: layout.Grid{W: 9, H: 30}, ShiftX: 6, Seed: 6},
		{Name: "stress", Grid: layout.Grid{W: 18, H: 10}, ShiftX: 2, ShiftY: 2, Seed: 7, Stress: true},
	}
	if l.Family == layout.M {
		for i := range cases {
			cases[i].ShiftX, cases[i].ShiftY = min(2, cases[i].ShiftX), min(2, cases[i].ShiftY)
		}
	}
	if l.Tube {
		cases = append(cases, Case{Name: "flags", Grid: layout.Grid{W: 24, H: 16}, ShiftX: 2, ShiftY: 2, Seed: 8, Flags: true})
	}
	return cases
}

// Untouched is what output buffers hold before a launch, so that what is not
// written can be told.
const Untouched = 0xa5

// builder places buffers at addresses that do not look like other parameters.
type builder struct {
	c    *Capture
	next uint64
}

// add makes an allocation with `lead` bytes before the buffer, as when an
// allocation holds more than one thing, and returns the buffer's address.
func (b *builder) add(lead int, data []byte) uint64 {
	const step, margin = 1 << 24, 4 << 20
	all := make([]byte, lead, lead+len(data))
	for i := range all {
		all[i] = Untouched
	}
	all = append(all, data...)
	base := b.next
	b.next += (uint64(len(all)) + margin + step - 1) / step * step
	b.c.Allocations = append(b.c.Allocations, Allocation{Number: len(b.c.Allocations), Base: base, Data: all})
	return base + uint64(lead)
}

func (b *builder) output(n int) uint64 {
	data := make([]byte, n)
	for i := range data {
		data[i] = Untouched
	}
	return b.add(0, data)
}

// Generate makes the capture of a launch of a layer. The bytes depend on the
// case alone.
func Generate(l layout.Layer, k Case) (*Capture, error) {
	if _, err := gridOf(int32(min(k.Grid.W, 1<<20)), int32(min(k.Grid.H, 1<<20))); err != nil {
		return nil, err
	}
	if k.Grid.W < 2 || k.Grid.H < 2 {
		return nil, fmt.Errorf("%dx%d tokens have no half resolution", k.Grid.W, k.Grid.H)
	}
	if k.ShiftX < 0 || k.ShiftX >= layout.Side || k.ShiftY < 0 || k.ShiftY >= layout.Side {
		return nil, fmt.Errorf("windows are shifted by 0 to %d tokens, not by (%d,%d)", layout.Side-1, k.ShiftX, k.ShiftY)
	}
	if k.Flags && !l.Tube {
		return nil, fmt.Errorf("%s has no flags; only the tube does", l.Name)
	}
	nx, ny := k.Grid.Blocks(k.ShiftX, k.ShiftY)
	c := &Capture{Kernel: l.Name, Grid: [3]uint32{uint32(nx), uint32(ny), 1}, Block: [3]uint32{32, 1, uint32(l.Heads)}}
	b := &builder{c: c, next: 0x7f2a_0000_0000}
	tokens, weights := l.GenerateTokens, l.GenerateWeights
	if k.Stress {
		tokens, weights = l.StressTokens, l.StressWeights
	}
	if k.Faint {
		tokens = l.FaintTokens
	}
	in, skip := b.inputs(l, k, tokens)
	w := b.add(256, weights(k.Seed))
	if l.Family == layout.K {
		c.Args = b.kParams(l, k, in, skip, w)
	} else {
		c.Args = b.mParams(l, k, nx, ny, in, skip, w)
	}
	c.FindPointers()
	return c, nil
}

func (b *builder) inputs(l layout.Layer, k Case, tokens func(uint64, layout.Grid, int) []byte) (in, skip uint64) {
	switch {
	case l.Decoder():
		in = b.add(0, tokens(k.Seed+1000, k.Grid.Half(), l.Low))
		skip = b.add(512, tokens(k.Seed+2000, k.Grid, l.C))
	case l.Embed > 0:
		in = b.add(0, tokens(k.Seed+1000, k.Grid, l.Embed))
	default:
		in = b.add(0, tokens(k.Seed+1000, k.Grid, l.C))
	}
	return in, skip
}

func (b *builder) kParams(l layout.Layer, k Case, in, skip, weights uint64) []byte {
	p := layout.KParams{W: int32(k.Grid.W), H: int32(k.Grid.H), In: in, Skip: skip, ShiftX: int32(k.ShiftX), ShiftY: int32(k.ShiftY), Weights: weights}
	switch {
	case l.Merge > 0:
		p.Full = b.output(layout.KBytes(k.Grid, l.C))
		p.Out = b.output(layout.KBytes(k.Grid.Half(), l.Merge))
	case l.Head > 0:
		p.Out = b.output(layout.KBytes(k.Grid, l.Head))
	default:
		p.Out = b.output(layout.KBytes(k.Grid, l.C))
	}
	return p.Encode()
}

func (b *builder) mParams(l layout.Layer, k Case, nx, ny int, in, skip, weights uint64) []byte {
	p := layout.MParams{W: int32(k.Grid.W), H: int32(k.Grid.H), In: in, Skip: skip, ShiftX: int32(k.ShiftX), ShiftY: int32(k.ShiftY), Weights: weights}
	p.Out = b.output(layout.MBytes(k.Grid, l.C))
	if l.Merge > 0 {
		p.Merged = b.output(layout.MBytes(k.Grid.Half(), l.Merge))
	}
	if k.Flags {
		flags := make([]byte, layout.FlagOffset(nx-1, ny-1, nx)+layout.FlagStride)
		for y := range ny {
			for x := range nx {
				flags[layout.FlagOffset(x, y, nx)] = 1
			}
		}
		p.BoundX, p.BoundY = int32(nx), int32(ny)
		p.DX, p.DY = -1, -1
		p.InFlags = b.add(0, flags)
		p.OutFlags = b.output(len(flags))
	}
	return p.Encode(l.Tube)
}
