package tex

import (
	"slices"
	"strings"

	"kmx/cuda/ptx"
)

// origin is what a computed value was made from: the leaves of a slice.
type origin struct {
	params   map[int]int // offset in the parameter block: size of the load's elements in bytes
	pointers []int       // the offsets with elements of 8 bytes, ascending
	symbols  []string    // variables whose addresses went in
	specials []string    // special registers
	loads    bool        // values from memory or other lanes went in
	outside  []reading   // what within stopped at, in no order
	steps    map[*ptx.Instruction]bool
}

// reading is a register as an instruction reads it.
type reading struct {
	use *ptx.Instruction
	reg string
}

// slice follows registers, as use reads them, back over everything that
// computed them, to the leaves. It stops at loads other than of parameters
// (their addresses are not followed), at results of calls, and at definitions
// for which within is false.
func (k *kernel) slice(use *ptx.Instruction, regs []string, within func(*ptx.Instruction) bool) origin {
	o := origin{params: map[int]int{}, steps: map[*ptx.Instruction]bool{}}
	seen := map[reading]bool{}
	var todo []reading
	push := func(use *ptx.Instruction, regs []string) {
		for _, r := range regs {
			if w := (reading{use, r}); !seen[w] {
				seen[w] = true
				todo = append(todo, w)
			}
		}
	}
	push(use, regs)
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, def := range k.flow.ReachingDefs(w.use, w.reg) {
			if within != nil && !within(def) {
				if n := len(o.outside); n == 0 || o.outside[n-1] != w {
					o.outside = append(o.outside, w)
				}
				continue
			}
			if off, size, ok := k.paramOf(def, w.reg); ok {
				o.params[off] = size
				o.steps[def] = true
				continue
			}
			if o.steps[def] {
				continue
			}
			o.steps[def] = true
			if def.Call != nil || isLoad(def) {
				o.loads = true
				continue
			}
			k.leaves(def, &o)
			push(def, k.flow.Reads(def))
		}
	}
	for off, size := range o.params {
		if size == 8 {
			o.pointers = append(o.pointers, off)
		}
	}
	slices.Sort(o.pointers)
	slices.Sort(o.symbols)
	slices.Sort(o.specials)
	o.symbols, o.specials = slices.Compact(o.symbols), slices.Compact(o.specials)
	return o
}

// leaves notes the symbols and special registers among the sources.
func (k *kernel) leaves(in *ptx.Instruction, o *origin) {
	for _, s := range in.Sources() {
		ptx.WalkOperand(s, func(x ptx.Operand) {
			switch x := x.(type) {
			case *ptx.Symbol:
				o.symbols = append(o.symbols, x.Name)
			case *ptx.Register:
				if k.flow.Name(x) == "" {
					o.specials = append(o.specials, x.Name)
				}
			}
		})
	}
}

// isLoad reports whether an instruction takes its result from memory, other
// lanes or a texture, so that its result says nothing about its operands.
func isLoad(in *ptx.Instruction) bool {
	switch in.Op() {
	case "ld", "ldu", "ldmatrix", "atom", "tex", "tld4", "suld", "shfl", "mma", "wmma", "vote", "match", "redux", "movmatrix":
		return true
	}
	return false
}

// paramOf is where in the parameter block the value of reg lies that a load
// takes from there, and how many bytes an element of the load has.
func (k *kernel) paramOf(in *ptx.Instruction, reg string) (offset, size int, ok bool) {
	offset, size, n, ok := k.paramLoad(in)
	if !ok {
		return 0, 0, false
	}
	for i, d := range destinations(in)[:n] {
		if r, isReg := d.(*ptx.Register); isReg && k.flow.Name(r) == reg {
			return offset + i*size, size, true
		}
	}
	return 0, 0, false
}

// paramLoad is where in the parameter block an instruction loads from: n
// elements of size bytes.
func (k *kernel) paramLoad(in *ptx.Instruction) (offset, size, n int, ok bool) {
	if in.Op() != "ld" || !in.Has("param") || len(in.Operands) != 2 {
		return 0, 0, 0, false
	}
	a, isAddress := in.Operands[1].(*ptx.Address)
	if !isAddress {
		return 0, 0, 0, false
	}
	s, isSymbol := a.Base.(*ptx.Symbol)
	if !isSymbol {
		return 0, 0, 0, false
	}
	p, known := k.param[s.Name]
	size, typed := ptx.TypeSize(in.Parts[len(in.Parts)-1])
	if !known || !typed || p.Offset < 0 {
		return 0, 0, 0, false
	}
	return p.Offset + int(a.Offset+s.Offset), size, len(destinations(in)), true
}

// destinations are the registers that a load fills, in order.
func destinations(in *ptx.Instruction) []ptx.Operand {
	if len(in.Operands) == 0 {
		return nil
	}
	if v, ok := in.Operands[0].(*ptx.Vector); ok {
		return v.Elems
	}
	return in.Operands[:1]
}

// memory is the address that a load or store uses, and the state space.
func memory(in *ptx.Instruction) (a *ptx.Address, space string) {
	switch in.Op() {
	case "ld", "ldu", "st", "atom", "red":
		space = "generic"
	case "ldmatrix", "stmatrix":
		space = "shared"
	default:
		return nil, ""
	}
	for _, p := range in.Parts[1:] {
		p, _, _ = strings.Cut(p, "::")
		switch p {
		case "global", "shared", "local", "param", "const":
			space = p
		}
	}
	for _, o := range in.Operands {
		if a, ok := o.(*ptx.Address); ok {
			return a, space
		}
	}
	return nil, ""
}

// addressOrigin is what the address of a load or store was made from.
func (k *kernel) addressOrigin(in *ptx.Instruction, within func(*ptx.Instruction) bool) origin {
	a, _ := memory(in)
	switch b := a.Base.(type) {
	case *ptx.Register:
		return k.slice(in, []string{k.flow.Name(b)}, within)
	case *ptx.Symbol:
		return origin{symbols: []string{b.Name}}
	}
	return origin{}
}

// root follows a register, as use reads it, back over unconditional copies and
// conversions between address spaces: the instruction that made the value, and
// the register that it wrote. nil where several instructions may have.
func (k *kernel) root(use *ptx.Instruction, reg string) (*ptx.Instruction, string) {
	for range maxCopies {
		defs := k.flow.ReachingDefs(use, reg)
		if len(defs) != 1 || defs[0].Guard != nil {
			return nil, reg
		}
		def := defs[0]
		if def.Op() != "mov" && def.Op() != "cvta" {
			return def, reg
		}
		from, ok := k.reg(def, 1)
		if !ok {
			return def, reg
		}
		use, reg = def, from
	}
	return nil, reg
}

// blockSize is the size of the parameter block in bytes.
func (k *kernel) blockSize() int {
	size := 0
	for _, p := range k.f.Params {
		size = max(size, p.Offset+p.Size)
	}
	return size
}

// paramAt is how the bytes from offset on are written as an address.
func (k *kernel) paramAt(offset, size int) (string, bool) {
	for _, p := range k.f.Params {
		if p.Offset >= 0 && p.Offset <= offset && offset+size <= p.Offset+p.Size {
			return address(p.Name, offset-p.Offset), true
		}
	}
	return "", false
}
