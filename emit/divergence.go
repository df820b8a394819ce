package emit

import (
	"maps"
	"slices"
	"strings"

	"kmx/cuda/ptx"
)

// In wave64 two warps go through a barrier as one wave. That is right as long as
// both meet the same barriers: a barrier under a condition on which the threads of
// a block differ would be passed once for each warp, and other waves would not.
// Here such barriers are found and refused.
//
// A condition differs where it depends on the number of a thread, on what a lane
// gets from others, or on memory at an address that differs; a register also where
// it is set on ways that such a condition chooses. A condition whose one side
// meets no barrier any more does no harm: those threads are done with barriers, on
// both GPUs.

// step is a statement of a function as control flow has it.
type step struct {
	label string // of a label, LLVM's name
	in    *ptx.Instruction
	to    string // where a jump goes, LLVM's label
	falls bool   // the next statement may follow
}

// node is a basic block.
type node struct {
	steps    []step
	next     []int
	barriers []*ptx.Instruction
	reaches  map[int]bool // blocks, itself only where there is a loop
	postdom  map[int]bool // blocks that all ways from here to the end pass, itself included
}

type divergence struct {
	nodes   []node
	flow    *ptx.Flow
	varying map[string]bool // registers
}

// checkBarriers refuses barriers that the two warps of a wave may not both meet.
func (f *function) checkBarriers() {
	if len(f.barriers) == 0 {
		return
	}
	d := &divergence{flow: ptx.Analyse(f.fn), varying: map[string]bool{}}
	d.cut(f.steps)
	d.follow()
	for d.spread() {
	}
	for b := range d.nodes {
		if !d.splits(b) {
			continue
		}
		for _, i := range slices.Sorted(maps.Keys(d.between(b))) {
			for _, in := range d.nodes[i].barriers {
				line, _ := f.module.Line(d.branch(b).Start)
				f.refuse(in.Span, "in wave64, a barrier under the condition of line %d, on which the two warps of a wave may differ", line)
			}
		}
	}
}

// cut makes basic blocks. The last one is the end of the function.
func (d *divergence) cut(steps []step) {
	at := map[string]int{}
	d.nodes = append(d.nodes, node{})
	begin := func() {
		if len(d.nodes[len(d.nodes)-1].steps) > 0 {
			d.nodes = append(d.nodes, node{})
		}
	}
	for _, s := range steps {
		if s.label != "" {
			begin()
			at[s.label] = len(d.nodes) - 1
		}
		n := &d.nodes[len(d.nodes)-1]
		n.steps = append(n.steps, s)
		if s.in != nil && s.in.Has("sync") && (s.in.Op() == "bar" || s.in.Op() == "barrier") && !s.in.Has("warp") {
			n.barriers = append(n.barriers, s.in)
		}
		if s.to != "" || !s.falls {
			begin()
		}
	}
	d.nodes = append(d.nodes, node{})
	end := len(d.nodes) - 1
	at["exit"] = end
	for i := range d.nodes[:end] {
		n := &d.nodes[i]
		last := step{falls: true}
		if len(n.steps) > 0 {
			last = n.steps[len(n.steps)-1]
		}
		if last.to != "" {
			n.next = append(n.next, at[last.to])
		}
		if last.falls {
			n.next = append(n.next, i+1)
		}
	}
}

// follow finds which blocks reach and which post-dominate which.
func (d *divergence) follow() {
	end := len(d.nodes) - 1
	for i := range d.nodes {
		reaches := map[int]bool{}
		todo := slices.Clone(d.nodes[i].next)
		for len(todo) > 0 {
			j := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !reaches[j] {
				reaches[j] = true
				todo = append(todo, d.nodes[j].next...)
			}
		}
		d.nodes[i].reaches = reaches
		d.nodes[i].postdom = map[int]bool{}
		for j := range d.nodes {
			d.nodes[i].postdom[j] = i != end || j == end
		}
	}
	for changed := true; changed; {
		changed = false
		for i := end - 1; i >= 0; i-- {
			n := &d.nodes[i]
			for j := range n.postdom {
				all := len(n.next) > 0
				for _, k := range n.next {
					all = all && d.nodes[k].postdom[j]
				}
				if j != i && !all && n.postdom[j] {
					delete(n.postdom, j)
					changed = true
				}
			}
		}
	}
}

// branch is the conditional jump at the end of a block, nil where there is none.
func (d *divergence) branch(b int) *ptx.Instruction {
	if n := d.nodes[b]; len(n.next) == 2 && n.next[0] != n.next[1] {
		return n.steps[len(n.steps)-1].in
	}
	return nil
}

// splits says that threads may leave a block in two directions which both meet
// barriers.
func (d *divergence) splits(b int) bool {
	in := d.branch(b)
	if in == nil || in.Guard == nil || !d.varying[d.flow.Name(in.Guard.Register)] {
		return false
	}
	for _, s := range d.nodes[b].next {
		meets := len(d.nodes[s].barriers) > 0
		for j := range d.nodes[s].reaches {
			meets = meets || len(d.nodes[j].barriers) > 0
		}
		if !meets {
			return false
		}
	}
	return true
}

// between are the blocks from a branch to where its ways have all come together.
func (d *divergence) between(b int) map[int]bool {
	region := map[int]bool{}
	todo := slices.Clone(d.nodes[b].next)
	for len(todo) > 0 {
		j := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if region[j] || j != b && d.nodes[b].postdom[j] {
			continue
		}
		region[j] = true
		todo = append(todo, d.nodes[j].next...)
	}
	return region
}

// spread marks registers that differ between threads; it says whether there were
// new ones.
func (d *divergence) spread() bool {
	before := len(d.varying)
	chosen := map[int]bool{} // blocks that a differing condition chooses
	looped := map[int]bool{} // those of them that it may choose again and again
	for b := range d.nodes {
		if !d.splits(b) {
			continue
		}
		region := d.between(b)
		for j := range region {
			chosen[j] = true
			looped[j] = looped[j] || region[b]
		}
	}
	for i, n := range d.nodes {
		for _, s := range n.steps {
			if s.in == nil {
				continue
			}
			varies := differs(s.in)
			for _, r := range d.flow.Reads(s.in) {
				varies = varies || d.varying[r]
			}
			for _, r := range d.flow.Writes(s.in) {
				if varies || looped[i] || chosen[i] && len(d.flow.Defs(r)) > 1 {
					d.varying[r] = true
				}
			}
		}
	}
	return len(d.varying) > before
}

// differs says that an instruction gives threads different results whatever it
// reads from registers.
func differs(in *ptx.Instruction) bool {
	switch in.Op() {
	case "atom", "shfl", "vote", "activemask", "call":
		return true
	case "ld":
		if in.Has("local") {
			return true
		}
	}
	found := false
	in.Walk(func(op ptx.Operand) {
		if r, ok := op.(*ptx.Register); ok {
			found = found || strings.HasPrefix(r.Name, "%tid") || strings.HasPrefix(r.Name, "%lane") || r.Name == "%warpid"
		}
	})
	return found
}
