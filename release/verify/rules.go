package verify

import (
	"fmt"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"kmx/release"
)

// AccuracyMarker is the file that makes the bridge take a folder for an accuracy
// set, and what stands in it.
const (
	AccuracyMarker  = "d4r-accuracy.txt"
	accuracyContent = "1\n"
)

// markers: an accuracy set without its marker is never served, and a fast set
// with it would be served in place of one.
func (p *prover) markers(s Set) {
	listed := slices.ContainsFunc(s.Files, func(f release.File) bool { return f.Name == AccuracyMarker })
	switch {
	case s.Numerics == release.Accuracy && !listed:
		p.say(s.At, AccuracyMarker, "missing: an accuracy set without it is never served")
	case s.Numerics != release.Accuracy && listed:
		p.say(s.At, AccuracyMarker, "this is no accuracy set, and would be served as one")
	case listed && !p.known[path.Join(s.At, AccuracyMarker)]:
		data, err := os.ReadFile(p.path(path.Join(s.At, AccuracyMarker)))
		if err == nil && string(data) != accuracyContent {
			p.say(s.At, AccuracyMarker, "holds %.20q instead of %q", data, accuracyContent)
		}
	}
}

// twins: every fast kernel has an accuracy kernel of its name for the same GPU
// and axes, unless the manifests say why not.
func (p *prover) twins() {
	place := func(s Set) string {
		axes := maps.Clone(s.Axes)
		delete(axes, release.NumericsAxis)
		return fmt.Sprint(s.Target, axes)
	}
	names := map[string]map[string]bool{}
	for _, s := range p.Sets {
		if s.Numerics != release.Accuracy {
			continue
		}
		has := map[string]bool{}
		for _, e := range s.Objects {
			has[e.Name] = true
		}
		for _, m := range s.LeftOut {
			has[kernelOf(m.Address)] = true
		}
		names[place(s)] = has
	}
	if len(names) == 0 && slices.ContainsFunc(p.Release.LeftOut, func(l release.LeftOut) bool { return strings.HasPrefix(l.Rule, "set ") }) {
		return // an archive of one fast set
	}
	for _, s := range p.Sets {
		if s.Numerics != release.Fast {
			continue
		}
		for _, e := range s.Objects {
			if e.NoTwin == "" && !names[place(s)][e.Name] {
				p.say(s.At, e.File.Name, "has no accuracy twin in the release, and nothing says why")
			}
		}
	}
}

// kernelOf is the kernel of an address FAMILY/KERNEL@TARGET+VALUE.
func kernelOf(address string) string {
	_, rest, _ := strings.Cut(address, "/")
	kernel, _, _ := strings.Cut(rest, "@")
	return kernel
}

// leftOut holds the rules that leave cells out against what the sets say, and
// against the calendar.
func (p *prover) leftOut() {
	today, by := p.o.Today, "as asked"
	if today == "" {
		today, by = p.Release.Date, "by the date of the release"
		if today != "" && !isDay(today) {
			p.say("", release.ManifestFile, "its date is %.40q, no day YYYY-MM-DD", today)
			today = ""
		}
	}
	rules := map[string]*release.LeftOut{}
	for i := range p.Release.LeftOut {
		l := &p.Release.LeftOut[i]
		rules[l.Rule] = l
		switch {
		case l.Until == "":
		case !isDay(l.Until):
			p.say("", release.ManifestFile, "%s holds until %.40q, no day YYYY-MM-DD", l.Rule, l.Until)
		case today == "":
			p.say("", release.ManifestFile, "%s holds until %s, and nothing says what day it is", l.Rule, l.Until)
		case l.Until < today:
			p.say("", release.ManifestFile, "expired: %s (%s) held until %s, and it is %s %s", l.Rule, l.Reason, l.Until, today, by)
		}
	}
	cells := map[string]map[string]bool{}
	for _, s := range p.Sets {
		has := map[string]bool{}
		for _, e := range s.Objects {
			has[e.Address] = true
		}
		for _, m := range s.LeftOut {
			l := rules[m.Rule]
			switch {
			case has[m.Address]:
				p.say(s.At, release.ManifestFile, "%s is left out by %s and there all the same", m.Address, m.Rule)
			case l == nil:
				p.say(s.At, release.ManifestFile, "%s is left out by %s, which the release does not know", m.Address, m.Rule)
			case l.Reason != m.Reason:
				p.say(s.At, release.ManifestFile, "%s is left out by %s because %q, the release says %q", m.Address, m.Rule, m.Reason, l.Reason)
			default:
				if cells[m.Rule] == nil {
					cells[m.Rule] = map[string]bool{}
				}
				cells[m.Rule][m.Address] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cells)) {
		if n := len(cells[name]); n > rules[name].Cells {
			p.say("", release.ManifestFile, "%s leaves out %s, the sets name %d", name, count(rules[name].Cells, "cell"), n)
		}
	}
}

// isDay says whether a text is a day as manifests have it, so that days compare as
// texts do.
func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// shown is a value of a manifest for people.
func shown(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "none"
		}
		v = v.Elem()
	}
	return fmt.Sprint(v.Interface())
}
