package tex

import (
	"fmt"

	"kmx/cuda/ptx"
)

const (
	lDec0MMAs    = 304
	lDec0Results = 16 // mma instructions whose results the output takes, two registers each
	lDec0Stores  = 8  // surface stores of the output
)

// lDec0Block replaces everything up to the last mma, but for what the output
// needs besides results.
func (e *editor) lDec0Block() {
	mmas := e.expectCount("mma", lDec0MMAs)
	if len(mmas) < lDec0Results {
		return
	}
	last := mmas[len(mmas)-1]
	end, ok := e.outermost(last, true, "the last mma")
	if !ok {
		return
	}
	behind := e.index[last] + 1
	var stores []*ptx.Instruction
	for _, in := range e.list[behind:] {
		if isStore(in) {
			stores = append(stores, in)
		}
	}
	if len(stores) != lDec0Stores {
		e.problems.places(e.f.NameAt, spans(stores), "a surface store", fmt.Sprintf("%s behind the last mma, not %d", plural(len(stores), "surface store"), lDec0Stores), otherKernel)
	}
	results := e.results(mmas[len(mmas)-lDec0Results:])
	cut := e.cutMiddle(ptx.Span{Start: e.begin(), End: end.Range().End}, behind-1)
	set := map[string]bool{}
	for _, r := range results {
		set[r] = true
	}
	kept := e.needed(0, behind-1, func(reg string) bool { return set[reg] })
	if e.problems.list.HasErrors() {
		return
	}
	s := e.script()
	s.load(0, "b64", "weights")
	s.load(24, "b64", "in")
	s.load(32, "b64", "skip")
	s.load(8, "b32", "sx", "sy")
	s.load(16, "b32", "tw", "th")
	s.move("bx", "%ctaid.x")
	s.move("by", "%ctaid.y")
	lds, lane := s.declare("b32", "lds"), s.declare("b32", "lane")
	reload := []string{
		fmt.Sprintf("mov.u32 %s, %%laneid;", lane),
		fmt.Sprintf("shl.b32 %s, %s, 2;", lane, lane),
		fmt.Sprintf("add.s32 %s, %s, %s;", lds, lds, lane),
	}
	for i, r := range results {
		reload = append(reload, fmt.Sprintf("ld.shared.b32 %s, %s;", r, address(lds, 128*i)))
	}
	e.uses(dec0lBlock)
	e.insteadOf(cut, kept, dec0lBlock.call(e.names, s.statements(), s.args, lds, reload))
}

// results are the result registers of mma instructions in the order of the text:
// what the function leaves in shared memory, 32 dwords each.
func (e *editor) results(mmas []*ptx.Instruction) []string {
	var list []string
	first := map[string]*ptx.Instruction{}
	for _, in := range mmas {
		pair := destinations(in)
		if len(pair) != 2 {
			e.problems.at(in.Span, "this mma is one of the last 16 and has not two result registers", otherKernel)
			continue
		}
		if in.Guard != nil {
			e.problems.at(in.Span, "this mma is one of the last 16 and has a guard", otherKernel)
		}
		for _, o := range pair {
			r, ok := o.(*ptx.Register)
			if !ok || !e.outer(e.flow.Name(r)) {
				e.problems.at(in.Span, "a result of this mma is no register of the kernel", otherKernel)
				continue
			}
			if first[r.Name] != nil {
				e.problems.at(in.Span, fmt.Sprintf("%s is a result of the mma in line %d too; the last 16 must have 32 different ones", r.Name, e.line(first[r.Name])), otherKernel)
			}
			first[r.Name] = in
			list = append(list, r.Name)
		}
	}
	// What the output reads must be what these mma wrote.
	for _, in := range e.list[e.index[mmas[len(mmas)-1]]+1:] {
		for _, reg := range e.flow.Reads(in) {
			mma := first[reg]
			if mma == nil {
				continue
			}
			for _, def := range e.flow.ReachingDefs(in, reg) {
				if def != mma && e.index[def] <= e.index[mmas[len(mmas)-1]] {
					e.problems.at(in.Span, fmt.Sprintf("%s may come from line %d here, not from the mma in line %d", reg, e.line(def), e.line(mma)), otherKernel)
				}
			}
		}
	}
	return list
}
