package ptx

import (
	"slices"
)

// connect cuts the instructions into basic blocks and links them.
func (c *collector) connect() {
	fl := c.flow
	n := int32(len(fl.instructions))
	if n == 0 {
		return
	}
	starts := append(c.leaders, 0)
	slices.Sort(starts)
	starts = slices.Compact(starts)
	fl.blockOf = make([]int32, n)
	for i, from := range starts {
		if from >= n {
			break
		}
		to := n
		if i+1 < len(starts) {
			to = min(starts[i+1], n)
		}
		for k := from; k < to; k++ {
			fl.blockOf[k] = int32(len(fl.blocks))
		}
		fl.blocks = append(fl.blocks, flowBlock{from: from, to: to})
	}
	for b := range fl.blocks {
		last := fl.blocks[b].to - 1
		in := fl.instructions[last]
		if !in.Ends() || in.Guard != nil {
			c.link(b, last+1)
		}
		for _, label := range c.targets(in, c.in[last]) {
			c.link(b, label)
		}
		next := fl.blocks[b].next
		slices.Sort(next)
		fl.blocks[b].next = slices.Compact(next)
		for _, to := range fl.blocks[b].next {
			fl.blocks[to].prev = append(fl.blocks[to].prev, int32(b))
		}
	}
}

func (c *collector) link(from int, instruction int32) {
	fl := c.flow
	if instruction < int32(len(fl.instructions)) { // not the end of the function
		fl.blocks[from].next = append(fl.blocks[from].next, fl.blockOf[instruction])
	}
}

// targets are the instructions that a branch may go to.
func (c *collector) targets(in *Instruction, scope int32) []int32 {
	if in.Op() != "bra" && in.Op() != "brx" || len(in.Operands) == 0 {
		return nil
	}
	sym, ok := in.Operands[len(in.Operands)-1].(*Symbol)
	if !ok {
		return nil
	}
	if in.Op() == "bra" {
		return c.find(scope, sym.Name)
	}
	var list []int32
	for s := scope; s >= 0; s = c.scopes[s] {
		if names, ok := c.tables[labelKey{s, sym.Name}]; ok {
			for _, name := range names {
				list = append(list, c.find(s, name)...)
			}
			break
		}
	}
	return list
}

// find looks for a label from a scope outwards.
func (c *collector) find(scope int32, name string) []int32 {
	for s := scope; s >= 0; s = c.scopes[s] {
		if n, ok := c.labels[labelKey{s, name}]; ok {
			return []int32{n}
		}
	}
	return nil
}
