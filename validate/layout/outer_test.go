package layout

import "testing"

// The parts of each head and tail lie where the descriptions have them, do not
// overlap, and end where the buffer does.
func TestOuterLayout(t *testing.T) {
	for _, c := range []struct {
		outer Outer
		first int // byte of the first part
	}{{Enc0Tail, 4096}, {Dec0Head, 0}, {LEnc0Tail, 4096}, {LDec0Block, 0}} {
		o := c.outer
		owner := make([]string, o.Bytes)
		claim := func(f Field, base int) {
			for r := range f.Rows {
				for col := range f.Cols {
					for i := range f.Type.Size() {
						at := base + f.Offset(r, col) + i
						if at >= o.Bytes || owner[at] != "" {
							t.Fatalf("%s: byte %d of %s[%d,%d] is taken or outside", o.Name, at, f.Name, r, col)
						}
						owner[at] = f.Name
					}
				}
			}
		}
		for _, l := range []Linear{o.Linear, o.Embed1, o.Embed2} {
			for _, f := range present([]Field{l.W, l.Bias}) {
				claim(f, 0)
			}
		}
		if o.Layer.C > 0 {
			for _, f := range o.Layer.Fields() {
				claim(f, o.Block)
			}
		}
		for at, name := range owner {
			if (name == "") != (at < c.first) {
				t.Errorf("%s: byte %d belongs to %q", o.Name, at, name)
				break
			}
		}
		if got := len(o.GenerateWeights(1)); got != o.Bytes {
			t.Errorf("%s: %d bytes of weights are generated, want %d", o.Name, got, o.Bytes)
		}
	}
}

// Numbers of descriptions of the buffers: a fragment is 512 bytes, of which a
// column has 64 by its number mod 8; the outputs of a tail are in pair order.
func TestOuterOffsets(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"tail row 0, channel 0", Enc0Tail.Linear.W.Offset(0, 0), 4096},
		{"tail row 37, channel 0", Enc0Tail.Linear.W.Offset(37, 0), 4096 + 512 + 16 + 1},
		{"tail row 16, channel 0", Enc0Tail.Linear.W.Offset(16, 0), 4096 + 4},
		{"tail row 0, channel 4", Enc0Tail.Linear.W.Offset(0, 4), 4096 + 64*2},
		{"tail row 0, channel 2", Enc0Tail.Linear.W.Offset(0, 2), 4096 + 512*4},
		{"tail bias, channel 2", Enc0Tail.Linear.Bias.Offset(0, 2), 12288 + 2*16},
		{"head row 32, channel 2", Dec0Head.Linear.W.Offset(32, 2), 512 + 512*2},
		{"head bias, channel 127", Dec0Head.Linear.Bias.Offset(0, 127), 8192 + 2*127},
		{"feature 17 of pixel (3, 2)", FeatureOffset(3, 2, 17), 1024 + 256 + 48 + 1},
	} {
		if c.got != c.want {
			t.Errorf("%s is at byte %d, want %d", c.name, c.got, c.want)
		}
	}
}
