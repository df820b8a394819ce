package standin_test

import (
	"io"
	"testing"

	"kmx/cuda/standin"
)

func BenchmarkModules(b *testing.B) {
	for b.Loop() {
		standin.Modules()
	}
}

// BenchmarkWrite writes a library of the size of a real one.
func BenchmarkWrite(b *testing.B) {
	b.SetBytes(100e6)
	for b.Loop() {
		if err := standin.Write(io.Discard, standin.Options{Pad: 100e6}); err != nil {
			b.Fatal(err)
		}
	}
}
