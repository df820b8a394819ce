package release

import (
	"strings"

	"kmx/amdgpu/codeobj"
)

// KernelsOf is what a manifest says of the kernels of an object.
func KernelsOf(obj *codeobj.Object) []Kernel {
	var ks []Kernel
	for _, k := range obj.Kernels {
		ks = append(ks, Kernel{
			Name: k.Name, WaveSize: k.WaveSize, VGPRs: k.VGPRs, SGPRs: k.SGPRs,
			VGPRSpills: k.VGPRSpills, SGPRSpills: k.SGPRSpills, Scratch: k.Scratch, LDS: k.LDS,
			Waves: k.Waves(obj.Target), MaxWorkgroup: k.MaxWorkgroup, CodeBytes: k.CodeBytes,
		})
	}
	return ks
}

// SymbolsOf is what a manifest says of the exports of an object.
func SymbolsOf(obj *codeobj.Object) []Symbol {
	kernels := map[string]bool{}
	for _, k := range obj.Kernels {
		kernels[k.Name] = true
	}
	var ss []Symbol
	for _, s := range obj.Symbols {
		r := Symbol{Name: s.Name, Kind: "data", Size: s.Size}
		of, descriptor := strings.CutSuffix(s.Name, ".kd")
		switch {
		case s.Function && kernels[s.Name]:
			r.Kind = "kernel"
		case s.Function:
			r.Kind = "function"
		case descriptor && kernels[of]:
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
