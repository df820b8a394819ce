package tex

import (
	"fmt"

	"kmx/cuda/ptx"
)

const otherKernel = "this is not the kernel that the recipe was written for: compare it with the approved module (dlss:diff)"

// expectBlock checks the size of the parameter block.
func (e *editor) expectBlock(size int) {
	if n := e.blockSize(); n != size {
		e.problems.places(e.f.NameAt, nil, "", fmt.Sprintf("the parameter block has %d bytes, not %d", n, size), otherKernel)
	}
}

// expectCount checks how many instructions of one operation the kernel has.
func (e *editor) expectCount(op string, want int) []*ptx.Instruction {
	list := e.between(0, len(e.list), op)
	if len(list) != want {
		e.problems.places(e.f.NameAt, nil, "", fmt.Sprintf("the kernel has %s, not %d", plural(len(list), op+" instruction"), want), otherKernel)
	}
	return list
}

// expectLoad checks that one instruction alone loads from some bytes of the
// parameter block: n elements of size bytes.
func (e *editor) expectLoad(offset, size, n int, what string) {
	var found, exact []*ptx.Instruction
	for _, in := range e.list {
		at, s, count, ok := e.paramLoad(in)
		if !ok || at+s*count <= offset || at >= offset+size*n {
			continue
		}
		found = append(found, in)
		if at == offset && s == size && count == n {
			exact = append(exact, in)
		}
	}
	if len(found) == 1 && len(exact) == 1 {
		return
	}
	kind := fmt.Sprintf("load of %d bits", 8*size)
	if n > 1 {
		kind = fmt.Sprintf("v%d load of %d bits", n, 8*size)
	}
	e.problems.places(e.f.NameAt, spans(found), "a load of these bytes",
		fmt.Sprintf("expected one %s of the parameters at offset %d, %s; found %s of these bytes", kind, offset, what, plural(len(found), "load")), otherKernel)
}
