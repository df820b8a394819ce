package matrix

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kmx/internal/diag"
)

// excludeDecl is an exclude block with its selectors.
type excludeDecl struct {
	node     *node
	where    diag.Range // of match
	patterns []*pattern
}

// exclusions reads the ledger: what should exist and is left out.
func (l *loader) exclusions(root *node) {
	for _, n := range root.all("exclude") {
		if !l.names.declare("exclude", n.label, n.head) {
			l.d.lossy = true
			continue
		}
		d := &excludeDecl{node: n, where: n.head}
		x := &Exclusion{Name: n.label, Declared: n.head, decl: d}
		if l.onceBool(n, "when", l.d.file, true) && !l.o.Whole {
			l.m.Exclusions = append(l.m.Exclusions, x)
		}
		x.Reason = l.onceText(n, "reason", l.d.file)
		x.Issue = l.onceText(n, "issue", l.d.file)
		if a := n.attrs["reason"]; a != nil && strings.TrimSpace(x.Reason) == "" && !l.said(a.where()) {
			l.errorf(a.where(), "the reason is empty").hint("say why these cells are left out; manifests repeat it")
		}
		if a := n.attrs["match"]; a != nil {
			d.where = a.where()
			if x.Match = l.matchText(n, a); x.Match == "" {
				l.d.lossy = true
				if !l.said(a.where()) {
					l.errorf(a.where(), "match selects nothing").hint(`write match = "FAMILY/KERNEL@TARGET"`)
				}
			} else {
				d.patterns = l.patterns(x.Match, fmt.Sprintf("exclude %q excludes nothing", n.label), d.where)
			}
		} else {
			l.d.lossy = true
		}
		if a := n.attrs["until"]; a != nil {
			l.expiry(x, a)
		}
	}
}

// matchText is the selectors of an adjust or an exclusion.
func (l *loader) matchText(n *node, a *attr) string {
	text := strings.TrimSpace(l.onceText(n, "match", l.d.file))
	l.hintAt(a.where(), "write the selectors in one string, separated by commas")
	return text
}

// hintAt adds a hint to what is reported at a place, if anything is.
func (l *loader) hintAt(where diag.Range, hint string) {
	for _, p := range l.list {
		if p.Where == where {
			p.hint("%s", hint)
		}
	}
}

// said reports whether something wrong is reported at a place.
func (l *loader) said(where diag.Range) bool {
	for _, p := range l.list {
		if p.Where.File == where.File && p.Where.Start.Byte >= where.Start.Byte && p.Where.End.Byte <= where.End.Byte {
			return true
		}
	}
	return false
}

// expiry checks that an exclusion still holds: until the end of its last day,
// by the release's notion of today. The clock can only warn, so that a tagged
// release stays buildable.
func (l *loader) expiry(x *Exclusion, a *attr) {
	x.Until = l.onceText(x.decl.node, "until", l.d.file)
	if x.Until == "" {
		l.hintAt(a.where(), `write it as "YYYY-MM-DD"`)
		return
	}
	if !isDate(x.Until) {
		l.errorf(a.where(), "%q is no date", x.Until).hint("write it as YYYY-MM-DD")
		x.Until = ""
		return
	}
	today, from, ok := l.today()
	if !ok {
		return // reported
	}
	if today == "" {
		l.errorf(a.where(), "nothing says what day it is, so until means nothing").
			hint(`add date = "YYYY-MM-DD" to the project, or set SOURCE_DATE_EPOCH`)
		return
	}
	if x.Until < today {
		p := l.errorf(a.where(), "exclude %q has expired", x.Name).
			detail("it held until %s, and it is %s by %s", x.Until, today, from).
			hint("repair what it leaves out, or decide anew how long it may last")
		if x.Issue != "" {
			p.Detail += "\n" + x.Issue
		}
		return
	}
	if clock := l.o.Now.UTC().Format(time.DateOnly); !l.o.Now.IsZero() && x.Until < clock {
		p := l.errorf(a.where(), "exclude %q has expired by the clock", x.Name).
			detail("it held until %s, and it is %s; a release of %s may still leave the cells out", x.Until, clock, today).
			hint("repair what it leaves out, or decide anew how long it may last")
		p.Severity = diag.Warning
	}
}

// today is the release's notion of today and what says so: SOURCE_DATE_EPOCH,
// else the project's date; "" when neither does.
func (l *loader) today() (day, from string, ok bool) {
	const name = "SOURCE_DATE_EPOCH"
	if !l.asked {
		l.asked = true
		l.epoch, l.hasEpoch = l.o.Getenv(name)
		l.m.Env = append(l.m.Env, EnvRead{name, l.epoch, l.hasEpoch})
	}
	if !l.hasEpoch || l.epoch == "" {
		return l.m.Project.Date, "the project's date", true
	}
	seconds, err := strconv.ParseInt(l.epoch, 10, 64)
	if err != nil || seconds < 0 || seconds > 253402300799 {
		l.errorf(diag.Range{}, "%s is no time: %q", name, shown(l.epoch)).hint("it is the seconds since 1970, in UTC")
		return "", "", false
	}
	return time.Unix(seconds, 0).UTC().Format(time.DateOnly), name, true
}
