package ptx

import (
	"slices"
	"sort"
	"sync"
)

// Flow is the control and data flow of one function. It is made once and may
// be read from several goroutines.
//
// Registers go by their names. Where a name is declared in several scopes of
// one function (asm blocks do that), the first declaration keeps the name and
// the others get "#2", "#3" ... behind it, in the order of the text; Name
// gives the name of an operand. Special registers such as %tid.x take no part.
// The carry flag does, as "CC.CF".
//
// An instruction under a guard may write or not: its definition reaches later
// uses, and so do the ones before it. The same holds for a write of a part of
// a vector register.
type Flow struct {
	function     *Function
	instructions []*Instruction
	index        map[*Instruction]int32
	effects      []effect // by instruction
	blocks       []flowBlock
	blockOf      []int32 // by instruction

	names        []string // of registers by number
	numbers      map[string]int32
	declarations []*Variable         // by register; nil: undeclared or a parameter
	operands     map[*Register]int32 // those that are not found by their name

	given map[int32]bool // parameters: registers with a value from the beginning

	defs, uses [][]int32 // instructions by register, in order

	liveOnce sync.Once
	liveIn   [][]int32 // registers by block, sorted
}

// effect is what an instruction reads and writes.
type effect struct {
	reads, writes []int32 // registers, without repetition, in the order of the operands
	partial       bool    // it may leave the old value
}

// flowBlock is a basic block: instructions From to To, To exclusive.
type flowBlock struct {
	from, to   int32
	next, prev []int32
}

// Analyse follows the flow of a function. A declaration has none: every
// answer is empty.
func Analyse(f *Function) *Flow {
	fl := &Flow{function: f, index: map[*Instruction]int32{}, numbers: map[string]int32{}, operands: map[*Register]int32{}, given: map[int32]bool{}}
	c := &collector{flow: fl, seen: map[string]int{}, labels: map[labelKey]int32{}, tables: map[labelKey][]string{}}
	if f != nil && f.Body != nil {
		c.params(f)
		c.block(f.Body, -1)
	}
	c.connect()
	fl.defs = make([][]int32, len(fl.names))
	fl.uses = make([][]int32, len(fl.names))
	for i, e := range fl.effects {
		for _, r := range e.writes {
			fl.defs[r] = append(fl.defs[r], int32(i))
		}
		for _, r := range e.reads {
			fl.uses[r] = append(fl.uses[r], int32(i))
		}
	}
	return fl
}

// Instructions are the instructions of the function in the order of the text.
func (fl *Flow) Instructions() []*Instruction { return fl.instructions }

// Index is the place of an instruction in Instructions, -1 for one of another
// function.
func (fl *Flow) Index(in *Instruction) int {
	if i, ok := fl.index[in]; ok {
		return int(i)
	}
	return -1
}

// Registers are the names of all registers that occur in instructions, in the
// order of their first occurrence.
func (fl *Flow) Registers() []string { return slices.Clone(fl.names) }

// Declaration is the .reg statement of a register, nil for a parameter, the
// carry flag and what is not declared.
func (fl *Flow) Declaration(reg string) *Variable {
	if r, ok := fl.numbers[reg]; ok {
		return fl.declarations[r]
	}
	return nil
}

// Name is the name of the register that an operand of the function stands for,
// "" for special registers.
func (fl *Flow) Name(r *Register) string {
	if n, ok := fl.operands[r]; ok {
		if n < 0 {
			return ""
		}
		return fl.names[n]
	}
	return r.Name
}

// Defs are the instructions that write a register, in the order of the text.
func (fl *Flow) Defs(reg string) []*Instruction { return fl.list(fl.defs, reg) }

// Uses are the instructions that read a register, in the order of the text.
func (fl *Flow) Uses(reg string) []*Instruction { return fl.list(fl.uses, reg) }

func (fl *Flow) list(of [][]int32, reg string) []*Instruction {
	r, ok := fl.numbers[reg]
	if !ok {
		return nil
	}
	return fl.pick(of[r])
}

func (fl *Flow) pick(numbers []int32) []*Instruction {
	list := make([]*Instruction, len(numbers))
	for i, n := range numbers {
		list[i] = fl.instructions[n]
	}
	return list
}

// Reads are the registers that an instruction reads: its sources, its guard,
// the registers in addresses, for ret those that the function returns, each
// once.
func (fl *Flow) Reads(in *Instruction) []string {
	if i, ok := fl.index[in]; ok {
		return fl.nameAll(fl.effects[i].reads)
	}
	return nil
}

// Writes are the registers that an instruction writes, each once.
func (fl *Flow) Writes(in *Instruction) []string {
	if i, ok := fl.index[in]; ok {
		return fl.nameAll(fl.effects[i].writes)
	}
	return nil
}

func (fl *Flow) nameAll(regs []int32) []string {
	list := make([]string, len(regs))
	for i, r := range regs {
		list[i] = fl.names[r]
	}
	return list
}

// ReachingDefs are the instructions whose value of reg may be the one that use
// sees before it runs, in the order of the text. use need not read reg. That
// the register may be undefined on some way is not among the answers: see
// DefinedBefore.
func (fl *Flow) ReachingDefs(use *Instruction, reg string) []*Instruction {
	found, _ := fl.reaching(use, reg)
	return fl.pick(found)
}

// DefinedBefore reports whether reg has a value on every way to use: it is a
// parameter, or some instruction before use writes it for certain.
func (fl *Flow) DefinedBefore(use *Instruction, reg string) bool {
	found, open := fl.reaching(use, reg)
	r, known := fl.numbers[reg]
	return known && fl.given[r] || len(found) > 0 && !open
}

// reaching walks backwards from use. open is true when a way from the
// beginning of the function has no certain definition.
func (fl *Flow) reaching(use *Instruction, reg string) (found []int32, open bool) {
	at, ok := fl.index[use]
	r, known := fl.numbers[reg]
	if !ok || !known {
		return nil, true
	}
	defs := fl.defs[r]
	seen := map[int32]bool{}
	// back notes the definitions in [from, to) of a block, the last first, and
	// reports whether the value from before the block shows through.
	back := func(from, to int32) bool {
		i := sort.Search(len(defs), func(i int) bool { return defs[i] >= to })
		for i--; i >= 0 && defs[i] >= from; i-- {
			if !seen[defs[i]] {
				seen[defs[i]] = true
				found = append(found, defs[i])
			}
			if !fl.effects[defs[i]].partial {
				return false
			}
		}
		return true
	}
	first := fl.blockOf[at]
	visited := map[int32]bool{}
	var todo []int32
	into := func(b int32) {
		if b == 0 {
			open = true
		}
		for _, p := range fl.blocks[b].prev {
			if !visited[p] {
				visited[p] = true
				todo = append(todo, p)
			}
		}
	}
	if back(fl.blocks[first].from, at) {
		into(first)
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if back(fl.blocks[b].from, fl.blocks[b].to) {
			into(b)
		}
	}
	slices.Sort(found)
	return found, open
}

// ReachedUses are the instructions that may read the value that def gives reg,
// in the order of the text.
func (fl *Flow) ReachedUses(def *Instruction, reg string) []*Instruction {
	var list []*Instruction
	for _, use := range fl.Uses(reg) {
		if slices.Contains(fl.ReachingDefs(use, reg), def) {
			list = append(list, use)
		}
	}
	return list
}
