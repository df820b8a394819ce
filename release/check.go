package release

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"kmx/internal/diag"
)

// check finds everything that would keep the plan from being a whole release.
// Nothing on disk is looked at.
func (p *Plan) check() error {
	var wrong, holes diag.List
	var missing []string
	r := p.manifest()
	for _, err := range r.faults() {
		wrong = append(wrong, diag.Message{Summary: err.Error()})
	}
	if len(p.Sets) == 0 {
		wrong = append(wrong, diag.Message{Summary: "the release has no set", Hint: "declare one with a `sets` rule in matrix.hcl"})
	}
	seen := map[string]bool{}
	for _, s := range p.Sets {
		if seen[s.Path] {
			wrong = append(wrong, diag.Message{Summary: fmt.Sprintf("set %s is planned twice", s.Path)})
		}
		seen[s.Path] = true
		wrong = append(wrong, s.faults()...)
		for _, h := range s.holes() {
			holes = append(holes, diag.Message{Summary: fmt.Sprintf("set %s lacks %s", s.Path, h.address), Detail: h.why})
			missing = append(missing, h.address)
		}
	}
	wrong = append(wrong, p.twins()...)
	if len(wrong) == 0 && len(holes) == 0 {
		return nil
	}
	f := &diag.Failure{Class: diag.Matrix, Messages: append(wrong, holes...)}
	if len(wrong) == 0 {
		f.Class = diag.Cells
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		f.Rerun = "mage build " + strings.Join(slices.Compact(missing), ",")
	}
	return f
}

// faults are mistakes in the plan of a set, in the order they are met.
func (s *SetPlan) faults() diag.List {
	var l diag.List
	say := func(hint, format string, args ...any) {
		l = append(l, diag.Message{Summary: fmt.Sprintf("set %s: ", s.Path) + fmt.Sprintf(format, args...), Hint: hint})
	}
	if why := badPath(s.Path); why != "" {
		say("", "set path %q %s", s.Path, why)
	}
	declared := map[string]bool{}
	for _, a := range s.Declared {
		if declared[a] {
			say("", "%s is declared twice", a)
		}
		declared[a] = true
	}
	if len(s.Declared) == 0 {
		say("a set rule that no cell agrees with is left out of the matrix", "no object is declared for it")
	}
	names := map[string]string{}
	for _, o := range s.Objects {
		if !declared[o.Address] {
			say("", "%s is not declared for it", o.Address)
		}
		if o.Target != s.Target {
			say("", "%s is for %s, the set is for %s", o.Address, o.Target, s.Target)
		}
		if why := badName(o.Name + ObjectSuffix); why != "" {
			say("", "%s: kernel name %q %s", o.Address, o.Name, why)
		}
		key := strings.ToLower(o.Name + ObjectSuffix)
		if other, ok := names[key]; ok {
			say("two cells of one name need an axis that keeps them in different sets", "%s and %s both want the file %s", other, o.Address, o.Name+ObjectSuffix)
		}
		names[key] = o.Address
		for _, text := range append([]string{o.Address, o.Family, o.Library, o.Licence, o.Toolchain, o.Emitter, o.Recipe, o.Module, o.NoTwin}, o.Argv...) {
			if !utf8.ValidString(text) {
				say("", "%s: %q is not UTF-8", o.Address, text)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Markers)) {
		key := strings.ToLower(name)
		switch other, taken := names[key]; {
		case badName(name) != "":
			say("", "marker %q %s", name, badName(name))
		case key == ManifestFile || key == KernelsFile:
			say("", "marker %s is a name that kmx writes itself", name)
		case taken:
			say("", "marker %s is also the file of %s", name, other)
		}
		names[key] = "marker " + name
	}
	return l
}

type hole struct{ address, why string }

// holes are declared objects that nobody supplies, in the order declared.
func (s *SetPlan) holes() []hole {
	have := map[string]*Object{}
	for i := range s.Objects {
		have[s.Objects[i].Address] = &s.Objects[i]
	}
	var l []hole
	for _, a := range s.Declared {
		switch o := have[a]; {
		case o == nil:
			l = append(l, hole{a, ""})
		case o.Bytes == nil || o.Digest.IsZero():
			l = append(l, hole{a, "the cell did not build"})
		}
	}
	return l
}

// twins checks that every fast kernel has an accuracy kernel of its name.
func (p *Plan) twins() diag.List {
	place := func(s *SetPlan) string {
		var b strings.Builder
		b.WriteString(s.Target)
		for _, axis := range slices.Sorted(maps.Keys(s.Axes)) {
			if axis != NumericsAxis {
				fmt.Fprintf(&b, " %s=%s", axis, s.Axes[axis])
			}
		}
		return b.String()
	}
	names := map[string]map[string]bool{} // place of an accuracy set to its kernel names
	for i := range p.Sets {
		if s := &p.Sets[i]; s.Axes[NumericsAxis] == Accuracy {
			m := names[place(s)]
			if m == nil {
				m = map[string]bool{}
				names[place(s)] = m
			}
			for _, o := range s.Objects {
				m[o.Name] = true
			}
		}
	}
	var l diag.List
	for i := range p.Sets {
		s := &p.Sets[i]
		if s.Axes[NumericsAxis] != Fast {
			continue
		}
		twin, ok := names[place(s)]
		for _, o := range s.Objects {
			if o.NoTwin != "" || twin[o.Name] {
				continue
			}
			where := "the accuracy set for " + place(s) + " has no kernel of that name"
			if !ok {
				where = "there is no accuracy set for " + place(s)
			}
			l = append(l, diag.Message{
				Summary: fmt.Sprintf("set %s: %s has no accuracy twin", s.Path, o.Address),
				Detail:  where,
				Hint:    `every fast kernel needs one in the same release; a group that cannot have one says twin = "none" with a reason`,
			})
		}
	}
	return l
}
