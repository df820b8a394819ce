package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// kernelText is a module of about size bytes whose statements are in the mix
// of compiled texture kernels: mostly moves, arithmetic, loads and conversions.
func kernelText(size int) string {
	var b strings.Builder
	b.Grow(size + 4096)
	b.WriteString("//\n// generated\n//\n.version 7.5\n.target sm_80\n.address_size 64\n\n")
	for k := 0; b.Len() < size; k++ {
		fmt.Fprintf(&b, "\t// .globl\tkernel_%d\n.visible .entry kernel_%d(\n\t.param .u64 kernel_%d_param_0,\n\t.param .align 8 .b8 kernel_%d_param_1[64]\n)\n.maxntid 256, 1, 1\n{\n", k, k, k, k)
		b.WriteString("\t.reg .pred \t%p<400>;\n\t.reg .b16 \t%rs<900>;\n\t.reg .f32 \t%f<4000>;\n\t.reg .b32 \t%r<4000>;\n\t.reg .b64 \t%rd<900>;\n\n\n")
		fmt.Fprintf(&b, "\tld.param.u64 \t%%rd1, [kernel_%d_param_0];\n\tld.param.v2.u32 \t{%%r1, %%r2}, [kernel_%d_param_1+8];\n\tcvta.to.global.u64 \t%%rd2, %%rd1;\n\tmov.u32 \t%%r3, %%tid.x;\n", k, k)
		for i := 10; i < 700 && b.Len() < size; i++ {
			fmt.Fprintf(&b, "\tmad.lo.s32 \t%%r%d, %%r%d, %%r2, %%r3;\n", i, i-7)
			fmt.Fprintf(&b, "\tmul.wide.s32 \t%%rd%d, %%r%d, 4;\n\tadd.s64 \t%%rd%d, %%rd2, %%rd%d;\n", i, i, i+1, i)
			fmt.Fprintf(&b, "\tld.global.nc.v4.f32 \t{%%f%d, %%f%d, %%f%d, %%f%d}, [%%rd%d+16];\n", i, i+1, i+2, i+3, i)
			fmt.Fprintf(&b, "\tfma.rn.ftz.f32 \t%%f%d, %%f%d, 0f3F800000, %%f%d;\n\tmul.ftz.f32 \t%%f%d, %%f%d, 0fBF000000;\n", i+4, i, i+1, i+5, i+4)
			fmt.Fprintf(&b, "\tsetp.gt.s32 \t%%p%d, %%r%d, -1;\n\tselp.b32 \t%%r%d, %%r1, 1065353216, %%p%d;\n", i%300, i, i+1, i%300)
			fmt.Fprintf(&b, "\t{  cvt.rn.f16.f32 %%rs%d, %%f%d;}\n\n\tmov.b32 \t%%r%d, {%%rs%d, %%rs%d};\n", i, i, i+2, i, i)
			if i%8 == 0 {
				fmt.Fprintf(&b, "\t@%%p%d bra \t$L__BB%d_%d;\n\n\tst.shared.u32 \t[%%r%d+128], %%r%d;\n\n$L__BB%d_%d:\n", i%300, k, i, i, i, k, i)
			}
			if i%16 == 0 {
				fmt.Fprintf(&b, "\t// begin inline asm\n\tsust.b.2d.v2.b16.zero [%%rd1, {%%r%d, %%r3}], {%%rs%d, %%rs%d};\n\t// end inline asm\n", i, i, i)
			}
		}
		b.WriteString("\tret;\n\n}\n")
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	text := []byte(kernelText(4 << 20))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("bench", text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnalyse(b *testing.B) {
	text := []byte(kernelText(200 << 10))
	m, err := Parse("bench", text)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range m.Functions() {
			fl := Analyse(f)
			fl.LiveIn(fl.Instructions()[0])
		}
	}
}
