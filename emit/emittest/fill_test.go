package emittest

import (
	"math"
	"testing"
)

func TestRandomIsSplitMix64(t *testing.T) {
	// The first numbers of the published algorithm from state 0.
	r := random(0)
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := r.next(); got != want {
			t.Errorf("%d: %#x, wanted %#x", i, got, want)
		}
	}
	if got := Seed("a"); got != 0xaf63dc4c8601ec8c {
		t.Errorf("FNV-1a of a: %#x", got)
	}
}

func TestFills(t *testing.T) {
	f32, s16 := Type{'f', 32}, Type{'s', 16}
	float := func(b []byte, i int) float64 { return f32.float(f32.Get(b, i)) }
	at := func(how string, t Type, n int) []byte { return Fill{How: how, Lo: -2, Hi: 3, Step: 0.5}.Bytes(t, n, 7) }

	b := at("range", f32, 4000)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range 4000 {
		low, high = min(low, float(b, i)), max(high, float(b, i))
	}
	if low < -2 || high >= 3 || low > -1.99 || high < 2.99 {
		t.Errorf("range -2 3 gives %g to %g", low, high)
	}
	seen := map[int16]bool{}
	for i, b := 0, at("range", s16, 400); i < 400; i++ {
		seen[int16(s16.Get(b, i))] = true
	}
	if len(seen) != 6 || !seen[-2] || !seen[3] {
		t.Errorf("range -2 3 of integers gives %v", seen)
	}
	steps := map[float64]bool{}
	for i, b := 0, at("step", f32, 400); i < 400; i++ {
		steps[float(b, i)] = true
	}
	if len(steps) != 11 || !steps[-2] || !steps[3] || !steps[-0.5] {
		t.Errorf("step -2 3 0.5 gives %v", steps)
	}
	inner, outer := at("inner", s16, 256), at("outer", s16, 256)
	pairs := map[[2]uint64]bool{}
	for i := range 256 {
		pairs[[2]uint64{s16.Get(inner, i), s16.Get(outer, i)}] = true
	}
	if len(pairs) != 256 {
		t.Errorf("inner beside outer gives %d pairs of 256", len(pairs))
	}
	for i, v := range edgeF32 {
		if got := f32.Get(at("edges", f32, 200), i); got != v {
			t.Errorf("edge %d is %#x, not %#x", i, got, v)
		}
	}
	if b := at("edges", f32, 1); len(b) != 4 {
		t.Errorf("%d bytes", len(b))
	}
	if b := at("index", s16, 3); string(b) != "\x00\x00\x01\x00\x02\x00" {
		t.Errorf("index: %x", b)
	}
	if b := at("fill", s16, 2); string(b) != "\xfe\xff\xfe\xff" {
		t.Errorf("fill -2: %x", b)
	}
	one, same := at("bits", f32, 8), at("bits", f32, 8)
	if string(one) != string(same) || string(at("zero", s16, 1)) != "\x00\x00" {
		t.Error("equal fills differ")
	}
}

func TestEdgesAreOfTheirType(t *testing.T) {
	for _, name := range []string{"b8", "u8", "s8", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "b64", "u64", "s64"} {
		ty, ok := ParseType(name)
		if !ok || ty.String() != name {
			t.Fatalf("%s: %v", name, ty)
		}
		list := edges(ty)
		if len(list) < 16 {
			t.Errorf("%s has %d edges", name, len(list))
		}
		first := map[uint64]bool{}
		for i, v := range list {
			if v&^ty.mask() != 0 {
				t.Errorf("%s: edge %#x is too large", name, v)
			}
			if i < 16 {
				first[v] = true
			}
		}
		if len(first) != 16 {
			t.Errorf("%s: two of the first edges are equal", name)
		}
	}
}
