package tex

import (
	"fmt"
	"slices"
	"strings"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// storeForm is a surface store that has a device function.
type storeForm struct {
	opcode string
	kind   string // in Options.Kinds; counted as "stores." and this
	values int
	to     function
}

var storeForms = []storeForm{
	{"sust.b.2d.v2.b16.zero", "v2b16", 2, sustV2B16},
	{"sust.b.2d.b32.zero", "b32", 1, sustB32},
	{"sust.p.2d.v4.b32.zero", "p", 4, sustP},
	{"sust.b.2d.v4.b16.zero", "v4b16", 4, sustV4B16},
}

// isStore reports whether an instruction writes to a surface.
func isStore(in *ptx.Instruction) bool { return in.Op() == "sust" || in.Op() == "sured" }

// stores makes the surface stores that are kept calls.
func (e *editor) stores() {
	e.foreign()
	for _, in := range e.list {
		if !isStore(in) || !e.kept(in) {
			continue
		}
		i := slices.IndexFunc(storeForms, func(f storeForm) bool { return f.opcode == in.Opcode })
		if i < 0 {
			var known []string
			for _, f := range storeForms {
				known = append(known, f.opcode)
			}
			e.problems.at(in.Span, "no device function does what "+in.Opcode+" does", "a function is needed in tex/, and a form in this recipe; those there are: "+diag.And(known))
			continue
		}
		form := storeForms[i]
		if k := e.r.Options.Kinds; len(k) > 0 && !slices.Contains(k, form.kind) {
			continue
		}
		if args, ok := e.storeArgs(in, form); ok {
			e.uses(form.to)
			e.replaceCall("stores."+form.kind, in, form.to, args, "")
		}
	}
}

// storeArgs are the arguments of the call for a store.
func (e *editor) storeArgs(in *ptx.Instruction, form storeForm) ([]string, bool) {
	unexpected := func(what string) ([]string, bool) {
		e.problems.at(in.Span, what, "expected "+form.opcode+" [surface register, {x, y}], "+plural(form.values, "value"))
		return nil, false
	}
	if len(in.Operands) != 2 {
		return unexpected(fmt.Sprintf("this surface store has %d operands", len(in.Operands)))
	}
	a, ok := in.Operands[0].(*ptx.Address)
	if !ok {
		return unexpected("the first operand of this surface store is no address")
	}
	surface, ok := a.Base.(*ptx.Register)
	if !ok || a.Offset != 0 {
		return unexpected("the surface is not given by a register")
	}
	at := a.Coordinates()
	if at == nil || len(a.More) != 1 || len(at.Elems) != 2 {
		return unexpected("this surface store has no two coordinates")
	}
	values := []ptx.Operand{in.Operands[1]}
	if v, ok := in.Operands[1].(*ptx.Vector); ok {
		values = v.Elems
	}
	if len(values) != form.values {
		return unexpected(fmt.Sprintf("this surface store has %s", plural(len(values), "value")))
	}
	args := []string{surface.Name}
	for _, o := range slices.Concat(at.Elems, values) {
		switch o := o.(type) {
		case *ptx.Register:
			args = append(args, o.Name)
		case *ptx.Immediate:
			if o.Kind == ptx.F64 {
				return unexpected("a 64-bit constant stands among the values")
			}
			args = append(args, o.Text)
		default:
			return unexpected("a value of this surface store is neither a register nor a constant")
		}
	}
	return args, true
}

// replaceCall replaces an instruction by a call. A guard becomes a branch
// around the call, since what a guarded instruction does not do includes the
// stores of arguments.
func (e *editor) replaceCall(what string, in *ptx.Instruction, f function, args []string, result string) {
	text := f.call(e.names, nil, args, result, nil)
	if in.Guard == nil {
		text = strings.TrimPrefix(text, "\t")
	} else {
		skip, not := e.names.skip(), "!"
		if in.Guard.Negated {
			not = ""
		}
		text = fmt.Sprintf("@%s%s bra %s;\n%s\n%s:", not, in.Guard.Register.Name, skip, text, skip)
	}
	e.replace(what, in.Span, text)
}

// foreign looks through the functions that the kept part of the kernel calls:
// an edit of the kernel alone would leave their stores as they are.
func (e *editor) foreign() {
	seen := map[string]bool{e.f.Name: true}
	var visit func(from *ptx.Function, kept func(ptx.Item) bool)
	visit = func(from *ptx.Function, kept func(ptx.Item) bool) {
		for in := range e.m.Instructions(from) {
			if in.Call == nil || !kept(in) {
				continue
			}
			s, ok := in.Call.Target.(*ptx.Symbol)
			if !ok {
				e.problems.at(in.Span, "this call goes through a register; what it runs cannot be looked through for surface stores", "the recipe needs direct calls")
				continue
			}
			if seen[s.Name] {
				continue
			}
			seen[s.Name] = true
			f := e.m.Function(s.Name)
			if f == nil || f.Body == nil {
				continue
			}
			for in := range e.m.Instructions(f) {
				if isStore(in) || directed(in) != "" {
					e.problems.at(in.Span, "this statement of "+f.Name+", which the kernel calls, would be left as it is", "recipes edit the kernel only: the function would have to be inlined")
				}
			}
			visit(f, func(ptx.Item) bool { return true })
		}
	}
	visit(e.f, e.kept)
}
