package emit

import "fmt"

// specials are the special registers, each a function that reads it.
var specials = map[string]func(*function) value{
	"%laneid": func(f *function) value { return f.call("i32", "ptx.laneid") },
	"%warpid": func(f *function) value {
		return f.do("i32", "lshr %s, 5", f.linearThread())
	},
	"WARP_SZ": func(f *function) value { return number("i32", 32) },
}

func init() {
	for i, axis := range []string{"x", "y", "z"} {
		specials["%tid."+axis] = func(f *function) value { return f.call("i32", "llvm.amdgcn.workitem.id."+axis) }
		specials["%ctaid."+axis] = func(f *function) value { return f.call("i32", "llvm.amdgcn.workgroup.id."+axis) }
		specials["%ntid."+axis] = func(f *function) value { return f.blockExtent(i) }
		specials["%nctaid."+axis] = func(f *function) value { return f.hidden("i32", 4*i) }
	}
	for _, which := range []string{"eq", "lt", "le", "gt", "ge"} {
		specials["%lanemask_"+which] = func(f *function) value {
			return f.call("i32", "ptx.lanemask."+which, f.call("i32", "ptx.laneid"))
		}
	}
}

// special reads a special register.
func (f *function) special(name string) (value, bool) {
	read := specials[name]
	if read == nil || f.find(name) != nil {
		return none, false
	}
	return read(f), true
}

// hidden reads an implicit argument of code object version 5: the numbers of
// blocks as i32 from byte 0 on, the sizes of a block as i16 from byte 12 on
// (LLVM's AMDGPU usage, "Code Object V5 Kernel Argument Metadata").
func (f *function) hidden(typ string, offset int) value {
	base := f.call("ptr addrspace(4)", "llvm.amdgcn.implicitarg.ptr")
	at := f.do("ptr addrspace(4)", "getelementptr i8, %s, i64 %d", base, offset)
	return f.do(typ, "load %s, %s, align 2, !invariant.load !1", typ, at)
}

// blockExtent is %ntid: what .reqntid states, else the launch.
func (f *function) blockExtent(axis int) value {
	if f.fn.Entry {
		if dims, ok := f.extent(".reqntid"); ok {
			return number("i32", int64(dims[axis]))
		}
	}
	return f.do("i32", "zext %s to i32", f.hidden("i16", 12+2*axis))
}

// linearThread is the number of the thread in its block, by which threads are
// put into warps.
func (f *function) linearThread() value {
	var id [3]value
	for i, axis := range []string{"x", "y", "z"} {
		id[i] = f.call("i32", "llvm.amdgcn.workitem.id."+axis)
	}
	row := f.do("i32", "mul %s, %s", id[2], f.blockExtent(1).text)
	row = f.do("i32", "add %s, %s", row, id[1].text)
	row = f.do("i32", "mul %s, %s", row, f.blockExtent(0).text)
	return f.do("i32", "add %s, %s", row, id[0].text)
}

// extent reads the sizes of a .reqntid or .maxntid; those left out are 1.
func (f *function) extent(name string) (dims [3]int, ok bool) {
	for _, d := range f.fn.Attributes {
		if d.Name != name {
			continue
		}
		dims = [3]int{1, 1, 1}
		for i, a := range d.Args {
			if n, err := parseInt(a); i > 2 || err != nil || n < 1 || n > 1024 {
				f.refuse(d.Span, "%s with these sizes", name)
				return dims, false
			} else {
				dims[i] = n
			}
		}
		return dims, len(d.Args) > 0
	}
	return dims, false
}

// blockSize is the value of amdgpu-flat-work-group-size.
func (f *function) blockSize() string {
	if d, ok := f.extent(".reqntid"); ok {
		n := d[0] * d[1] * d[2]
		return fmt.Sprintf("%d,%d", n, n)
	}
	if d, ok := f.extent(".maxntid"); ok {
		return fmt.Sprintf("1,%d", d[0]*d[1]*d[2])
	}
	return fmt.Sprintf("1,%d", f.options.maxBlock())
}

// checkAttributes refuses what a function header says and the emitter does not
// heed. Hints about registers and occupancy are passed over: they change no
// result.
func (f *function) checkAttributes() {
	for _, d := range f.fn.Attributes {
		switch d.Name {
		case ".maxntid", ".reqntid":
			if e, ok := f.extent(d.Name); !ok || e[0]*e[1]*e[2] > 1024 {
				f.refuse(d.Span, "%s with these sizes", d.Name)
			}
		case ".minnctapersm", ".maxnctapersm", ".maxnreg", ".pragma", ".noreturn":
		default:
			f.refuse(d.Span, "the directive %s is not translated", d.Name)
		}
	}
}
