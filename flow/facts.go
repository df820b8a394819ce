package flow

import (
	"kmx/amdgpu/codeobj"
	"kmx/report"
)

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
