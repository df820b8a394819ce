package matrix

import (
	"math/bits"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// coord is one dimension of a frame: a row variable, the target or an axis.
type coord struct {
	name   string
	values []cty.Value
	texts  []string // for messages; nil: as the values are written
}

func (c *coord) text(i int) string {
	if c.texts != nil {
		return c.texts[i]
	}
	return show(c.values[i])
}

// frame is the space that a group's cells (or a release's sets) lie in: its
// coordinates, and slots that are evaluated when something needs them. Each
// slot remembers its value for each combination of the coordinates it depends
// on, directly or through other slots.
type frame struct {
	coords   []coord
	idx      []int // the point that is being looked at
	problems *problems
	ctx      *hcl.EvalContext // functions

	stack   []*slot // during resolve
	cur     *entry  // the entry being computed
	touched []*problem
	silent  bool // evaluate for an answer only; report nothing
}

func newFrame(ps *problems) *frame {
	return &frame{problems: ps, ctx: rootContext}
}

var rootContext = &hcl.EvalContext{Functions: functions}

// addCoord adds a dimension; its name becomes a symbol in s.
func (f *frame) addCoord(s *scope, c coord) *symbol {
	f.coords = append(f.coords, c)
	f.idx = append(f.idx, 0)
	return s.add(&symbol{name: c.name, isCoord: true, coord: len(f.coords) - 1})
}

// slot is a value that depends on where in the frame one stands.
type slot struct {
	name    string
	exprs   []*bound
	needs   []*slot
	compute func() any
	asValue func(any) cty.Value // how expressions see it

	deps  uint64 // coordinates
	state int8
	bad   bool // needs itself
	all   bool // depends on every coordinate: only the last entry is worth keeping
	memo  map[uint64]*entry
	last  uint64
	entry *entry
}

const (
	unresolved int8 = iota
	resolving
	resolved
)

// entry is a slot's value at one combination, with the mistakes found on the
// way to it.
type entry struct {
	val      any
	value    cty.Value // for expressions; made when one first asks
	problems []*problem
}

// bound is an expression with the symbols it reads.
type bound struct {
	x    *expr
	syms []*symbol
	deps uint64
	ctx  *hcl.EvalContext
}

// bind finds what x reads. The names have been checked before; one that is
// not found leaves the expression bad.
func (f *frame) bind(x *expr, s *scope) *bound {
	if x == nil {
		return nil
	}
	b := &bound{x: x, ctx: f.ctx.NewChild()}
	b.ctx.Variables = map[string]cty.Value{}
	if x.bad {
		return b
	}
	seen := map[string]bool{}
	for _, t := range x.node.Variables() {
		name := t.RootName()
		if seen[name] {
			continue
		}
		seen[name] = true
		sym := s.find(name)
		if sym == nil {
			x.bad = true
			return b
		}
		if !sym.isCoord && sym.slot == nil {
			b.ctx.Variables[name] = sym.value
			continue
		}
		b.syms = append(b.syms, sym)
	}
	return b
}

// resolve works out what a slot depends on and finds rings.
func (f *frame) resolve(s *slot) uint64 {
	switch s.state {
	case resolved:
		return s.deps
	case resolving:
		f.ring(s)
		return 0
	}
	s.state = resolving
	f.stack = append(f.stack, s)
	for _, n := range s.needs {
		s.deps |= f.resolve(n)
	}
	for _, b := range s.exprs {
		s.deps |= f.resolveBound(b)
	}
	f.stack = f.stack[:len(f.stack)-1]
	s.state = resolved
	s.all = bits.OnesCount64(s.deps) == len(f.coords)
	return s.deps
}

func (f *frame) resolveBound(b *bound) uint64 {
	for _, sym := range b.syms {
		if sym.isCoord {
			b.deps |= 1 << sym.coord
		} else {
			b.deps |= f.resolve(sym.slot)
		}
	}
	return b.deps
}

func (f *frame) ring(s *slot) {
	from := len(f.stack) - 1
	for f.stack[from] != s {
		from--
	}
	var names []string
	for _, r := range f.stack[from:] {
		r.bad = true
		names = append(names, r.name)
	}
	names = append(names, s.name)
	var p *problem
	for i, r := range f.stack[from:] {
		next := f.stack[from:][(i+1)%(len(names)-1)]
		for _, b := range r.exprs {
			if !b.reads(next) {
				continue
			}
			if p == nil {
				p = f.problems.errorf(b.x.where(), "%s needs itself: %s", s.name, strings.Join(names, " -> "))
			} else {
				p.note(b.x.where(), "%s reads %s here", r.name, next.name)
			}
			break
		}
	}
	if p != nil {
		p.hint("take one of the references out")
	}
}

func (b *bound) reads(s *slot) bool {
	for _, sym := range b.syms {
		if sym.slot == s {
			return true
		}
	}
	return false
}

// key numbers the combination of the coordinates in deps.
func (f *frame) key(deps uint64) uint64 {
	key := uint64(0)
	for ; deps != 0; deps &= deps - 1 {
		i := bits.TrailingZeros64(deps)
		key = key*uint64(len(f.coords[i].values)) + uint64(f.idx[i])
	}
	return key
}

// get is the slot's entry at the present point.
func (f *frame) get(s *slot) *entry {
	key := f.key(s.deps)
	e := s.entry
	if e == nil || s.last != key {
		e = s.memo[key]
		if e == nil {
			e = f.compute(s)
			if !s.all {
				if s.memo == nil {
					s.memo = map[uint64]*entry{}
				}
				s.memo[key] = e
			}
		}
		s.entry, s.last = e, key
	}
	if len(e.problems) > 0 {
		f.touched = append(f.touched, e.problems...)
		if f.cur != nil {
			f.cur.problems = append(f.cur.problems, e.problems...)
		}
	}
	return e
}

func (f *frame) compute(s *slot) *entry {
	e := &entry{}
	if s.bad {
		e.value = cty.DynamicVal
		return e
	}
	outer := f.cur
	f.cur = e
	e.val = s.compute()
	f.cur = outer
	return e
}

// slotValue is the slot as expressions see it here.
func (f *frame) slotValue(s *slot) cty.Value {
	e := f.get(s)
	if e.value == cty.NilVal {
		e.value = s.asValue(e.val)
	}
	return e.value
}

// at is the slot's value at the present point, or the zero value when a
// mistake kept it from being known.
func at[T any](f *frame, s *slot) T {
	var zero T
	if s == nil {
		return zero
	}
	if v, ok := f.get(s).val.(T); ok {
		return v
	}
	return zero
}

// ready fills in what b reads; false when b is known to be wrong.
func (f *frame) ready(b *bound) bool {
	if b == nil || b.x.bad {
		return false
	}
	for _, sym := range b.syms {
		if sym.isCoord {
			b.ctx.Variables[sym.name] = f.coords[sym.coord].values[f.idx[sym.coord]]
		} else {
			b.ctx.Variables[sym.name] = f.slotValue(sym.slot)
		}
	}
	return true
}

// fail reports a mistake found while evaluating b here.
func (f *frame) fail(b *bound, m diag.Message) *problem {
	if f.silent {
		return &problem{Message: m}
	}
	if m.Where.IsZero() {
		m.Where = b.x.where()
	}
	before := len(f.problems.list)
	p := f.problems.add(m)
	if len(f.problems.list) > before {
		p.Values = append(p.Values, f.inPlay(b)...)
	}
	if f.cur != nil {
		f.cur.problems = append(f.cur.problems, p)
	}
	f.touched = append(f.touched, p)
	return p
}

// inPlay is the values that decide what b is: the parts of rows and the slots
// it names, then target and axes, also those it reads through others.
func (f *frame) inPlay(b *bound) []diag.Value {
	var vs []diag.Value
	done := uint64(0)
	seen := map[string]bool{}
	for _, t := range b.x.node.Variables() {
		for _, sym := range b.syms {
			if sym.name != t.RootName() {
				continue
			}
			name, value := sym.name, b.ctx.Variables[sym.name]
			if sym.rows != nil && len(t) > 1 {
				part, _ := stepName(t[1])
				if part == "" || !isObject(value) || !value.Type().IsObjectType() || !value.Type().HasAttribute(part) {
					continue
				}
				name, value = name+"."+part, value.GetAttr(part)
			} else if sym.isCoord {
				continue
			}
			if !seen[name] {
				seen[name] = true
				vs = append(vs, diag.Value{Name: name, Text: show(value)})
			}
			if sym.isCoord {
				done |= 1 << sym.coord
			}
		}
	}
	for rest := b.deps &^ done; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		c := &f.coords[i]
		vs = append(vs, diag.Value{Name: c.name, Text: c.text(f.idx[i])})
	}
	return vs
}
