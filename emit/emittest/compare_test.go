package emittest

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	bits := math.Float32frombits
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	exact, close, near := Tolerance{Exact: true}, Tolerance{ULP: 2}, Tolerance{Abs: 0.25}
	for _, c := range []struct {
		t         Tolerance
		got, want float32
		ok        bool
	}{
		{exact, 1, 1, true},
		{exact, 1, bits(0x3f800001), false},
		{exact, nan, bits(0xffffffff), true},
		{exact, 0, bits(0x80000000), false},
		{exact, nan, 1, false},
		{close, 1, bits(0x3f800002), true},
		{close, 1, bits(0x3f7ffffe), true},
		{close, 1, bits(0x3f800003), false},
		{close, 0, bits(0x80000000), true},
		{close, bits(1), bits(0x80000001), true},
		{close, bits(2), bits(0x80000001), false},
		{close, inf, bits(0x7f7fffff), false},
		{close, inf, inf, true},
		{close, inf, -inf, false},
		{close, nan, inf, false},
		{near, 1, 1.25, true},
		{near, 1, 1.2500001, false},
		{near, inf, bits(0x7f7fffff), false},
		{Tolerance{ULP: 2, Abs: 0.25}, 100, bits(math.Float32bits(100) + 2), true},
	} {
		p := Param{Name: "r", Type: Type{'f', 32}, Count: 2, Tolerance: c.t}
		b := func(f float32) []byte {
			return binary.LittleEndian.AppendUint32([]byte{0, 0, 0, 0}, math.Float32bits(f))
		}
		err := p.Diff(b(c.got), b(c.want))
		if (err == nil) != c.ok {
			t.Errorf("%+v: %g beside %g: %v", c.t, c.got, c.want, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "r[1]") || !strings.Contains(err.Error(), "1 of 2 differ")) {
			t.Errorf("unclear: %v", err)
		}
	}
	p := Param{Name: "r", Type: Type{'u', 16}, Count: 2, Tolerance: exact}
	if err := p.Diff([]byte{1, 0, 2, 0}, []byte{1, 0, 3, 0}); err == nil || err.Error() != "r[1]: 0x0002, the GPU gave 0x0003; 1 of 2 differ" {
		t.Error(err)
	}
	if p.Diff([]byte{1, 0}, []byte{1, 0}) == nil {
		t.Error("half an output is taken")
	}
}
