package flow

import (
	"kmx/amdgpu/codeobj"
	"kmx/release"
	"kmx/report"
)

// kernelsOf states the resources of an object's kernels for a manifest.
func kernelsOf(obj *codeobj.Object) []release.Kernel {
	var ks []release.Kernel
	for _, k := range obj.Kernels {
		ks = append(ks, release.Kernel{
			Name: k.Name, WaveSize: k.WaveSize, VGPRs: k.VGPRs, SGPRs: k.SGPRs,
			VGPRSpills: k.VGPRSpills, SGPRSpills: k.SGPRSpills, Scratch: k.Scratch, LDS: k.LDS,
			Waves: k.Waves(obj.Target), MaxWorkgroup: k.MaxWorkgroup, CodeBytes: k.CodeBytes,
		})
	}
	return ks
}

// symbolsOf states what an object exports for a manifest.
func symbolsOf(obj *codeobj.Object) []release.Symbol {
	kernels := map[string]bool{}
	for _, k := range obj.Kernels {
		kernels[k.Name] = true
	}
	var ss []release.Symbol
	for _, s := range obj.Symbols {
		r := release.Symbol{Name: s.Name, Kind: "data", Size: s.Size}
		switch {
		case s.Function && kernels[s.Name]:
			r.Kind = "kernel"
		case s.Function:
			r.Kind = "function"
		case len(s.Name) > 3 && kernels[s.Name[:len(s.Name)-3]] && s.Name[len(s.Name)-3:] == ".kd":
			r.Kind = "descriptor"
		}
		if s.HasValue {
			v := uint64(s.Value)
			r.Value = &v
		}
		ss = append(ss, r)
	}
	return ss
}

// factsOf gives the resources of an object's main kernel, the one that is not
// the preparation of another.
func factsOf(obj *codeobj.Object) report.Facts {
	var f report.Facts
	for i, k := range obj.Kernels {
		if i == 0 || k.CodeBytes > 0 && !isPrep(k.Name) {
			f = report.Facts{
				VGPRs: k.VGPRs, Spills: k.VGPRSpills + k.SGPRSpills, Scratch: k.Scratch, LDS: k.LDS, Waves: k.Waves(obj.Target),
			}
		}
	}
	return f
}

func isPrep(name string) bool {
	const suffix = "_prep"
	return len(name) > len(suffix) && name[len(name)-len(suffix):] == suffix
}
