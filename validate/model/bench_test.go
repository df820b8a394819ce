package model

import (
	"testing"

	"kmx/validate/layout"
)

// BenchmarkLayer computes 24x24 tokens, nine squares, on one processor.
func BenchmarkLayer(b *testing.B) {
	for _, name := range []string{"k/enc0", "k/enc4", "k/dec5", "m/enc1", "m/enc3_tube"} {
		l := find(b, name)
		f := newFixture(l, layout.Grid{W: 24, H: 24}, 0, 0, 1)
		for _, mode := range []Mode{Exact, Fast} {
			b.Run(name+"/"+mode.String(), func(b *testing.B) {
				for b.Loop() {
					f.run(b, Options{Mode: mode, Workers: 1})
				}
			})
		}
	}
}
