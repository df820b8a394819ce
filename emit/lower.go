package emit

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// layout is the data layout of amdgcn in LLVM 19. Newer versions bring it up to
// date when they read it.
const layout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32" +
	"-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"

// lowering is the translation of one module, or of one kernel of it with what
// the kernel uses.
type lowering struct {
	module  *ptx.Module
	options Options
	refused diag.List

	declared  map[string]*ptx.Variable  // of module scope
	variables map[*ptx.Variable]*symbol // those in use
	globals   []string                  // definitions of variables, in the order of first use
	functions map[*ptx.Function]*function
	order     []*function
	names     map[string]bool   // of variables and functions, taken
	externs   map[string]string // declarations of external functions
	library   map[string]bool   // functions of the library in use
}

// Lower translates a kernel of the module and whatever it uses into LLVM IR
// text. kernel "" means every entry. The error is a *Refusal where the kernel has
// constructs that the emitter does not translate.
func Lower(m *ptx.Module, kernel string, o Options) ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var entries []*ptx.Function
	for _, f := range m.Entries() {
		if kernel == "" || f.Name == kernel {
			entries = append(entries, f)
		}
	}
	if len(entries) == 0 {
		what := "has no entry"
		if kernel != "" {
			what = "has no entry " + kernel + entryHint(m, kernel)
		}
		return nil, fmt.Errorf("%s %s", m.Name, what)
	}
	l := &lowering{
		module: m, options: o,
		declared: map[string]*ptx.Variable{}, variables: map[*ptx.Variable]*symbol{}, functions: map[*ptx.Function]*function{},
		names: map[string]bool{}, externs: map[string]string{}, library: map[string]bool{},
	}
	for _, f := range m.Functions() {
		l.names[f.Name] = true
	}
	for _, v := range slices.Backward(m.Variables()) {
		l.declared[v.Name] = v
	}
	if m.AddressSize != 64 {
		l.refuse(ptx.Span{}, "the module has no .address_size 64; addresses of 32 bits are not translated")
	}
	for _, f := range entries {
		l.lowerFunction(f, nil)
	}
	if len(l.refused) > 0 {
		l.refused.Sort()
		return nil, &Refusal{Kernel: kernel, Messages: l.refused}
	}
	return l.text()
}

func entryHint(m *ptx.Module, kernel string) string {
	var names []string
	for _, f := range m.Entries() {
		names = append(names, f.Name)
	}
	if hint := diag.DidYouMean(kernel, names); hint != "" {
		return "; " + hint
	}
	return ""
}

// text puts the parts of the IR together.
func (l *lowering) text() ([]byte, error) {
	var b strings.Builder
	wave := 32
	if l.options.Wave64 {
		wave = 64
	}
	f32 := "flushed"
	if l.options.Denormals {
		f32 = "kept"
	}
	fmt.Fprintf(&b, "; %s for %s, wave%d, f32 denormals %s\n", oneLine(path.Base(l.module.Name)), l.options.Target, wave, f32)
	fmt.Fprintf(&b, "target datalayout = %q\ntarget triple = \"amdgcn-amd-amdhsa\"\n", layout)
	if len(l.globals) > 0 {
		b.WriteByte('\n')
	}
	for _, g := range l.globals {
		b.WriteString(g)
	}
	names := make([]string, 0, len(l.externs))
	for n := range l.externs {
		names = append(names, n)
	}
	sort.Strings(names)
	if len(names) > 0 {
		b.WriteByte('\n')
	}
	for _, n := range names {
		b.WriteString(l.externs[n])
	}
	kernels := 0
	var attributes strings.Builder
	for _, f := range l.order {
		group := 0
		if f.fn.Entry {
			kernels++
			group = kernels
			fmt.Fprintf(&attributes, "attributes #%d = { convergent nounwind %s\"amdgpu-flat-work-group-size\"=\"%s\" \"uniform-work-group-size\"=\"true\" }\n",
				group, l.floatMode(), f.blockSize())
		}
		b.WriteByte('\n')
		f.write(&b, group)
	}
	if err := l.writeLibrary(&b); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\nattributes #0 = { convergent nounwind %s}\n", l.floatMode())
	b.WriteString(attributes.String())
	b.WriteString("attributes #1000 = { alwaysinline convergent nounwind " + l.floatMode() + "}\n")
	b.WriteString("\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 500}\n!1 = !{}\n")
	return []byte(b.String()), nil
}

func (l *lowering) floatMode() string {
	return `"amdgpu-ieee"="false" "denormal-fp-math"="ieee,ieee" "denormal-fp-math-f32"="` + l.options.denormal() + `" `
}

// lowerFunction translates a function once, after those that it calls for the
// first time. path are the functions that are being translated, for cycles.
func (l *lowering) lowerFunction(fn *ptx.Function, path []*ptx.Function) *function {
	if f := l.functions[fn]; f != nil {
		return f
	}
	f := newFunction(l, fn, append(slices.Clip(path), fn))
	l.functions[fn] = f
	f.lower()
	l.order = append(l.order, f)
	return f
}
