package codeobj

import (
	"fmt"
	"strings"
)

// checkKernels: NAME, its companions, their descriptors and resources.
func (o *Object) checkKernels(w Want, ps *problems) {
	if o.wantKernel(w.Name, "", ps) {
		group := 1
		if z := o.hookValue(w, "block_z"); z > 0 {
			group = lanes * int(min(z, 1<<20))
		}
		o.checkKernel(w, w.Name, group, "32 lanes x d4r_block_z", ps)
	}
	prep := w.Name + "_prep"
	_, hasPrep := o.Kernel(prep)
	switch blocks := o.hookValue(w, "prep_blocks"); {
	case blocks > 0:
		if o.wantKernel(prep, fmt.Sprintf(", which d4r_prep_blocks = %d asks for", blocks), ps) {
			o.checkKernel(w, prep, prepGroup, "the block of a prep launch", ps)
		}
	case hasPrep:
		ps.add("kernel %s is there but d4r_prep_blocks is not above zero, so it would never prepare anything", prep)
		o.checkKernel(w, prep, prepGroup, "the block of a prep launch", ps)
	}
	for i := 1; i <= postCount; i++ {
		o.checkPost(w, i, ps)
	}
}

func (o *Object) checkPost(w Want, i int, ps *problems) {
	post, group := fmt.Sprintf("%s_post%d", w.Name, i), 1
	asked := ""
	for _, part := range []string{"grid_x", "grid_y", "block_x", "block_y", "block_z"} {
		name := fmt.Sprintf("post%d_%s", i, part)
		v := o.hookValue(w, name)
		if v > 0 && asked == "" {
			asked = fmt.Sprintf(", which d4r_%s = %d asks for", name, v)
		}
		if strings.HasPrefix(part, "block") {
			if v == 0 && part == "block_x" {
				v = lanes
			}
			group *= int(min(max(v, 1), 1<<16))
		}
	}
	if _, ok := o.Kernel(post); ok || asked != "" {
		if o.wantKernel(post, asked, ps) {
			o.checkKernel(w, post, group, "the block of its launch", ps)
		}
	}
}

// wantKernel says whether the note has the kernel, and complains if not.
func (o *Object) wantKernel(name, why string, ps *problems) bool {
	if _, ok := o.Kernel(name); ok {
		return true
	}
	var have []string
	for _, k := range o.Kernels {
		have = append(have, k.Name)
	}
	if len(have) == 0 {
		ps.add("kernel %s is missing%s: the object holds no kernel at all", name, why)
	} else {
		ps.add("kernel %s is missing%s: the object holds %s", name, why, strings.Join(have, ", "))
	}
	return false
}

// checkKernel: one kernel that is in the note; group is the least number of
// work-items that it will be launched with.
func (o *Object) checkKernel(w Want, name string, group int, groupWhat string, ps *problems) {
	k, _ := o.Kernel(name)
	if k.WaveSize != w.waveSize() {
		ps.differ(w.waveSize(), k.WaveSize, "wave size of %s", name)
	}
	if k.DynamicStack {
		ps.add("%s uses a dynamic stack (a call that was not inlined, or recursion), whose size nobody knows", name)
	}
	if k.MaxWorkgroup < group {
		ps.differ(fmt.Sprintf("at least %d (%s)", group, groupWhat), k.MaxWorkgroup,
			"%s may not be launched as it will be: launch bound (max_flat_workgroup_size)", name)
	}
	l := w.Limits
	for _, c := range []struct {
		what  string
		limit *int
		got   int
	}{
		{"VGPRs", l.VGPRs, k.VGPRs},
		{"SGPRs", l.SGPRs, k.SGPRs},
		{"register spills", l.Spills, k.VGPRSpills + k.SGPRSpills},
		{"bytes of scratch per lane", l.Scratch, k.Scratch},
		{"bytes of LDS", l.LDS, k.LDS},
	} {
		if c.limit != nil && c.got > *c.limit {
			ps.differ(fmt.Sprintf("at most %d", *c.limit), c.got, "%s over the limit, %s", name, c.what)
		}
	}
	o.checkCode(k, ps)
}

// checkCode: the function and descriptor symbols, and the descriptor's content
// against the note. A launch obeys the descriptor, people read the note.
func (o *Object) checkCode(k Kernel, ps *problems) {
	f, ok := o.Symbol(k.Name)
	switch {
	case !ok:
		ps.add("the code of kernel %s is not exported%s", k.Name, o.lost(k.Name))
	case !f.Function:
		ps.add("%s is exported as data, not as a function", k.Name)
	case f.Size == 0 || !o.image.executable(f.address):
		ps.add("the code of kernel %s (%d bytes at address 0x%x) is in no executable segment", k.Name, f.Size, f.address)
	}
	if k.descriptor != k.Name+".kd" {
		ps.differ(k.Name+".kd", k.descriptor, "descriptor symbol of %s in the note", k.Name)
	}
	d, s, found := o.descriptorOf(k)
	switch {
	case found:
	case s.Name == "":
		ps.add("the descriptor %s is missing: it is not exported%s", k.descriptor, o.lost(k.descriptor))
		return
	case s.Size != descriptorSize:
		ps.differ(descriptorSize, s.Size, "bytes of the descriptor %s", k.descriptor)
		return
	default:
		ps.add("corrupt: the descriptor %s lies at 0x%x, in no loaded segment", k.descriptor, s.address)
		return
	}
	if at := s.address + uint64(d.entry); ok && at != f.address {
		ps.differ(fmt.Sprintf("0x%x", f.address), fmt.Sprintf("0x%x", at), "descriptor of %s starts other code: entry address", k.Name)
	}
	differ := func(what string, note, desc any) {
		if note != desc {
			ps.add("the descriptor of %s and the note disagree about %s: note %v, descriptor %v", k.Name, what, note, desc)
		}
	}
	differ("the kernarg size", k.Kernarg, int(d.kernarg))
	differ("LDS bytes", k.LDS, int(d.lds))
	differ("scratch bytes", k.Scratch, int(d.scratch))
	differ("the wave size", k.WaveSize, d.waveSize())
	differ("WGP mode", k.WGPMode, d.rsrc1&rsrc1WGPMode != 0)
	differ("a dynamic stack", k.DynamicStack, d.properties&propDynamicStack != 0)
	if k.Scratch > 0 && d.rsrc2&rsrc2Scratch == 0 {
		ps.add("the descriptor of %s sets up no scratch and the note says %d bytes", k.Name, k.Scratch)
	}
	if got := d.vgprs(k.WaveSize); got < k.VGPRs {
		ps.add("the descriptor of %s asks for %d VGPRs and the note says that it uses %d", k.Name, got, k.VGPRs)
	}
}

// lost adds what .symtab knows about a name that is not exported.
func (o *Object) lost(name string) string {
	if how, ok := o.table.local[name]; ok {
		return ", it lost its linkage (in .symtab as " + how + ")"
	}
	return ""
}
