package matrix

import (
	"math/bits"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

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
	ring := f.stack[from:]
	for _, r := range ring {
		r.bad = true
		if len(names) == 0 || names[len(names)-1] != r.name {
			names = append(names, r.name)
		}
	}
	if len(names) == 1 || names[len(names)-1] != s.name {
		names = append(names, s.name)
	}
	var p *problem
	for i, r := range ring {
		next := ring[(i+1)%len(ring)]
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
	f.evals++
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
