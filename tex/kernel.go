package tex

import (
	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// kernel is one entry with what the recipes ask about it.
type kernel struct {
	m    *ptx.Module
	f    *ptx.Function
	flow *ptx.Flow

	list  []*ptx.Instruction       // in the order of the text
	index map[*ptx.Instruction]int // in list
	depth map[*ptx.Instruction]int // scopes around it; 0: the body itself
	// Labels by name. Scopes may have labels of one name; a branch to it is
	// taken as one to each of them, which only makes recipes refuse more.
	label map[string][]*ptx.Label
	after map[string][]int          // the index of the first instruction behind each
	next  [][]int                   // successors of every instruction
	param map[string]ptx.Param      // by name
	lists map[string]*ptx.Directive // label: the .branchtargets it names
}

// findKernel is the definition of an entry, or nil and a problem.
func findKernel(m *ptx.Module, name string, p *problems) *kernel {
	f := m.Function(name)
	var entries []string
	for _, g := range m.Entries() {
		entries = append(entries, g.Name)
	}
	switch {
	case f == nil:
		p.nowhere("the module has no entry of this name", orElse(diag.DidYouMean(name, entries), "its entries are "+diag.And(entries)))
		return nil
	case f.Body == nil:
		p.at(f.NameAt, "the module declares the kernel and does not define it", "take the module that has its body")
		return nil
	case !f.Entry:
		p.at(f.NameAt, "this is a function, not an entry", "")
		return nil
	}
	k := &kernel{
		m: m, f: f, flow: ptx.Analyse(f),
		index: map[*ptx.Instruction]int{}, depth: map[*ptx.Instruction]int{},
		label: map[string][]*ptx.Label{}, after: map[string][]int{},
		param: map[string]ptx.Param{}, lists: map[string]*ptx.Directive{},
	}
	for _, q := range f.Params {
		k.param[q.Name] = q
	}
	k.collect(f.Body, 0)
	k.connect()
	return k
}

func (k *kernel) collect(b *ptx.Block, depth int) {
	for i, it := range b.Items {
		switch it := it.(type) {
		case *ptx.Block:
			k.collect(it, depth+1)
		case *ptx.Label:
			k.label[it.Name] = append(k.label[it.Name], it)
			k.after[it.Name] = append(k.after[it.Name], len(k.list))
			if i+1 < len(b.Items) {
				if d, ok := b.Items[i+1].(*ptx.Directive); ok && d.Name == ".branchtargets" {
					k.lists[it.Name] = d
				}
			}
		case *ptx.Instruction:
			k.index[it] = len(k.list)
			k.depth[it] = depth
			k.list = append(k.list, it)
		}
	}
}

// targets are the labels that an instruction may branch to.
func (k *kernel) targets(in *ptx.Instruction) []string {
	var names []string
	switch in.Op() {
	case "bra":
		if len(in.Operands) > 0 {
			if s, ok := in.Operands[0].(*ptx.Symbol); ok {
				names = append(names, s.Name)
			}
		}
	case "brx":
		for _, o := range in.Operands {
			if s, ok := o.(*ptx.Symbol); ok && k.lists[s.Name] != nil {
				names = append(names, k.lists[s.Name].Args...)
			}
		}
	}
	return names
}

// connect finds the successors of every instruction.
func (k *kernel) connect() {
	k.next = make([][]int, len(k.list))
	for i, in := range k.list {
		if (in.Guard != nil || !in.Ends()) && i+1 < len(k.list) {
			k.next[i] = append(k.next[i], i+1)
		}
		for _, l := range k.targets(in) {
			for _, to := range k.after[l] {
				if to < len(k.list) {
					k.next[i] = append(k.next[i], to)
				}
			}
		}
	}
}

// bypasses reports whether control can get from one of from to to without
// passing via. from itself counts as left behind.
func (k *kernel) bypasses(from []*ptx.Instruction, via, to *ptx.Instruction) bool {
	seen := make([]bool, len(k.list))
	v, t := k.index[via], k.index[to]
	if v == t {
		return false
	}
	var todo []int
	push := func(list []int) {
		for _, n := range list {
			if n != v && !seen[n] {
				seen[n] = true
				todo = append(todo, n)
			}
		}
	}
	for _, in := range from {
		push(k.next[k.index[in]])
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == t {
			return true
		}
		push(k.next[n])
	}
	return false
}

// reg is the i-th operand as the data flow calls it, where it is a register and
// no special one.
func (k *kernel) reg(in *ptx.Instruction, i int) (string, bool) {
	if i >= len(in.Operands) {
		return "", false
	}
	r, ok := in.Operands[i].(*ptx.Register)
	if !ok {
		return "", false
	}
	name := k.flow.Name(r)
	return name, name != ""
}

// written is the i-th operand as it is written, where it is a register.
func written(in *ptx.Instruction, i int) string {
	if i < len(in.Operands) {
		if r, ok := in.Operands[i].(*ptx.Register); ok {
			return r.Name
		}
	}
	return ""
}

// outer reports whether a register is declared in the body itself, so that its
// name means the same at every place of the body where no scope hides it.
func (k *kernel) outer(reg string) bool {
	v := k.flow.Declaration(reg)
	for _, it := range k.f.Body.Items {
		if d, ok := it.(*ptx.Variable); ok && d == v {
			return true
		}
	}
	return false
}

// between are the instructions with index from to to, to exclusive, whose
// operation is op.
func (k *kernel) between(from, to int, op string) []*ptx.Instruction {
	var list []*ptx.Instruction
	for _, in := range k.list[from:to] {
		if in.Op() == op {
			list = append(list, in)
		}
	}
	return list
}

func spans(list []*ptx.Instruction) []ptx.Span {
	var s []ptx.Span
	for _, in := range list {
		s = append(s, in.Span)
	}
	return s
}
