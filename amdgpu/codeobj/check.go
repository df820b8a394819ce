package codeobj

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lanes is the x extent of the block in which kernels with d4r_block_z are
// launched; prepGroup is the block of every NAME_prep launch (128, 1, 1).
const (
	lanes     = 32
	prepGroup = 128
	postCount = 8 // NAME_post1 to NAME_post8
)

// Check reads an object and compares it with what was declared. It returns all
// problems; none means that the object may enter a set. The object is nil when
// not even an ELF header for AMDGPU could be read.
func Check(data []byte, w Want) (*Object, []Problem) {
	o, ps := read(data)
	if o == nil {
		return nil, ps
	}
	o.checkTarget(w, &ps)
	if len(o.table.undefined) > 0 {
		names := slices.Compact(slices.Sorted(slices.Values(o.table.undefined)))
		ps.add("unresolved symbols, which no loader will find: %s", strings.Join(names, ", "))
	}
	if o.meta != nil && o.table.hasDyn {
		o.checkKernels(w, &ps)
	}
	if o.table.hasDyn {
		o.checkHook(w, &ps)
	}
	o.checkPaths(w.Paths, &ps)
	return o, ps
}

// checkTarget: the GPU in the header and in the note, and the format's version.
func (o *Object) checkTarget(w Want, ps *problems) {
	want, known := machineOf(w.Target)
	if !known {
		ps.add("%q is no GPU that kmx knows, so its objects cannot be told from others", w.Target)
	}
	if got := o.Flags & machineMask; known && got != want {
		ps.differ(fmt.Sprintf("0x%02x", want), fmt.Sprintf("0x%02x", got),
			"this is a %s object in a %s folder: machine in the ELF flags (offset 0x30)", o.Target, w.Target)
	}
	if rest := o.Flags &^ machineMask; rest&featureMask != 0 || rest<<(32-genericShift) != 0 ||
		rest>>genericShift != 0 && !strings.HasSuffix(o.Target, "generic") {
		ps.add("the ELF flags 0x%08x ask for features (xnack, sramecc or others) that these GPUs do not have", o.Flags)
	}
	if o.meta != nil {
		if known && o.NoteTarget != w.Target && o.NoteTarget != o.Target {
			ps.add("this is a %s object in a %s folder: target in the note is %q", o.NoteTarget, w.Target, o.meta.target)
		}
		if o.NoteTarget != o.Target {
			ps.add("the ELF flags and the note disagree: the flags are for %s, the note says %q", o.Target, o.meta.target)
		} else if !strings.HasPrefix(o.meta.target, "amdgcn-amd-amdhsa-") || strings.Contains(o.meta.target, ":") {
			ps.differ("amdgcn-amd-amdhsa--"+w.Target, o.meta.target, "target in the note")
		}
	}
	o.checkVersion(w, ps)
}

func (o *Object) checkVersion(w Want, ps *problems) {
	v := o.CodeObjectVersion
	switch {
	case v == 0:
		ps.add("EI_ABIVERSION (offset 8) is %d, which is no code-object version", o.ABIVersion)
		return
	case w.CodeObjectVersion == 0 && v != 4 && v != 5:
		ps.differ("4 or 5", v, "code-object version")
	case w.CodeObjectVersion != 0 && v != w.CodeObjectVersion:
		ps.differ(w.CodeObjectVersion, v, "code-object version")
	}
	minor := map[int]int{3: 0, 4: 1, 5: 2, 6: 2}[v]
	if o.meta != nil && o.meta.version != [2]int{1, minor} {
		ps.differ(fmt.Sprintf("1.%d", minor), fmt.Sprintf("%d.%d", o.meta.version[0], o.meta.version[1]),
			"the ELF header and the note disagree about the code-object version: note of a version %d object", v)
	}
}

// checkHook: the control symbols against the declared ones.
func (o *Object) checkHook(w Want, ps *problems) {
	for _, name := range slices.Sorted(maps.Keys(w.Hook)) {
		want, symbol := w.Hook[name], hookPrefix+name
		s, ok := o.Symbol(symbol)
		switch {
		case !ok:
			o.explainMissing(symbol, want, ps)
		case s.Function:
			ps.add("%s is a function, not a 4-byte variable", symbol)
		case s.Size != 4:
			ps.add("%s has %d bytes; the hook ignores it unless it has 4", symbol, s.Size)
		case s.HasValue && s.Value != want:
			ps.differ(want, s.Value, "%s has another value than declared", symbol)
		}
	}
	for _, s := range o.Symbols {
		name, control := strings.CutPrefix(s.Name, hookPrefix)
		if _, declared := w.Hook[name]; control && !declared && s.HasValue && s.Value != 0 {
			ps.add("%s = %d is exported and would steer the launch, but it is not declared", s.Name, s.Value)
		}
	}
}

// hookPrefix begins the names of control symbols.
const hookPrefix = "d4r_"

func (o *Object) explainMissing(symbol string, want uint32, ps *problems) {
	if how, ok := o.table.local[symbol]; ok {
		ps.add("%s = %d lost its linkage: it is in the object as %s but not exported, so the hook cannot find it; "+
			`declare it on a line of its own: extern "C" __device__ const unsigned %s = %d;`, symbol, want, how, symbol, want)
		return
	}
	ps.add("%s = %d is declared but the object does not export it; a const inside an extern \"C\" { } block or in C++ scope "+
		`is dropped silently, declare it on a line of its own: extern "C" __device__ const unsigned %s = %d;`, symbol, want, symbol, want)
}

// hookValue is the value that will steer the launch, or would if it were there.
func (o *Object) hookValue(w Want, name string) uint32 {
	if v, ok := w.Hook[name]; ok {
		return v
	}
	s, _ := o.Symbol(hookPrefix + name)
	return s.Value
}
