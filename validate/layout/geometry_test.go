package layout

import "testing"

func TestParams(t *testing.T) {
	k := KParams{W: 9, H: 10, In: 0x1111, Skip: 0x2222, Out: 0x3333, Full: 0x4444, ShiftX: 4, ShiftY: 2, Weights: 0x5555}
	b := k.Encode()
	if got, err := DecodeKParams(b); err != nil || got != k {
		t.Errorf("%+v comes back as %+v (%v)", k, got, err)
	}
	for at, want := range map[int]byte{0: 9, 4: 10, 8: 0x11, 16: 0x22, 24: 0x33, 32: 0x44, 40: 0, 48: 0, 56: 4, 60: 2, 64: 0x55, 72: 0} {
		if b[at] != want {
			t.Errorf("K: byte %d is %#x, want %#x", at, b[at], want)
		}
	}
	m := MParams{Weights: 0x11, ShiftX: 2, ShiftY: 4, W: 33, H: 34, In: 0x22, Skip: 0x33, Out: 0x44, Merged: 0x55}
	if got, err := DecodeMParams(m.Encode(false), false); err != nil || got != m {
		t.Errorf("%+v comes back as %+v (%v)", m, got, err)
	}
	m.BoundX, m.BoundY, m.DX, m.DY, m.InFlags, m.OutFlags = 6, 7, -1, 1, 0x66, 0x77
	b = m.Encode(true)
	if got, err := DecodeMParams(b, true); err != nil || got != m {
		t.Errorf("%+v comes back as %+v (%v)", m, got, err)
	}
	for at, want := range map[int]byte{0: 0x11, 8: 2, 12: 4, 16: 33, 20: 34, 24: 0x22, 32: 0x33, 40: 0x44, 48: 0x55, 56: 6, 60: 7, 64: 0xff, 68: 1, 72: 0x66, 80: 0x77} {
		if b[at] != want {
			t.Errorf("M: byte %d is %#x, want %#x", at, b[at], want)
		}
	}
	if _, err := DecodeKParams(make([]byte, 175)); err == nil {
		t.Error("a short block of K is read")
	}
	if _, err := DecodeMParams(make([]byte, 87), true); err == nil {
		t.Error("a short block of the tube is read")
	}
}

func TestGeometry(t *testing.T) {
	for n := 8; n < 30; n++ {
		for _, s := range []int{0, 2, 4, 6} {
			nx, _ := Grid{n, n}.Blocks(s, 0)
			if first, last := -s, 8*nx-s-1; first > 0 || last < n-1 || last-7 > n-1 {
				t.Errorf("%d blocks cover %d to %d of %d", nx, first, last, n)
			}
			for v := -s; v < 8*nx-s; v++ {
				m := Mirror(v, n)
				if want := map[bool]int{true: -v, false: 2*n - 2 - v}[v < 0]; v >= 0 && v < n && m != v || (v < 0 || v >= n) && m != want {
					t.Errorf("%d mirrors to %d on a line of %d", v, m, n)
				}
			}
		}
	}
	for v := -8; v < 16; v++ {
		for n := 1; n < 8; n++ {
			if m := Mirror(v, n); m < 0 || m >= n {
				t.Errorf("%d leaves a line of %d: %d", v, n, m)
			}
		}
	}
	seenK, seenM := map[[2]int]bool{}, map[[2]int]bool{}
	for i := range 64 {
		x, y := KToken(i)
		seenK[[2]int{x, y}] = true
		x, y = MToken(i)
		seenM[[2]int{x, y}] = true
		if w := i / 16; x/4 != w&1 || y/4 != w>>1 {
			t.Errorf("token %d lies at (%d,%d), outside window %d", i, x, y, w)
		}
	}
	if len(seenK) != 64 || len(seenM) != 64 {
		t.Errorf("%d and %d places", len(seenK), len(seenM))
	}
	if o := MOffset(Grid{10, 9}, 3, 2, 37); o != (1*9+2)*10*32+3*32+5 {
		t.Errorf("plane offset %d", o)
	}
	if o := KOffset(Grid{10, 9}, 64, 3, 2, 37); o != 2*((2*10+3)*64+37) {
		t.Errorf("token offset %d", o)
	}
}
