package ptx

import (
	"slices"
	"strconv"
)

// collector numbers the registers and instructions of a function and finds its
// basic blocks.
type collector struct {
	flow *Flow
	// seen counts the scopes in which a name is declared; current is what the
	// names in force stand for where that is not the name itself.
	seen    map[string]int
	current map[string]string
	ranges  map[string][]rangeInForce // in force, by prefix, the innermost last
	scopes  []int32                   // parent of every scope
	labels  map[labelKey]int32
	tables  map[labelKey][]string // labels of .branchtargets
	leaders []int32               // instructions that labels stand before
	in      []int32               // scope of every instruction
	// returned are the registers that the function returns.
	returned []int32
}

type labelKey struct {
	scope int32
	name  string
}

type rangeInForce struct {
	count  int
	suffix string
	v      *Variable
}

// params declares the parameters and return values that are registers. What is
// returned in registers is read by every ret.
func (c *collector) params(f *Function) {
	for _, p := range f.Params {
		if p.Space == "reg" {
			c.seen[p.Name] = 1
			c.flow.given[c.number(p.Name)] = true
		}
	}
	for _, p := range f.Returns {
		if p.Space == "reg" {
			c.seen[p.Name] = 1
			c.returned = append(c.returned, c.number(p.Name))
		}
	}
}

// block takes up the items of a block.
func (c *collector) block(b *Block, parent int32) {
	scope := int32(len(c.scopes))
	c.scopes = append(c.scopes, parent)
	var undo []func()
	var pending string // the label just before
	for _, it := range b.Items {
		label := pending
		pending = ""
		switch it := it.(type) {
		case *Block:
			c.block(it, scope)
		case *Label:
			n := int32(len(c.flow.instructions))
			if _, twice := c.labels[labelKey{scope, it.Name}]; !twice {
				c.labels[labelKey{scope, it.Name}] = n
			}
			c.leaders = append(c.leaders, n)
			pending = it.Name
		case *Directive:
			if it.Name == ".branchtargets" {
				c.tables[labelKey{scope, label}] = it.Args
			}
		case *Variable:
			if it.Space == "reg" {
				undo = append(undo, c.declare(it))
			}
		case *Instruction:
			c.instruction(it, scope)
		}
	}
	for i := len(undo) - 1; i >= 0; i-- {
		undo[i]()
	}
}

// declare takes up a declaration and gives back how to forget it.
func (c *collector) declare(v *Variable) func() {
	key := v.Name
	if v.Ranged {
		key += "<"
	}
	c.seen[key]++
	suffix := ""
	if n := c.seen[key]; n > 1 {
		suffix = "#" + strconv.Itoa(n)
	}
	if v.Ranged {
		outer := c.ranges[v.Name]
		if c.ranges == nil {
			c.ranges = map[string][]rangeInForce{}
		}
		c.ranges[v.Name] = append(outer, rangeInForce{v.Count, suffix, v})
		return func() { c.ranges[v.Name] = outer }
	}
	was, known := c.current[v.Name]
	if c.current == nil {
		c.current = map[string]string{}
	}
	c.current[v.Name] = v.Name + suffix
	n := c.number(v.Name + suffix)
	c.flow.declarations[n] = v
	return func() {
		if known {
			c.current[v.Name] = was
		} else {
			delete(c.current, v.Name)
		}
	}
}

// number is the number of a register.
func (c *collector) number(name string) int32 {
	n, ok := c.flow.numbers[name]
	if !ok {
		n = int32(len(c.flow.names))
		c.flow.numbers[name] = n
		c.flow.names = append(c.flow.names, name)
		c.flow.declarations = append(c.flow.declarations, nil)
	}
	return n
}

// resolve is the number of the register an operand stands for, -1 for special
// registers; part says that it stands for a part of it.
func (c *collector) resolve(r *Register) (n int32, part bool) {
	base := baseName(r.Name)
	part = base != r.Name
	if name, ok := c.current[base]; ok {
		n = c.number(name)
	} else if n, ok = c.inRange(base); !ok {
		if IsSpecial(r.Name) {
			c.flow.operands[r] = -1
			return -1, false
		}
		n = c.number(base)
	}
	if c.flow.names[n] != r.Name {
		c.flow.operands[r] = n
	}
	return n, part
}

func (c *collector) inRange(name string) (int32, bool) {
	prefix, k, ok := splitNumber(name)
	if !ok {
		return 0, false
	}
	ranges := c.ranges[prefix]
	for i := len(ranges) - 1; i >= 0; i-- {
		if r := ranges[i]; k < r.count {
			n := c.number(name + r.suffix)
			c.flow.declarations[n] = r.v
			return n, true
		}
	}
	return 0, false
}

// instruction takes up one instruction and what it reads and writes.
func (c *collector) instruction(in *Instruction, scope int32) {
	fl := c.flow
	e := effect{partial: in.Guard != nil}
	read := func(r *Register) {
		if n, _ := c.resolve(r); n >= 0 && !slices.Contains(e.reads, n) {
			e.reads = append(e.reads, n)
		}
	}
	write := func(r *Register) {
		n, part := c.resolve(r)
		e.partial = e.partial || part
		if n >= 0 && !slices.Contains(e.writes, n) {
			e.writes = append(e.writes, n)
		}
	}
	if in.Guard != nil {
		read(in.Guard.Register)
	}
	for _, o := range in.Sources() {
		registersOf(o, read)
	}
	for _, o := range in.Destinations() {
		registersOf(o, write)
	}
	if in.Has("cc") {
		e.writes = append(e.writes, c.number(carry))
	}
	switch in.Op() {
	case "addc", "subc", "madc":
		e.reads = append(e.reads, c.number(carry))
	case "ret":
		for _, r := range c.returned {
			if !slices.Contains(e.reads, r) {
				e.reads = append(e.reads, r)
			}
		}
	}
	fl.index[in] = int32(len(fl.instructions))
	fl.instructions = append(fl.instructions, in)
	fl.effects = append(fl.effects, e)
	c.in = append(c.in, scope)
	if in.Ends() {
		c.leaders = append(c.leaders, int32(len(fl.instructions)))
	}
}
