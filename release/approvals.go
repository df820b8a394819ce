package release

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/internal/diag"
)

// Module names the text of a PTX module by both of its hashes: the one that the
// bridge goes by, and one that nobody can make another text for.
type Module struct {
	FNV    uint64
	BLAKE3 cache.Digest
}

func (m Module) String() string { return fmt.Sprintf("fnv1a64:%016x blake3:%s", m.FNV, m.BLAKE3) }

// A Use is a kernel with the module that defines it in a library: what has to be
// approved before it stamps or builds anything.
type Use struct {
	Library string // name in the matrix
	Kernel  string
	Module  Module
	Where   string // for people: "module 12 of nvngx_dlss.dll"
	// Edits are what a recipe did with it, "RECIPE:KIND=N,KIND=N"; "" where
	// nothing was edited. A recipe that is told something has that in its name:
	// "dec0-head+fp8".
	Edits string
}

// recipe is the name in edits.
func recipe(edits string) string {
	name, _, _ := strings.Cut(edits, ":")
	return name
}

// Approval is what one person has compared and taken on, at one time.
type Approval struct {
	Who     string // "who: why"
	Library string
	Modules map[string]Module // by kernel
	// Edits are those made of a kernel's module when it was approved, one for
	// each recipe, sorted.
	Edits map[string][]string
	Where diag.Range
}

// Approvals is the file of the modules that somebody has compared, in the order
// of the file.
type Approvals struct{ List []Approval }

// Unapproved lists the uses that no approval covers, each once, by library and
// kernel: the module is another, or its edits are others than those approved.
func (a *Approvals) Unapproved(uses []Use) []Use {
	var out []Use
	for _, u := range uses {
		if !a.covers(u) && !slices.ContainsFunc(out, func(o Use) bool {
			return o.Library == u.Library && o.Kernel == u.Kernel && o.Module == u.Module && o.Edits == u.Edits
		}) {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(x, y Use) int {
		return strings.Compare(x.Library+" "+x.Kernel+" "+x.Module.String()+x.Edits, y.Library+" "+y.Kernel+" "+y.Module.String()+y.Edits)
	})
	return out
}

func (a *Approvals) covers(u Use) bool {
	return a != nil && slices.ContainsFunc(a.List, func(p Approval) bool {
		m, ok := p.Modules[u.Kernel]
		if !ok || p.Library != u.Library || m != u.Module {
			return false
		}
		pinned := p.edits(u)
		return pinned == "" || pinned == u.Edits
	})
}

// edits are those approved for the recipe of a use, "" if none are.
func (p *Approval) edits(u Use) string {
	for _, e := range p.Edits[u.Kernel] {
		if u.Edits != "" && recipe(e) == recipe(u.Edits) {
			return e
		}
	}
	return ""
}

// Edits are those approved for the recipe of a use whose module is approved, ""
// if none are.
func (a *Approvals) Edits(u Use) string {
	for _, p := range a.List {
		if m, ok := p.Modules[u.Kernel]; ok && p.Library == u.Library && m == u.Module && p.edits(u) != "" {
			return p.edits(u)
		}
	}
	return ""
}

// Known lists the modules that are approved for a kernel.
func (a *Approvals) Known(library, kernel string) []Module {
	var out []Module
	if a == nil {
		return nil
	}
	for _, p := range a.List {
		if m, ok := p.Modules[kernel]; ok && p.Library == library && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// Accept adds an approval by who for uses that are not covered. Edits of modules
// that are approved without any are noted where the module is. It reports whether
// anything changed.
func (a *Approvals) Accept(who string, uses []Use) bool {
	by := map[string]*Approval{}
	changed := false
	for _, u := range a.Unapproved(uses) {
		if by[u.Library] == nil {
			by[u.Library] = &Approval{Who: who, Library: u.Library, Modules: map[string]Module{}, Edits: map[string][]string{}}
		}
		by[u.Library].Modules[u.Kernel] = u.Module
	}
	for _, library := range slices.Sorted(maps.Keys(by)) {
		changed = true
		a.List = append(a.List, *by[library])
	}
	for _, u := range uses {
		for i := len(a.List) - 1; i >= 0 && u.Edits != ""; i-- {
			p := &a.List[i]
			m, ok := p.Modules[u.Kernel]
			if !ok || p.Library != u.Library || m != u.Module {
				continue
			}
			if p.edits(u) == "" {
				changed = true
				p.Edits[u.Kernel] = append(p.Edits[u.Kernel], u.Edits)
				slices.Sort(p.Edits[u.Kernel])
			}
			break
		}
	}
	return changed
}

// CheckWho holds that an approval says who gives it and why: "WHO: WHY".
func CheckWho(text string) error {
	who, why, ok := strings.Cut(text, ":")
	if !ok || strings.TrimSpace(who) == "" || strings.TrimSpace(why) == "" || strings.ContainsAny(text, "\n\r") {
		return errors.New(`it must say who and why on one line: "WHO: WHY"`)
	}
	return nil
}
