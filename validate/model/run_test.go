package model

import (
	"bytes"
	"strings"
	"testing"

	"kmx/validate/layout"
)

// launch puts a fixture's buffers into memory with gaps between them.
func launch(f fixture) (Launch, Buffers) {
	mem, next := Buffers{}, uint64(0x10000)
	place := func(data []byte) uint64 {
		if data == nil {
			return 0
		}
		addr := next
		mem[addr] = data
		next += uint64(len(data))/4096*4096 + 3*4096
		return addr
	}
	c, l := f.call, f.layer
	in, skip, weights, out := place(c.In), place(c.Skip), place(c.Weights), place(c.Out)
	var merged uint64
	if l.Merge > 0 {
		merged = place(c.Merged)
	}
	var params []byte
	if l.Family == layout.M {
		params = layout.MParams{
			Weights: weights, ShiftX: int32(c.ShiftX), ShiftY: int32(c.ShiftY), W: int32(c.Grid.W), H: int32(c.Grid.H),
			In: in, Skip: skip, Out: out, Merged: merged,
		}.Encode(l.Tube)
	} else {
		p := layout.KParams{
			W: int32(c.Grid.W), H: int32(c.Grid.H), In: in, Skip: skip, Out: out,
			ShiftX: int32(c.ShiftX), ShiftY: int32(c.ShiftY), Weights: weights,
		}
		if l.Merge > 0 {
			p.Out, p.Full = merged, out
		}
		params = p.Encode()
	}
	return Launch{Params: params, Memory: mem}, mem
}

// TestRunIsApply runs every layer from its parameter block and memory.
func TestRunIsApply(t *testing.T) {
	for _, l := range tested() {
		f := newFixture(l, layout.Grid{W: 8, H: 9}, 0, 2, 14)
		want := f.run(t, Options{Mode: FastFP8, Generation: 11})
		f = f.fresh()
		la, mem := launch(f)
		outputs, err := Run(l.Name, la, Options{Mode: FastFP8, Generation: 11})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.call.Out, poison(len(f.call.Out))) {
			t.Errorf("%s: Run writes to the memory itself", l.Name)
		}
		if err := mem.Store(outputs); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.call.Out, want.Out) || !bytes.Equal(f.call.Merged, want.Merged) {
			t.Errorf("%s: Run and Apply differ", l.Name)
		}
		if names := len(outputs); names != 1+map[bool]int{true: 1}[l.Merge > 0] {
			t.Errorf("%s: %d outputs", l.Name, names)
		}
	}
}

// TestTubeFlags holds what the tube writes to its flags: one byte for each
// work-group, nothing between them, nothing without an address.
func TestTubeFlags(t *testing.T) {
	l := find(t, "m/enc3_tube")
	f := newFixture(l, layout.Grid{W: 18, H: 10}, 2, 2, 15)
	la, mem := launch(f)
	p, err := layout.DecodeMParams(la.Params, true)
	if err != nil {
		t.Fatal(err)
	}
	nx, ny := f.call.Grid.Blocks(2, 2)
	const addr = 0x5000000
	mem[addr] = poison(32 * nx * ny)
	p.OutFlags = addr
	la.Params = p.Encode(true)
	la.Grid = [3]uint32{uint32(nx), uint32(ny), 1}
	outputs, err := Run(l.Name, la, Options{Mode: Fast, Generation: 12})
	if err != nil {
		t.Fatal(err)
	}
	if err := mem.Store(outputs); err != nil {
		t.Fatal(err)
	}
	want := poison(32 * nx * ny)
	for i := range nx * ny {
		want[32*i] = 1
	}
	if nx != 3 || ny != 2 || !bytes.Equal(mem[addr], want) {
		t.Errorf("flags of %dx%d work-groups: % x", nx, ny, mem[addr])
	}
}

func TestRunSaysWhatIsWrong(t *testing.T) {
	enc := newFixture(find(t, "k/enc1"), layout.Grid{W: 8, H: 8}, 0, 0, 1)
	dec := newFixture(find(t, "m/dec1"), layout.Grid{W: 8, H: 8}, 0, 0, 1)
	good := Options{Generation: 12}
	for _, c := range []struct {
		name   string
		f      fixture
		change func(*Launch, Buffers, *string, *Options)
		want   string
	}{
		{"name", enc, func(_ *Launch, _ Buffers, n *string, _ *Options) { *n = "dltss_pwin_enc7_layer" }, "no network layer is called"},
		{"short params", enc, func(l *Launch, _ Buffers, _ *string, _ *Options) { l.Params = l.Params[:100] }, "176 bytes"},
		{"short params", dec, func(l *Launch, _ Buffers, _ *string, _ *Options) { l.Params = l.Params[:40] }, "56 bytes"},
		{"no buffer", enc, func(_ *Launch, m Buffers, _ *string, _ *Options) { delete(m, 0x10000) }, "input: 8192 bytes at 0x10000 lie in no buffer"},
		{"short buffer", dec, func(_ *Launch, m Buffers, _ *string, _ *Options) { m[0x10000] = m[0x10000][:7] }, "go past the end"},
		{"generation", enc, func(_ *Launch, _ Buffers, _ *string, o *Options) { o.Generation = 10 }, "generation 10"},
		{"mode", enc, func(_ *Launch, _ Buffers, _ *string, o *Options) { o.Mode = 7 }, "Mode(7)"},
		{"no grid", enc, func(l *Launch, _ Buffers, _ *string, _ *Options) { clear(l.Params[:4]) }, "0x8 tokens"},
		{"huge grid", enc, func(l *Launch, _ Buffers, _ *string, _ *Options) { l.Params[3], l.Params[7] = 0x7f, 0x7f }, "past the end"},
		{"shift", enc, func(l *Launch, _ Buffers, _ *string, _ *Options) { l.Params[56] = 8 }, "not by (8,0)"},
	} {
		la, mem := launch(c.f.fresh())
		name, o := c.f.layer.Name, good
		c.change(&la, mem, &name, &o)
		if _, err := Run(name, la, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestApplyChecksBuffers hands over buffers that are too small.
func TestApplyChecksBuffers(t *testing.T) {
	for name, cut := range map[string]func(*Call){
		"input:":         func(c *Call) { c.In = c.In[:9] },
		"skip input:":    func(c *Call) { c.Skip = nil },
		"output:":        func(c *Call) { c.Out = c.Out[:9] },
		"the weights of": func(c *Call) { c.Weights = c.Weights[:9] },
	} {
		for _, layer := range []string{"k/dec1", "m/dec1"} {
			f := newFixture(find(t, layer), layout.Grid{W: 8, H: 8}, 0, 0, 1)
			cut(&f.call)
			if err := Apply(f.layer, f.call, Options{Generation: 12}); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v, want %q", layer, err, name)
			}
		}
	}
}

// TestTrace holds that the traced stages are those of the work-group asked for.
func TestTrace(t *testing.T) {
	l := find(t, "k/enc2")
	f := newFixture(l, layout.Grid{W: 16, H: 16}, 0, 0, 16)
	trace := &Trace{BX: 1, BY: 1}
	f.call = f.run(t, Options{Mode: Fast, Trace: trace})
	_, _, out, _ := images(t, f, f.call.Grid)
	y, err := trace.Find("y")
	if err != nil {
		t.Fatal(err)
	}
	got := out.readSquare(layout.Square{X: 8, Y: 8})
	for i := range y.V {
		if y.V[i] != got.V[i] {
			t.Fatalf("value %d of y is %v, stored is %v", i, y.V[i], got.V[i])
		}
	}
	if _, err := trace.Find("z"); err == nil || !strings.Contains(err.Error(), "head0.scores") {
		t.Errorf("%v", err)
	}
}

// FuzzRun feeds parameter blocks of any content: an answer or an error, never
// a panic.
func FuzzRun(f *testing.F) {
	for _, name := range []string{"k/enc1", "k/dec0", "m/enc1", "m/enc3_tube", "m/dec2"} {
		l := find(f, name)
		la, _ := launch(newFixture(l, layout.Grid{W: 8, H: 8}, 0, 0, 1))
		f.Add(l.Name, la.Params)
	}
	mem := Buffers{0x10000: make([]byte, 1<<20)}
	f.Fuzz(func(t *testing.T, kernel string, params []byte) {
		// One work-group: what is fuzzed is the reading of the block.
		outputs, err := Run(kernel, Launch{Params: params, Grid: [3]uint32{1, 1, 1}, Memory: mem}, Options{Generation: 12})
		if err == nil && len(outputs) == 0 {
			t.Error("a run without outputs")
		}
	})
}
