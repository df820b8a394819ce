package matrix

import (
	"bytes"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// conjuncts takes a condition apart at its top-level &&. The parts that read
// no cell decide whether a family exists in this run, the others for which
// cells: two meanings, one word.
func conjuncts(e hclsyntax.Expression, what string) []*expr {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return conjuncts(e.Expression, what)
	case *hclsyntax.BinaryOpExpr:
		if e.Op == hclsyntax.OpLogicalAnd {
			return append(conjuncts(e.LHS, what), conjuncts(e.RHS, what)...)
		}
	}
	return []*expr{newExpr(e, what)}
}

// holds reports whether conditions hold here; a single one that is null does.
func (f *frame) holds(conditions []*bound) bool {
	for _, b := range conditions {
		switch {
		case len(conditions) == 1:
			return f.boolean(b, true)
		case !f.ready(b):
			return true // a mistake that is reported
		}
		if ok, known := f.condition(b, b.x.node); known && !ok {
			return false
		}
	}
	return true
}

// familyWhen decides whether a family exists: its conditions that read no
// cell hold, and the libraries that it requires are there.
func (in *instance) familyWhen(l *loader) {
	fam := in.fam
	if fam.decl.off != nil {
		return
	}
	for _, b := range in.whenFamily {
		if b.deps == 0 && !b.x.bad && !in.f.holds([]*bound{b}) {
			fam.Exists = false
			fam.Absent = l.source(b.x) + " is false"
			if _, ok := b.x.node.(*hclsyntax.LiteralValueExpr); ok {
				fam.Absent = "switched off in the file: when = " + l.source(b.x)
			}
			fam.decl.off = &LeftOut{Rule: "family " + fam.Name + ", when", Reason: fam.Absent, Declared: b.x.where()}
			return
		}
	}
	if lib := l.missing(fam.Requires); lib != "" {
		fam.Exists, fam.Lacks = false, lib
		fam.Absent = "library " + lib + " is not there"
		fam.decl.ledger = true
		fam.decl.off = &LeftOut{
			Rule: "family " + fam.Name + ", requires library." + lib, Reason: fam.Absent,
			Declared: fam.decl.last("requires").attrs["requires"].where(),
		}
	}
}

// wouldExist reports whether the conditions that depend on the cell hold where
// the frame stands, so that only this run keeps a cell from existing.
func (in *instance) wouldExist() bool {
	for _, conditions := range [][]*bound{in.whenFamily, in.whenGroup} {
		for _, b := range conditions {
			if b.deps != 0 && !in.f.holds([]*bound{b}) {
				return false
			}
		}
	}
	return true
}

// source is an expression as written, on one line.
func (l *loader) source(x *expr) string {
	r := x.where()
	data := l.m.Source(r.File)
	if r.End.Byte > len(data) || r.Start.Byte > r.End.Byte {
		return "its condition"
	}
	return strings.Join(strings.Fields(string(bytes.TrimSpace(data[r.Start.Byte:r.End.Byte]))), " ")
}
