package emit_test

import (
	"testing"

	"kmx/cuda/ptx"
	"kmx/cuda/standin"
	"kmx/emit"
	"kmx/tex"
)

// BenchmarkLower translates an output kernel as a release does; bytes are those of
// its PTX.
func BenchmarkLower(b *testing.B) {
	const kernel = "hiluma_engine_output_depthinv_mvhi_hdr_v1_rel"
	var text []byte
	for _, k := range standin.Kernels() {
		for _, m := range standin.Modules() {
			if k.Name == kernel && m.Name == k.Module {
				text = m.Text
			}
		}
	}
	m, err := ptx.Parse(kernel, text)
	if err != nil {
		b.Fatal(err)
	}
	r, err := tex.Edit(tex.Request{Kernel: kernel, Recipe: "stores", Module: m})
	if err != nil {
		b.Fatal(err)
	}
	if m, err = ptx.Parse(kernel, r.Text); err != nil {
		b.Fatal(err)
	}
	f := m.Function(kernel)
	b.SetBytes(int64(f.End - f.Start))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := emit.Lower(m, kernel, emit.Options{Target: "gfx1201", Wave64: true, Bitcode: []string{"stores.bc"}}); err != nil {
			b.Fatal(err)
		}
	}
}
