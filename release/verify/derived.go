package verify

import (
	"bytes"
	"path"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/internal/durable"
	"kmx/release"
	"kmx/release/pack"
)

// held is an object with its set.
type held struct {
	at    string // of the set
	entry release.Entry
}

// derived holds every object that its manifest calls derived against what is
// derived from the object named there, byte for byte.
func (p *prover) derived() error {
	by := map[string]held{}
	for _, s := range p.Sets {
		for _, e := range s.Objects {
			by[e.Address] = held{s.At, e} // one cell may be in several sets
		}
	}
	total, apart := 0, 0
	for _, s := range p.Sets {
		for _, e := range s.Objects {
			if e.DerivedFrom == nil {
				continue
			}
			total++
			leader, ok := by[e.DerivedFrom.Address]
			if !ok && p.part() {
				apart++
				continue
			}
			if p.known[path.Join(s.At, e.File.Name)] || ok && p.known[path.Join(leader.at, leader.entry.File.Name)] {
				continue // told already
			}
			what, err := p.derivation(held{s.At, e}, leader, ok)
			if err != nil {
				return err
			}
			if what != "" {
				p.say(s.At, e.File.Name, "derived from %s: %s", e.DerivedFrom.Address, what)
			}
		}
	}
	if total > apart {
		p.note("%s derived from equal ones, as the manifests say", count(total-apart, "object"))
	}
	if apart > 0 {
		p.note("%s derived from objects that are not in it", count(apart, "object"))
	}
	return nil
}

// part says whether sets of the release are left out here.
func (p *prover) part() bool {
	if p.Release == nil {
		return true
	}
	for _, l := range p.Release.LeftOut {
		if strings.HasPrefix(l.Rule, "set ") {
			return true
		}
	}
	return false
}

// derivation says what is wrong with one object that is called derived, "" if
// nothing is.
func (p *prover) derivation(h, leader held, there bool) (string, error) {
	from := h.entry.DerivedFrom
	switch {
	case !there:
		return "no set has that object", nil
	case leader.entry.DerivedFrom != nil:
		return "that one is derived itself", nil
	case leader.entry.Family != h.entry.Family || leader.entry.Name != h.entry.Name:
		return "that is another kernel", nil
	case leader.entry.BLAKE3 != from.BLAKE3:
		return "that one has BLAKE3 " + leader.entry.BLAKE3.String() + ", the manifest says " + from.BLAKE3.String(), nil
	}
	data, err := durable.ReadFile(p.path(path.Join(leader.at, leader.entry.File.Name)), pack.MaxText)
	if err != nil {
		return "", err
	}
	got, err := durable.ReadFile(p.path(path.Join(h.at, h.entry.File.Name)), pack.MaxText)
	if err != nil {
		return "", err
	}
	want, err := codeobj.Retarget(data, h.entry.Target)
	if err != nil {
		return err.Error(), nil
	}
	if bytes.Equal(got, want) {
		return "", nil
	}
	was, err := codeobj.Read(want)
	if err != nil {
		return err.Error(), nil
	}
	is, err := codeobj.Read(got)
	if err != nil {
		return err.Error(), nil
	}
	d := codeobj.Compare(was, is)
	place := d.Symbol
	if place == "" {
		place = d.Section
	}
	if place == "" {
		return "the bytes are not what is derived from it: " + d.Likeness.String(), nil
	}
	return "the bytes are not what is derived from it: " + d.Likeness.String() + ", first in " + place, nil
}
