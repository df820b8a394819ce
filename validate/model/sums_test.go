package model

import (
	"math/rand/v2"
	"testing"

	"kmx/internal/num"
)

// scattered is n f16 numbers over many powers of two, so that the order of a
// sum shows.
func scattered(rng *rand.Rand, n int) []num.F16 {
	v := make([]num.F16, n)
	for i := range v {
		v[i] = num.F16(0x2000+rng.IntN(0x2400)) | num.F16(rng.IntN(2))<<15
	}
	return v
}

// add sums in f16 from the left.
func add(v ...num.F16) num.F16 {
	s := v[0]
	for _, x := range v[1:] {
		s = num.Add(s, x)
	}
	return s
}

// tiles is M's sum of squares told the other way round, by the tiles of eight
// columns that a matrix product of the original leaves: even tiles, odd tiles,
// then across columns.
func tiles(x []num.F16) num.F16 {
	square := make([]num.F16, len(x))
	for c, v := range x {
		// Pair order: the first two of four channels fill columns 0..15 of 32.
		column := c/32*32 + c%32/4*2 + c%2 + c%4/2*16
		square[column] = num.Mul(v, v)
	}
	var column [8]num.F16
	for c := range column {
		t := func(tile int) num.F16 { return square[8*tile+c] }
		strip := func(odd int) num.F16 {
			pair := func(a, b int) num.F16 { return add(t(a+odd), t(b+odd)) }
			switch len(x) {
			case 64:
				return add(pair(0, 2), pair(4, 6))
			case 96:
				return add(add(pair(0, 2), pair(4, 6)), pair(8, 10))
			}
			return add(add(pair(0, 2), pair(4, 6)), add(pair(8, 10), pair(12, 14)))
		}
		column[c] = add(strip(0), strip(1))
	}
	even := add(add(column[0], column[2]), add(column[4], column[6]))
	odd := add(add(column[1], column[3]), add(column[5], column[7]))
	return add(even, odd)
}

// TestSquareSumByTiles compares M's tree of squares with its other description.
func TestSquareSumByTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	orders := 0
	for _, channels := range []int{64, 96, 128} {
		for range 2000 {
			x := scattered(rng, channels)
			if got, want := squareSum(x), tiles(x); got != want {
				t.Fatalf("%d channels: %v, by tiles %v", channels, got.Float64(), want.Float64())
			}
			plain := num.F16(0)
			for _, v := range x {
				plain = add(plain, num.Mul(v, v))
			}
			if plain != squareSum(x) {
				orders++
			}
		}
	}
	if orders < 1000 {
		t.Errorf("only %d of 6000 sums depend on their order", orders)
	}
}

// TestButterfly writes M's softmax sum out.
func TestButterfly(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 2000 {
		v := scattered(rng, 16)
		far := make([]num.F16, 8)
		for k := range far {
			far[k] = add(v[k], v[k+8])
		}
		even := add(add(far[0], far[2]), add(far[4], far[6]))
		odd := add(add(far[1], far[3]), add(far[5], far[7]))
		if got, want := butterfly(v), add(even, odd); got != want {
			t.Fatalf("%v, want %v", got.Float64(), want.Float64())
		}
	}
}

// TestKNormSumsInOrder holds that K adds up rounded squares in channel order in
// float32, and that the order shows now and then.
func TestKNormSumsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	m := &k{g1: make([]num.F16, 128)}
	backwards := 0
	for range 20000 {
		x := Values{1, 128, scattered(rng, 128)}
		trace := &Trace{}
		m.norm(x, trace)
		got, err := trace.Find("norm1.sum")
		if err != nil {
			t.Fatal(err)
		}
		var up, down float32
		for c := range x.V {
			up += num.Mul(x.V[c], x.V[c]).Float32()
			down += num.Mul(x.V[127-c], x.V[127-c]).Float32()
		}
		if want := num.F16FromFloat32(up); got.V[0] != want {
			t.Fatalf("%v, want %v", got.V[0].Float64(), want.Float64())
		}
		if num.F16FromFloat32(down) != got.V[0] {
			backwards++
		}
	}
	if backwards == 0 {
		t.Error("the order never shows")
	}
}
