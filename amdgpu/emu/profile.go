package emu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Line is an instruction with how often waves executed it.
type Line struct {
	Address uint64 // in the object
	Place   string // function and offset
	Text    string
	Class   Class
	Count   int64
}

// Profile lists the instructions of a launch of this program that ran, most
// often executed first, then by address.
func (p *Program) Profile(s *Stats) []Line {
	var out []Line
	if len(s.Executed) != len(p.code) {
		return nil // of another program, or of several
	}
	for i, n := range s.Executed {
		if in := &p.code[i]; n > 0 {
			out = append(out, Line{in.addr, p.place(in.addr), in.text, in.class, n})
		}
	}
	slices.SortStableFunc(out, func(a, b Line) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// Mnemonics sums a profile by mnemonic, most often executed first.
func (p *Program) Mnemonics(s *Stats) []Line {
	sums := map[string]*Line{}
	for _, l := range p.Profile(s) {
		name, _, _ := strings.Cut(l.Text, " ")
		if sums[name] == nil {
			sums[name] = &Line{Text: name, Class: l.Class}
		}
		sums[name].Count += l.Count
	}
	var out []Line
	for _, l := range sums {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
	})
	return out
}

func (l Line) String() string {
	if l.Place == "" {
		return fmt.Sprintf("%10d %s", l.Count, l.Text)
	}
	return fmt.Sprintf("%10d 0x%x (%s) %s", l.Count, l.Address, l.Place, l.Text)
}
