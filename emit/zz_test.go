package emit_test

import (
	"testing"

	"kmx/cuda/ptx"
	"kmx/cuda/standin"
	"kmx/emit"
	"kmx/tex"
)

func TestZZ(t *testing.T) {
	mods := map[string]standin.Module{}
	for _, m := range standin.Modules() {
		mods[m.Name] = m
	}
	refs := map[string]*ptx.Module{}
	for _, k := range standin.Kernels() {
		m, err := ptx.Parse(k.Module, mods[k.Module].Text)
		if err != nil {
			t.Fatal(err)
		}
		refs[k.Name] = m
	}
	for _, k := range standin.Kernels() {
		if k.Runs() {
			continue
		}
		recipe := ""
		ref := ""
		switch k.Group {
		case standin.MEnc0:
			recipe, ref = "enc0-tail", "rrlite_enc0_4x4_mvhi_hdr_folded"
		case standin.MDec0:
			recipe = "dec0-head"
		case standin.LEnc0:
			recipe, ref = "l-enc0-tail", "rrlite_enc0_4x4_mvhi_hdr"
		case standin.LDec0:
			recipe = "l-dec0-block"
		default:
			continue
		}
		m := refs[k.Name]
		r, err := tex.Edit(tex.Request{Kernel: k.Name, Recipe: recipe, Module: m, Reference: refs[ref], ReferenceKernel: ref, Options: tex.Options{FP8: true}})
		if err != nil {
			t.Error(err)
			continue
		}
		m2, err := ptx.Parse(k.Module, r.Text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = emit.Lower(m2, k.Name, emit.Options{Target: "gfx1201", Bitcode: []string{"x"}})
		t.Log(k.Name, err)
	}
}
