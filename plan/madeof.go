package plan

import (
	"fmt"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/engine"
	"kmx/toolchains"
)

// madeOf is the tag of what a record keeps of the origin of stored inputs. It
// is in no key: it explains why one of them is another now.
const madeOf = "made-of"

// originOf is what the input of an emission was made from.
func originOf(in made, tc *toolchains.Toolchain, program cache.Digest) []cache.Field {
	out := []cache.Field{
		{Tag: madeOf, Name: "module", Value: in.module.Module.FNV + " of " + in.module.File},
		{Tag: madeOf, Name: "recipe", Value: in.recipe},
	}
	if in.options != "" {
		out = append(out, cache.Field{Tag: madeOf, Name: "lowering", Value: in.options})
	}
	return append(out, cache.Field{Tag: madeOf, Name: "kmx", Value: program.String()})
}

// HelperEvidence is what is known of the action that makes a helper of a cell.
type HelperEvidence struct {
	Fields   []cache.Field // of the action as it would be run now
	Evidence Evidence
}

// emitters tells that another emitter makes the object, which is the cause of
// all else that differs in the command.
func (r *reasoner) emitters() bool {
	a, was := strings.CutPrefix(strings.Join(values(r.before["kind"]), " "), "emit-")
	b, is := strings.CutPrefix(strings.Join(values(r.now["kind"]), " "), "emit-")
	if !was || !is || a == b {
		return false
	}
	r.add(Cause{Kind: "emitter", Text: fmt.Sprintf("the emitter is %s, was %s", b, a), Before: a, After: b})
	return true
}

// stored tells why an input that steps of kmx have made is another one.
func (r *reasoner) stored(p pairing) {
	before, now := byName(r.before[madeOf]), byName(r.now[madeOf])
	told := false
	for _, part := range []struct{ name, kind, text string }{
		{"module", "module", "the library's module changed"},
		{"recipe", "recipe", "the recipe, or what it is told, changed"},
		{"lowering", "environment", "how it is lowered changed"},
	} {
		if before[part.name] != now[part.name] && before[part.name] != "" {
			r.add(Cause{Kind: part.kind, Text: part.text, Before: before[part.name], After: now[part.name]})
			told = true
		}
	}
	switch {
	case told:
	case before["kmx"] != now["kmx"]:
		r.add(Cause{Kind: "kmx", Text: "this version of kmx edits or lowers the code in another way", Before: p.before, After: p.after})
	default:
		r.add(Cause{Kind: "input", Text: "the edited code " + p.name + " changed", Before: p.before, After: p.after})
	}
}

// helper tells why a helper that is linked in is another one.
func (r *reasoner) helper(p pairing) {
	h, known := r.Helpers[p.name]
	key := byName(r.before[engine.NeedTag])[p.name]
	var before []cache.Field
	if known && key != "" && r.Record != nil {
		before, known = r.Record(key)
	}
	var causes []Cause
	if known && before != nil {
		causes = Reasons(before, h.Fields, h.Evidence)
	}
	if len(causes) == 0 {
		causes = []Cause{{Kind: "input", Text: "the helper " + p.name + " is to be made anew", Before: p.before, After: p.after}}
	}
	for _, c := range causes {
		if !slices.ContainsFunc(r.causes, func(have Cause) bool { return have.Text == c.Text }) {
			r.add(c)
		}
	}
}

// isStored tells whether an input was made by steps of kmx, isHelper whether by
// another action.
func (r *reasoner) isStored(name string) bool {
	return (strings.HasSuffix(name, ".ptx") || strings.HasSuffix(name, ".ll")) && (r.before[madeOf] != nil || r.now[madeOf] != nil)
}

func (r *reasoner) isHelper(name string) bool {
	needs := func(f cache.Field) bool { return f.Name == name }
	return slices.ContainsFunc(r.before[engine.NeedTag], needs) || slices.ContainsFunc(r.now[engine.NeedTag], needs)
}
