package layout

import (
	"testing"

	"kmx/internal/num"
)

func mustFind(t *testing.T, name string) Layer {
	t.Helper()
	l, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestKOffsets compares with offsets that were read off the original kernels'
// weight buffers, not computed.
func TestKOffsets(t *testing.T) {
	type row struct {
		core, qkv, head, table, bo, wo, g2, b2, w1, b1, w2, merge, mergeBias, bytes int
	}
	core32 := row{qkv: 64, head: 6144, table: 12352, bo: 28736, wo: 28800, g2: 32896, b2: 32960, w1: 33024, b1: 41216, w2: 41472}
	core64 := row{qkv: 128, head: 12288, table: 24704, bo: 41088, wo: 41216, g2: 49408, b2: 49536, w1: 49664, b1: 82432, w2: 82944}
	core96 := row{qkv: 192, head: 18432, table: 73920, bo: 106688, wo: 106880, g2: 131456, b2: 131648, w1: 131840, b1: 205568, w2: 206336}
	core128 := row{qkv: 256, head: 24576, table: 98560, bo: 131328, wo: 131584, g2: 164352, b2: 164608, w1: 164864, b1: 295936, w2: 296960}
	core160 := row{qkv: 320, head: 30720, table: 246080, bo: 311616, wo: 311936, g2: 393856, b2: 394176, w1: 394496, b1: 599296, w2: 600576}
	with := func(r row, core, merge, mergeBias, bytes int) row {
		r.core, r.merge, r.mergeBias, r.bytes = core, merge, mergeBias, bytes
		return r
	}
	for name, want := range map[string]row{
		"enc0": with(core32, 1088, 49664, 66048, 67264),
		"enc1": with(core64, 0, 115712, 148480, 148608),
		"enc2": with(core64, 0, 115712, 164864, 165056),
		"enc3": with(core96, 0, 280064, 378368, 378624),
		"enc4": with(core128, 0, 428032, 624640, 625024),
		"dec5": with(core160, 0, 0, 0, 805376),
		"dec4": with(core128, 164864, 0, 0, 592896),
		"dec3": with(core96, 99072, 0, 0, 379136),
		"dec2": with(core64, 49664, 0, 0, 165376),
		"dec1": with(core64, 33280, 0, 0, 148992),
		"dec0": with(core32, 16640, 0, 0, 69472),
	} {
		w, err := KLayout(mustFind(t, "k/"+name))
		if err != nil {
			t.Fatal(err)
		}
		o := w.Offsets
		got := row{o.Core, o.QKV, o.HeadStride, o.Table, o.BO, o.WO, o.G2, o.B2, o.W1, o.B1, o.W2, o.Merge, o.MergeBias, w.Bytes}
		if got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
	for name, want := range map[string]int{"dec4": 163840, "dec3": 98304, "dec2": 49152, "dec1": 32768, "dec0": 16384} {
		if w, _ := KLayout(mustFind(t, "k/"+name)); w.Offsets.ExpandBias != want || w.ExpandBias.Offset(0, 0) != want {
			t.Errorf("%s: expand bias at %d, want %d", name, w.Offsets.ExpandBias, want)
		}
	}
	w, _ := KLayout(mustFind(t, "k/dec0"))
	if w.Offsets.HeadBias != 49664 || w.HeadBias.Offset(0, 0) != 16640+49664 || w.Head.Offset(0, 0) != 16640+49664+96 {
		t.Errorf("dec0's head: %+v", w.Offsets)
	}
}

func TestMOffsets(t *testing.T) {
	for name, want := range map[string]struct {
		o     MOffsets
		bytes int
	}{
		"enc1":      {MOffsets{0, 0, 128, 6656, 13440, 13568, 13696, 17856, 17984, 4160, 47104, 71680}, 71872},
		"enc2":      {MOffsets{0, 0, 192, 9728, 39104, 39296, 39488, 45696, 45888, 6208, 114176, 163328}, 163584},
		"enc3_tube": {MOffsets{0, 0, 256, 12800, 51456, 51712, 51968, 60224, 60480, 8256, 0, 0}, 184320},
		"dec2":      {MOffsets{49152, 49920, 50112, 9728, 89024, 89216, 89408, 95616, 95808, 6208, 0, 0}, 164096},
		"dec1":      {MOffsets{24576, 25088, 25216, 6656, 38528, 38656, 38784, 42944, 43072, 4160, 0, 0}, 72192},
	} {
		w, err := MLayout(mustFind(t, "m/"+name))
		if err != nil {
			t.Fatal(err)
		}
		if w.Offsets != want.o || w.Bytes != want.bytes {
			t.Errorf("%s:\n got %+v %d\nwant %+v %d", name, w.Offsets, w.Bytes, want.o, want.bytes)
		}
	}
}

// TestFieldsCoverTheBuffer holds that every byte of every weight buffer belongs
// to exactly one number.
func TestFieldsCoverTheBuffer(t *testing.T) {
	for _, l := range Layers() {
		owner := make([]string, l.WeightBytes())
		for w := range l.Weights() {
			for b := w.Offset; b < w.Offset+w.Size; b++ {
				if b >= len(owner) {
					t.Fatalf("%s: %s lies at %d, past the %d bytes", l.Name, w.Name(), w.Offset, len(owner))
				}
				if owner[b] != "" {
					t.Fatalf("%s: byte %d is %s and %s", l.Name, b, owner[b], w.Name())
				}
				owner[b] = w.Field.Name
			}
			if w.Offset%w.Size != 0 {
				t.Errorf("%s: %s lies at %d, not on its size", l.Name, w.Name(), w.Offset)
			}
		}
		for b, name := range owner {
			if name == "" {
				t.Fatalf("%s: byte %d belongs to nothing", l.Name, b)
			}
		}
	}
}

// TestPlacesByHand holds single elements whose offsets were worked out on
// paper from the fragment's definition.
func TestPlacesByHand(t *testing.T) {
	k0, _ := KLayout(mustFind(t, "k/enc1"))
	k4, _ := KLayout(mustFind(t, "k/enc4"))
	m1, _ := MLayout(mustFind(t, "m/enc1"))
	md, _ := MLayout(mustFind(t, "m/dec2"))
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"k Q[0,0]", k0.Heads[0].Q.Offset(0, 0), 128},
		{"k Q[1,0] pair", k0.Heads[0].Q.Offset(1, 0), 128 + 2},
		{"k Q[2,0] next lane", k0.Heads[0].Q.Offset(2, 0), 128 + 16},
		{"k Q[8,0] second half", k0.Heads[0].Q.Offset(8, 0), 128 + 4},
		{"k Q[0,1]", k0.Heads[0].Q.Offset(0, 1), 128 + 64},
		{"k Q[0,8]", k0.Heads[0].Q.Offset(0, 8), 128 + 8},
		{"k K[0,0]", k0.Heads[0].K.Offset(0, 0), 128 + 2048},
		{"k V[16,0]", k0.Heads[0].V.Offset(16, 0), 128 + 4096 + 512},
		{"k V[32,16]", k0.Heads[0].V.Offset(32, 16), 128 + 6144 + 4096 + 1024},
		{"k head 1 Q", k0.Heads[1].Q.Offset(0, 0), 128 + 12288},
		{"k table query 8", k0.Heads[0].Table.Offset(8, 0), 24704 + 4},
		{"k table key 8", k0.Heads[0].Table.Offset(0, 8), 24704 + 8},
		{"k table query 16", k0.Heads[0].Table.Offset(16, 0), 24704 + 512},
		{"k table key 16", k0.Heads[0].Table.Offset(0, 16), 24704 + 2048},
		{"k merge column 40", k4.Merge.Offset(0, 40), 428032 + 3*128*128},
		{"k merge column 39", k4.Merge.Offset(0, 39), 428032 + 2*128*128 + 64*7},
		{"k merge bias 40", k4.MergeBias.Offset(0, 40), 624640 + 2*48},
		{"k merge unused 0", k4.UnusedBias.Offset(0, 0), 624640 + 2*40},
		{"m Q[0,0]", m1.Heads[0].Q.Offset(0, 0), 128},
		{"m Q[1,0]", m1.Heads[0].Q.Offset(1, 0), 128 + 1},
		{"m Q[4,0]", m1.Heads[0].Q.Offset(4, 0), 128 + 16},
		{"m Q[16,0]", m1.Heads[0].Q.Offset(16, 0), 128 + 4},
		{"m Q[32,0]", m1.Heads[0].Q.Offset(32, 0), 128 + 1024},
		{"m Q channel 1 is column 1", m1.Heads[0].Q.Offset(0, 1), 128 + 64},
		{"m Q channel 2 is column 16", m1.Heads[0].Q.Offset(0, 2), 128 + 512},
		{"m Q channel 4 is column 2", m1.Heads[0].Q.Offset(0, 4), 128 + 128},
		{"m Q channel 16 is column 8", m1.Heads[0].Q.Offset(0, 16), 128 + 8},
		{"m gamma channel 2", m1.G1.Offset(0, 2), 32},
		{"m relative key 1", m1.Heads[0].Relative.Offset(0, 1), 128 + 4096 + 2},
		{"m relative key 2", m1.Heads[0].Relative.Offset(0, 2), 128 + 4096 + 16},
		{"m relative key 8", m1.Heads[0].Relative.Offset(0, 8), 128 + 4096 + 8},
		{"m relative query 8", m1.Heads[0].Relative.Offset(8, 0), 128 + 4096 + 4},
		{"m O of head 1", m1.Heads[1].O.Offset(0, 0), 128 + 6656 + 4096 + 512},
		{"m expand sub-token 1", md.Expand.Offset(0, 96), 16 * 128 * 6},
	} {
		if c.got != c.want {
			t.Errorf("%s lies at %d, want %d", c.name, c.got, c.want)
		}
	}
}

func TestPairColumnIsAPermutation(t *testing.T) {
	seen := map[int]bool{}
	for c := range 128 {
		n := pairColumn(c)
		if n>>5 != c>>5 || seen[n] {
			t.Errorf("channel %d takes column %d", c, n)
		}
		seen[n] = true
	}
}

func TestFieldRoundTrip(t *testing.T) {
	for _, l := range Layers() {
		buf := make([]byte, l.WeightBytes())
		n := 0
		for w := range l.Weights() {
			w.Field.Set(buf, w.Row, w.Col, num.E4M3(n%0x7f).F16())
			n++
		}
		n = 0
		for w := range l.Weights() {
			if got, want := w.Field.Get(buf, w.Row, w.Col), num.E4M3(n%0x7f).F16(); got != want {
				t.Fatalf("%s: %s is %#x, want %#x", l.Name, w.Name(), got, want)
			}
			n++
		}
		for _, f := range l.Fields() {
			if f.Start() < 0 || f.End() > len(buf) || f.End()-f.Start() < f.Rows*f.Cols*f.Type.Size() {
				t.Errorf("%s: %s spans %d to %d", l.Name, f.Name, f.Start(), f.End())
			}
		}
	}
}

func TestFindNames(t *testing.T) {
	if len(Layers()) != 16 {
		t.Errorf("%d layers", len(Layers()))
	}
	for _, name := range []string{"dltss_pwin_enc0_layer", "rrlite_enc3_tube_4x4", "k/dec5", "m/enc1"} {
		if _, err := Find(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := Find("enc9"); err == nil {
		t.Error("enc9 is found")
	}
	if _, err := KLayout(mustFind(t, "m/enc1")); err == nil {
		t.Error("a layer of M has a K layout")
	}
	if _, err := MLayout(mustFind(t, "k/enc1")); err == nil {
		t.Error("a layer of K has an M layout")
	}
}
