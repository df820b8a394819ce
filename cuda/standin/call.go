package standin

import "fmt"

// call calls a function of the module that takes f32s and returns one, in the
// form that compilers write. The result must be copied before the next call.
func (f *fn) call(callee string, args ...*reg) *reg {
	d := f.reg(float)
	n := f.sequence
	f.sequence++
	f.add(&inst{op: "call", defs: []*reg{d}, uses: args, lines: func(name func(*reg) string) []string {
		l := []string{fmt.Sprintf("{ // callseq %d, 0", n), ".reg .b32 temp_param_reg;"}
		for i, a := range args {
			l = append(l, fmt.Sprintf(".param .b32 param%d;", i), fmt.Sprintf("st.param.f32 \t[param%d+0], %s;", i, name(a)))
		}
		l = append(l, ".param .b32 retval0;", "call.uni (retval0), ", callee+", ", "(")
		for i := range args {
			comma := ","
			if i == len(args)-1 {
				comma = ""
			}
			l = append(l, fmt.Sprintf("param%d%s", i, comma))
		}
		return append(l, ");", fmt.Sprintf("ld.param.f32 \t%s, [retval0+0];", name(d)), fmt.Sprintf("} // callseq %d", n))
	}})
	return d
}
