package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"kmx/internal/num"
	"kmx/validate/layout"
)

// TestWorkersDoNotMatter compares one worker with many.
func TestWorkersDoNotMatter(t *testing.T) {
	for _, name := range []string{"k/enc0", "m/enc1"} {
		f := newFixture(find(t, name), layout.Grid{W: 20, H: 18}, 2, 2, 9)
		a, b := f.run(t, Options{Workers: 1}), f.run(t, Options{Workers: 7})
		if !bytes.Equal(a.Out, b.Out) || !bytes.Equal(a.Merged, b.Merged) {
			t.Errorf("%s: workers change the output", name)
		}
	}
}

// TestModesAndGenerations holds what must be equal between builds and what
// must not.
func TestModesAndGenerations(t *testing.T) {
	for _, l := range tested() {
		f := newFixture(l, layout.Grid{W: 16, H: 8}, 0, 0, 10)
		out := map[string][]byte{}
		for _, mode := range modes {
			for _, gen := range []int{11, 12} {
				c := f.run(t, Options{Mode: mode, Generation: gen})
				out[fmt.Sprintf("%v%d", mode, gen)] = append(c.Out, c.Merged...)
			}
		}
		differ := func(a, b string) bool { return !bytes.Equal(out[a], out[b]) }
		name := key(l)
		if l.Family == layout.M {
			if differ("exact11", "exact12") || differ("fast11", "fast12") {
				t.Errorf("%s depends on the generation", name)
			}
			if !differ("fast12", "fast+fp812") || !differ("exact12", "fast+fp812") || !differ("exact12", "fast12") {
				t.Errorf("%s does not tell its modes apart", name)
			}
			continue
		}
		if differ("fast11", "fast+fp811") || differ("fast12", "fast+fp812") {
			t.Errorf("%s depends on FP8", name)
		}
		if differ("exact12", "fast12") == l.RoundsSteps {
			t.Errorf("%s: exact and fast builds are equal: %v, want %v", name, !differ("exact12", "fast12"), l.RoundsSteps)
		}
		if l.PositionOnly && differ("exact11", "exact12") {
			t.Errorf("%s has no softmax, yet depends on the generation", name)
		}
		if d, err := Compare(l.Family, out["exact12"], out["fast12"]); err != nil || d.PSNR < 55 {
			t.Errorf("%s: exact against fast: %v %v", name, d, err)
		}
	}
}

// TestGenerationOrdersTheRowSum compares row sums of widely scattered terms
// with the order of keys spelt out, and holds that the order shows.
func TestGenerationOrdersTheRowSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	sum := func(e []num.F16, keys []int) (s float32) {
		for _, key := range keys {
			s += e[key].Float32()
		}
		return s
	}
	var even, odd, low, high []int
	for key := range 64 {
		if key%2 == 0 {
			even = append(even, key)
		} else {
			odd = append(odd, key)
		}
		if key%16 < 8 {
			low = append(low, key)
		} else {
			high = append(high, key)
		}
	}
	differ := 0
	for range 20000 {
		e := make([]num.F16, 64)
		for i := range e {
			e[i] = num.F16(rng.IntN(0x6148)) // 0 to 676
		}
		e11, e12 := (&k{Options: Options{Generation: 11}}).rowSum(e), (&k{Options: Options{Generation: 12}}).rowSum(e)
		if want := num.F16FromFloat32(sum(e, even) + sum(e, odd)); e11 != want {
			t.Fatalf("gfx11: %v, want %v", e11, want)
		}
		if want := num.F16FromFloat32(sum(e, low) + sum(e, high)); e12 != want {
			t.Fatalf("gfx12: %v, want %v", e12, want)
		}
		if e11 != e12 {
			differ++
		}
	}
	if differ == 0 || differ > 200 {
		t.Errorf("%d of 20000 rows tell the generations apart", differ)
	}
}

// TestULPIsSmall holds that an error of one place in rcp, rsq and exp2 hardly
// matters, and that one of thousands does.
func TestULPIsSmall(t *testing.T) {
	for _, l := range tested() {
		f := newFixture(l, layout.Grid{W: 8, H: 8}, 0, 0, 11)
		a, b := f.run(t, Options{Mode: Fast}), f.run(t, Options{Mode: Fast, ULP: 1})
		d, err := Compare(l.Family, a.Out, b.Out)
		if err != nil {
			t.Fatal(err)
		}
		if d.PSNR < 80 || (l.PositionOnly || l.Family == layout.M) && d.Equal != d.Values {
			t.Errorf("%s: %v", l.Name, d)
		}
		if c := f.run(t, Options{Mode: Fast, ULP: 1 << 14}); bytes.Equal(a.Out, c.Out) {
			t.Errorf("%s: an error of 2^14 places changes nothing", l.Name)
		}
	}
}
