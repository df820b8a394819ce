package tex

import (
	"fmt"

	"kmx/cuda/ptx"
)

// fp8Conversion turns two e4m3 codes into a pair of f16.
const (
	fp8Conversion  = "cvt.rn.f16x2.e4m3x2"
	fp8Conversions = 32 // in dec0, behind its head
)

// conversions makes the e4m3 conversions of what is kept calls. There must be
// as many as the kernel that the device functions were written for has.
func (e *editor) conversions() {
	var list []*ptx.Instruction
	for _, in := range e.list {
		if in.Op() != "cvt" || !in.Has("e4m3x2") || !e.kept(in) || in.Parts[len(in.Parts)-1] != "e4m3x2" {
			continue
		}
		if in.Opcode != fp8Conversion || written(in, 0) == "" || written(in, 1) == "" {
			e.problems.at(in.Span, "this conversion from e4m3 is none that the recipe knows", "expected "+fp8Conversion+" of one register to another")
			continue
		}
		list = append(list, in)
	}
	if len(list) != fp8Conversions {
		e.problems.places(e.f.NameAt, spans(list), "a conversion", fmt.Sprintf("%d %s behind the head, not %d", len(list), fp8Conversion, fp8Conversions),
			otherKernel)
		return
	}
	for _, in := range list {
		e.uses(decE4M3x2)
		e.replaceCall("e4m3", in, decE4M3x2, []string{written(in, 1)}, written(in, 0))
	}
}
