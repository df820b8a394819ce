package matrix

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kmx/internal/diag"
)

// rowVar is a variable of a `for` with its rows.
type rowVar struct {
	name   string
	rows   []tableRow
	values []cty.Value
	table  bool // rows are objects

	dom   *domain // what is known of it, and of its parts
	parts map[string]*domain
}

// rows reads a `for`: an object as written, since the order of its keys is
// that of the product.
func (l *loader) rows(d *groupDecl) {
	a := d.node.attrs["for"]
	if a == nil {
		d.broken, d.rowsLost = true, true
		return
	}
	table, ok := a.expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		d.broken, d.rowsLost = true, true
		l.errorf(a.where(), "for must be an object as written, so that its order is known").
			hint("write for = { NAME = [...] }")
		return
	}
	for _, item := range table.Items {
		at := toRange(item.KeyExpr.Range())
		key, diags := item.KeyExpr.Value(rootContext)
		name, ok := text(key)
		if diags.HasErrors() || !ok || !hclsyntax.ValidIdentifier(name) {
			d.broken, d.rowsLost = true, true
			l.errorf(at, "this must be the name of a row variable")
			continue
		}
		if !l.localName("a row variable", name, at) {
			d.broken, d.rowsLost = true, true
			continue
		}
		for _, earlier := range d.rows {
			if earlier.name == name {
				d.broken = true
				l.errorf(at, "the row variable %s is given twice", name)
			}
		}
		v := rowVar{name: name}
		x := newExpr(item.ValueExpr, "rows of "+name)
		l.d.file.check(x, l.problems)
		f := newFrame(l.problems)
		b := f.bind(x, l.d.file)
		var pieces []piece
		if f.ready(b) {
			pieces = f.list(b, x.node)
		}
		for _, p := range pieces {
			if !p.value.IsKnown() {
				d.broken = true
			}
			v.rows = append(v.rows, tableRow{p.where, p.value})
			v.values = append(v.values, p.value)
			v.table = v.table || p.value.Type().IsObjectType()
		}
		if len(pieces) == 0 {
			d.broken = true
			if !x.bad && len(f.touched) == 0 {
				l.errorf(toRange(item.ValueExpr.Range()), "the row variable %s has no rows", name)
			}
		}
		v.domains(l.outside(x.node, nil))
		d.rows = append(d.rows, v)
	}
	if len(d.rows) == 0 && !d.broken {
		d.broken = true
		l.errorf(a.where(), "for names no row variable").hint("write for = { NAME = [...] }")
	}
}

// size is the number of row combinations, capped.
func (d *groupDecl) size() int {
	n := 1
	for _, v := range d.rows {
		n = min(n*max(1, len(v.values)), maxCells+1)
	}
	return n
}

// row sets the coordinates of the row variables to combination i, the last
// variable going fastest.
func (in *instance) row(i int) {
	for v := len(in.g.decl.rows) - 1; v >= 0; v-- {
		n := len(in.g.decl.rows[v].values)
		in.f.idx[v] = i % n
		i /= n
	}
}

// where is the place that declares combination i: its row where there is one.
func (d *groupDecl) where(i int) diag.Range {
	if len(d.rows) == 1 {
		return d.rows[0].rows[i].where
	}
	return d.node.head
}

// twoRows reports a kernel name that two combinations of rows make.
func (l *loader) twoRows(in *instance, name string, first, second int) {
	d := in.g.decl
	where := d.name.where()
	if len(d.rows) == 1 {
		where = d.where(second)
	}
	p := l.errorf(where, "two rows make the kernel %s", name).
		detail("they are %s\nand %s", in.rowText(first), in.rowText(second)).
		hint("use every row variable in name")
	if len(d.rows) == 1 {
		p.note(d.where(first), "the first one is here")
	}
}

// rowText is a combination of rows for people.
func (in *instance) rowText(i int) string {
	in.row(i)
	var parts []string
	for v, row := range in.g.decl.rows {
		parts = append(parts, row.name+" = "+in.f.coords[v].text(in.f.idx[v]))
	}
	return strings.Join(parts, ", ")
}
