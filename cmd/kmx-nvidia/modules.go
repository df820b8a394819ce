//go:build linux

package main

import (
	"strings"

	"kmx/cuda/ptx"
	"kmx/cuda/standin"
	"kmx/tex"
)

// variant is one kernel of the stand-in library under one recipe.
type variant struct {
	name   string // kernel and recipe
	kernel standin.Kernel
	recipe string
	module *ptx.Module // as it is
	edited []byte
}

// recipesOf are the recipes for a group of kernels. Preset L's are made by two:
// whole on most GPUs, with the head or tail replaced where the target has FP8.
func recipesOf(g standin.Group) []string {
	switch g {
	case standin.KOutput, standin.KInput, standin.MPost, standin.MDownsample, standin.LPost:
		return []string{"stores"}
	case standin.MEnc0:
		return []string{"enc0-tail"}
	case standin.MDec0:
		return []string{"dec0-head", "dec0-head+fp8"}
	case standin.LEnc0:
		return []string{"stores", "l-enc0-tail"}
	case standin.LDec0:
		return []string{"stores", "l-dec0-block"}
	}
	return nil
}

// reference is the kernel that the heads and tails of a group were written for:
// the one with motion in high resolution and HDR.
func reference(g standin.Group) string {
	switch g {
	case standin.MEnc0:
		return "rrlite_enc0_4x4_mvhi_hdr_folded"
	case standin.LEnc0:
		return "rrlite_enc0_4x4_mvhi_hdr"
	}
	return ""
}

// library parses the stand-in library and edits every kernel of it.
func (b *batch) library() (modules []standin.Module, variants []variant, err error) {
	modules = standin.Modules()
	of := map[string]*ptx.Module{}
	for _, m := range modules {
		parsed, err := ptx.Parse(m.Name, m.Text)
		if err != nil {
			return nil, nil, err
		}
		of[m.Name] = parsed
	}
	from := map[string]*ptx.Module{}
	for _, k := range standin.Kernels() {
		from[k.Name] = of[k.Module]
	}
	for _, k := range standin.Kernels() {
		for _, recipe := range recipesOf(k.Group) {
			v := variant{name: k.Name + "." + recipe, kernel: k, module: of[k.Module]}
			var fp8 bool
			v.recipe, fp8 = strings.CutSuffix(recipe, "+fp8")
			ref := reference(k.Group)
			r, err := tex.Edit(tex.Request{Kernel: k.Name, Recipe: v.recipe, Module: v.module, Reference: from[ref], ReferenceKernel: ref, Options: tex.Options{FP8: fp8}})
			b.count("assemble", "kernels that their recipes edit", v.name, err)
			if err != nil {
				continue
			}
			v.edited = r.Text
			variants = append(variants, v)
		}
	}
	return modules, variants, nil
}
