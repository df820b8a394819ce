package codeobj_test

import (
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
)

func TestCompare(t *testing.T) {
	object := func(source string, flags ...string) *codeobj.Object {
		t.Helper()
		data, _ := compile(t, source, "gfx1201", append([]string{deviceMacro}, flags...)...)
		o, err := codeobj.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	base := object(realKernel)
	for _, c := range []struct {
		name     string
		other    *codeobj.Object
		want     codeobj.Likeness
		symbol   string
		anywhere bool
		missing  bool
	}{
		{name: "the same", other: object(realKernel), want: codeobj.Identical},
		{name: "no word about the compiler", other: object(realKernel, "-Qn"), want: codeobj.MetadataOnly},
		{name: "a control symbol", other: object(strings.Replace(realKernel, "blocks = 40", "blocks = 41", 1)), want: codeobj.Constants, symbol: "d4r_prep_blocks"},
		{name: "a control symbol more", other: object(strings.Replace(realKernel, "struct P", "extern \"C\" __device__ const unsigned d4r_more = 0;\nstruct P", 1)),
			want: codeobj.Constants, symbol: "d4r_more", missing: true},
		{name: "launch bounds", other: object(strings.Replace(realKernel, "s[64]", "s[65]", 1)), want: codeobj.Constants, symbol: "k.kd"},
		{name: "the second kernel", other: object(strings.Replace(realKernel, "p.in[t] * 2", "p.in[t] * 3", 1)), want: codeobj.Code, symbol: "k_prep", anywhere: true},
		{name: "a kernel less", other: object(strings.Replace(realKernel, "k_prep", "k_drop", 1)), want: codeobj.Code, symbol: "k_prep", missing: true},
	} {
		got := codeobj.Compare(base, c.other)
		if got.Likeness != c.want || got.Symbol != c.symbol || got.Missing != c.missing {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.anywhere && got.Offset == 0 {
			t.Errorf("%s: the kernel differs from its first byte on", c.name)
		}
		if back := codeobj.Compare(c.other, base); back.Likeness != c.want {
			t.Errorf("%s, the other way: %v", c.name, back)
		}
	}
}
