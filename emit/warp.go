package emit

import (
	"fmt"

	"kmx/cuda/ptx"
)

// Operations among the 32 lanes of a warp. In wave64 the lanes 0 to 31 and 32 to
// 63 are two warps, and nothing here crosses between them.
//
// A .sync instruction is taken to be executed by the lanes that reach it
// together; lanes of the member mask that are elsewhere are not waited for.
var warpOperations = map[string]func(*instruction){
	"shfl":       shuffle,
	"vote":       vote,
	"activemask": activeMask,
}

func shuffle(x *instruction) {
	if !x.flag("sync") {
		x.no("shfl without .sync")
		return
	}
	mode := x.one("up", "down", "bfly", "idx")
	t := x.typ("b32")
	if mode == "" || !x.count(5) {
		x.no("shfl without a mode")
		return
	}
	u := scalars["u32"]
	a, b, c := x.arg(1, t), x.arg(2, u), x.arg(3, u)
	x.arg(4, u)
	both := x.call("{ i32, i1 }", "ptx.shfl."+mode, a, b, c)
	v := x.do("i32", "extractvalue %s, 0", both)
	if p, ok := x.in.Operands[0].(*ptx.Pair); ok {
		x.write(p.Second, x.do("i1", "extractvalue %s, 1", both), scalars["pred"])
		x.write(p.First, v, t)
		return
	}
	x.store(0, v, t)
}

func vote(x *instruction) {
	if !x.flag("sync") {
		x.no("vote without .sync")
		return
	}
	mode := x.one("all", "any", "uni", "ballot")
	want := "pred"
	if mode == "ballot" {
		want = "b32"
	}
	t := x.typ(want)
	if mode == "" || !x.count(3) {
		x.no("vote without a mode")
		return
	}
	p := x.arg(1, scalars["pred"])
	mask := x.arg(2, scalars["u32"])
	x.store(0, x.call(t.word(), fmt.Sprint("ptx.vote.", mode), p, mask), t)
}

func activeMask(x *instruction) {
	t := x.typ("b32")
	if x.count(1) {
		x.store(0, x.call("i32", "ptx.ballot", yes), t)
	}
}
