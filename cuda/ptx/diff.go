package ptx

import (
	"cmp"
	"slices"
)

// Verdict is how two functions compare.
type Verdict int

const (
	// Same: the same statements with the same names.
	Same Verdict = iota
	// Renamed: the same statements under other names.
	Renamed
	// Changed: statements, parameters or attributes differ.
	Changed
)

func (v Verdict) String() string { return [...]string{"same", "renamed", "changed"}[v] }

// Change is one row of a comparison. Kept rows are statements of both
// functions; a statement that was changed is a removed row and an added one.
type Change struct {
	Kind ChangeKind
	A, B Item // the statements; *Param for a parameter, *Block for a brace; nil on the other side
	// Text is the statement on one line. Names of removed rows are those that
	// the other function has for them, where it has one.
	Text         string
	LineA, LineB int // 0 on the other side
}

// ChangeKind is what became of a statement.
type ChangeKind byte

// The kinds of changes, as they are printed at the beginning of a line.
const (
	Kept    ChangeKind = ' '
	Removed ChangeKind = '-'
	Added   ChangeKind = '+'
)

// Comparison is what Diff found. Changes has every row of both functions in
// order: parameters, attributes, then the body with its blocks opened up and
// without .loc.
type Comparison struct {
	Verdict        Verdict
	Changes        []Change
	Renaming       Renaming // of the kept rows, without what has the same name in both
	Removed, Added int

	nameA, nameB string
}

// Diff compares two functions for people. Names are put up with as Align does,
// but what does not fit is a changed row instead of an error: of several
// names that one could stand for it takes the one that fits most rows. The
// number of registers that a function declares does not count.
//
// A function that is nil has no rows and differs from every other.
func Diff(a *Module, fa *Function, b *Module, fb *Function) *Comparison {
	d := &differ{a: newSide(a, fa), b: newSide(b, fb)}
	x, y := rows(fa), rows(fb)
	sh := &shapes{numbers: map[string]int32{}}
	number := func(s *side, list []flat) []int32 {
		n := make([]int32, len(list))
		for i, f := range list {
			n[i] = sh.of(s, f)
		}
		return n
	}
	d.x, d.y = x, y
	d.pairs = commonRows(number(d.a, x), number(d.b, y))
	d.vote()
	return d.compare()
}

// rows are the parameters, attributes and statements of a function.
func rows(f *Function) (list []flat) {
	if f == nil {
		return nil
	}
	for _, params := range [][]Param{f.Returns, f.Params} {
		for i := range params {
			list = append(list, flat{item: &params[i]})
		}
	}
	for _, at := range f.Attributes {
		list = append(list, flat{item: at})
	}
	if f.Body != nil {
		list = flatten(list, f.Body.Items)
	}
	return list
}

type differ struct {
	a, b  *side
	x, y  []flat
	pairs [][2]int32
	to    map[string]string // what keys of a stand for
	from  map[string]string
}

// each compares the paired rows in order; names gets the keys of the names
// that should stand for each other.
func (d *differ) each(names func(a, b string) bool, result func(pair int, why string)) {
	a, b := cursor{rows: d.x}, cursor{rows: d.y}
	m := &matcher{a: d.a, b: d.b}
	m.names = func(x, y string) string {
		if names(a.naming.key(x), b.naming.key(y)) {
			return ""
		}
		return "the names differ"
	}
	for i, p := range d.pairs {
		x, y := a.to(int(p[0])), b.to(int(p[1]))
		why := ""
		if pa, ok := x.item.(*Param); ok {
			if pb, ok := y.item.(*Param); !ok || paramShape(*pa) != paramShape(*pb) {
				why = "the parameters differ"
			}
		} else if !x.open && !x.close {
			why = m.items(x.item, y.item)
		}
		result(i, why)
	}
}

// cursor goes along rows and keeps track of what is declared.
type cursor struct {
	rows   []flat
	next   int
	naming naming
}

func (c *cursor) to(i int) flat {
	for ; c.next <= i; c.next++ {
		switch f := c.rows[c.next]; {
		case f.open:
			c.naming.enter()
		case f.close:
			c.naming.leave()
		default:
			if v, ok := f.item.(*Variable); ok && !v.Ranged {
				c.naming.declare(v.Name)
			}
		}
	}
	return c.rows[i]
}

// vote finds the renaming that fits most rows.
func (d *differ) vote() {
	type pair struct{ a, b string }
	votes := map[pair]int{}
	d.each(func(a, b string) bool { votes[pair{a, b}]++; return true }, func(int, string) {})
	order := make([]pair, 0, len(votes))
	for p := range votes {
		order = append(order, p)
	}
	slices.SortFunc(order, func(p, q pair) int {
		return cmp.Or(cmp.Compare(votes[q], votes[p]), -cmp.Compare(truth(p.a == p.b), truth(q.a == q.b)), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	d.to, d.from = map[string]string{}, map[string]string{}
	for _, p := range order {
		if _, ok := d.to[p.a]; ok {
			continue
		}
		if _, ok := d.from[p.b]; ok {
			continue
		}
		d.to[p.a], d.from[p.b] = p.b, p.a
	}
}

// compare makes the rows of the comparison.
func (d *differ) compare() *Comparison {
	c := &Comparison{Renaming: Renaming{}, nameA: d.a.m.Name, nameB: d.b.m.Name}
	kept := make([]bool, len(d.pairs))
	d.each(func(a, b string) bool { return d.to[a] == b }, func(i int, why string) { kept[i] = why == "" })
	i, k := 0, 0
	upTo := func(n, m int) {
		for ; i < n; i++ {
			c.row(d, Removed, d.x[i], flat{})
		}
		for ; k < m; k++ {
			c.row(d, Added, flat{}, d.y[k])
		}
	}
	for at, p := range d.pairs {
		if !kept[at] {
			continue
		}
		upTo(int(p[0]), int(p[1]))
		c.row(d, Kept, d.x[i], d.y[k])
		i, k = i+1, k+1
	}
	upTo(len(d.x), len(d.y))
	for a, b := range d.to {
		if a = plain(a); a != plain(b) {
			c.Renaming[a] = plain(b)
		}
	}
	switch {
	case c.Removed+c.Added > 0 || d.heads():
		c.Verdict = Changed
	case len(c.Renaming) > 0 || d.a.f != nil && d.a.f.Name != d.b.f.Name:
		c.Verdict = Renamed
	}
	return c
}

// heads reports whether what stands before the parameters differs, or one
// function has a body and the other none.
func (d *differ) heads() bool {
	a, b := d.a.f, d.b.f
	if a == nil || b == nil {
		return a != b
	}
	return a.Entry != b.Entry || a.Extern != b.Extern || a.Visible != b.Visible || a.Weak != b.Weak ||
		len(a.Returns) != len(b.Returns) || (a.Body == nil) != (b.Body == nil)
}

func (c *Comparison) row(d *differ, kind ChangeKind, x, y flat) {
	ch := Change{Kind: kind}
	if x.item != nil {
		ch.A = x.item
		ch.LineA = d.a.line(x)
		ch.Text = d.renamed(x)
	}
	if y.item != nil {
		ch.B = y.item
		ch.LineB = d.b.line(y)
		ch.Text = d.b.flat(y)
	}
	switch kind {
	case Removed:
		c.Removed++
	case Added:
		c.Added++
	}
	c.Changes = append(c.Changes, ch)
}

func (s *side) line(f flat) int {
	at := f.item.Range().Start
	if f.close {
		at = f.item.Range().End - 1
	}
	line, _ := s.m.Line(at)
	return line
}
