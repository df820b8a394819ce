package matrix

import (
	"math/bits"

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
	evals   int  // slots computed
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
