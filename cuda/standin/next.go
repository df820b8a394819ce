package standin

import (
	"slices"
	"strings"
)

// What Next changes, by kernel name or group.
const (
	goneKernel = "rrlite_downsample_kernel_dynamic_ldr"
	newKernel  = "rrlite_downsample_kernel_hybrid_hdr"
)

// Changes says how each kernel of Next differs from the First library.
// "renamed": registers and labels have other numbers and nothing else changed;
// "changed": statements changed; "gone" and "new". Others are the same.
func Changes() map[string]string {
	c := map[string]string{goneKernel: "gone", newKernel: "new"}
	for _, s := range sources(First) {
		for _, p := range s.programs {
			if how := change(p.Kernel); how != "" && p.Name != goneKernel {
				c[p.Name] = how
			}
		}
	}
	return c
}

func change(k Kernel) string {
	switch {
	case k.Group == MPost, k.Name == "rrlite_dec0_4x4_folded":
		return "renamed"
	case k.Group == KOutput && strings.HasSuffix(k.Name, "_max_v2_rel"), k.Name == "rrlite_dec0_4x4":
		return "changed"
	}
	return ""
}

// next makes the other version: its containers are numbered differently too.
func next(all []source) []source {
	for i := range all {
		s := &all[i]
		if s.container >= atWide {
			s.container += 3
		}
		s.programs = slices.DeleteFunc(slices.Clone(s.programs), func(p program) bool { return p.Name == goneKernel })
		for j := range s.programs {
			p := &s.programs[j]
			switch change(p.Kernel) {
			case "renamed":
				p.backwards = true
			case "changed":
				p.edit = changeConstant
			}
		}
		if all[i].functions != "" {
			d := downsample{dynamic: true, hdr: true}
			k := kernel(MDownsample, newKernel, d.size(), downsampleLayout(d), square, [2]int{16, 16}, Output)
			s.programs = append(s.programs, program{Kernel: k, body: d.program, order: "next"})
		}
	}
	return all
}

// changeConstant changes the last f32 of 0.5 or 1 in a text to 0.75.
func changeConstant(text string) string {
	at := max(strings.LastIndex(text, "0f3F000000"), strings.LastIndex(text, "0f3F800000"))
	if at < 0 {
		return text
	}
	return text[:at] + "0f3F400000" + text[at+len("0f3F400000"):]
}
