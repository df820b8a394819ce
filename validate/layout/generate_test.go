package layout

import (
	"bytes"
	"testing"
)

func TestGeneratedIsSeeded(t *testing.T) {
	for _, l := range Layers() {
		a, b, c := l.GenerateWeights(1), l.GenerateWeights(1), l.GenerateWeights(2)
		if !bytes.Equal(a, b) || bytes.Equal(a, c) {
			t.Errorf("%s: weights do not follow the seed", l.Name)
		}
		for w := range l.Weights() {
			v := w.Field.Get(a, w.Row, w.Col)
			if v.IsNaN() != (w.Field.Role == Ignored) || v.IsInf() {
				t.Fatalf("%s: %s is %v", l.Name, w.Name(), v.Float32())
			}
		}
	}
}
