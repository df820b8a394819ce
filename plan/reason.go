package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/engine"
	"kmx/matrix"
)

// A Cause is one reason why an action is not what it was. Consequences are
// told under it and are no causes of their own.
type Cause struct {
	// Kind is a word for programs: toolchain, source, header, input, flag,
	// define, include, variable, environment, action, module, recipe, emitter,
	// kmx, fold; and of a cell whose action is the same: first, lost, damaged, none; and
	// of one that cannot be built: broken.
	Kind string `json:"kind"`
	// Text is one line; it is the same for all cells that the cause concerns.
	Text    string   `json:"text"`
	Before  string   `json:"before,omitempty"`
	After   string   `json:"after,omitempty"`
	Follows []string `json:"follows,omitempty"` // what changed because of it, or the parts that did
}

// Evidence is what is known besides the two actions. Everything in it may be
// missing; then less is said.
type Evidence struct {
	Origins *Origins
	Command []matrix.Token  // of the later action, the tool first
	Env     []matrix.Define // of the later action
	Files   *Files          // what its inputs name
	Closure func(digest string) (Closure, bool)
	// Variables are those with another value than when the earlier action was
	// made, nil if that is not known.
	Variables *VariableChanges
	// Helpers are the actions that make inputs of this one, by input; Record
	// gives what the record of a key shows.
	Helpers map[string]HelperEvidence
	Record  func(key string) ([]cache.Field, bool)
	Derived string // how it is made now, where it is derived from another object
}

// VariableChanges is how the outside values of the matrix differ from those of
// an earlier build.
type VariableChanges struct {
	Changed    []VariableChange
	SameMatrix bool // the matrix itself is byte for byte the same
}

// VariableChange is a variable with another value than before.
type VariableChange struct {
	Name, Before, After string // values as the matrix would write them
	Given               string // where the present value comes from: "env NAME", "-vars", "default"
}

// Reasons compares two actions, each as the visitor showed it, and lists the
// causes of the difference, the most telling first. The list is empty only if
// both are the same action.
func Reasons(before, now []cache.Field, e Evidence) []Cause {
	r := &reasoner{Evidence: e, before: sorted(before), now: sorted(now)}
	if r.emitters() || r.folded() {
		return r.causes
	}
	r.plain("kind", "the kind of action")
	r.plain("tool", "the tool")
	r.toolchain()
	r.arguments()
	r.environment()
	r.inputs()
	r.listed("output", "output")
	r.plain("depfile", "the depfile")
	r.others()
	return r.causes
}

// folded compares an object that is derived with one that is compiled, or with
// one that was derived in another way.
func (r *reasoner) folded() bool {
	was, is := slices.Contains(values(r.before["kind"]), DeriveKind), slices.Contains(values(r.now["kind"]), DeriveKind)
	switch {
	case is && !was:
		r.add(Cause{Kind: "fold", Text: cmp.Or(r.Derived, "derived from an equal object") + "; it was compiled"})
	case was && !is:
		r.add(Cause{Kind: "fold", Text: "compiled; it was derived from an equal object"})
	case was && is:
		r.add(Cause{Kind: "fold", Text: cmp.Or(r.Derived, "derived from an equal object") + "; that object has changed"})
	}
	return was || is
}

type reasoner struct {
	Evidence
	before, now map[string][]cache.Field // by tag
	causes      []Cause
	reread      int // index + 1 of the first cause that makes the compiler look elsewhere for files
}

func sorted(fields []cache.Field) map[string][]cache.Field {
	byTag := map[string][]cache.Field{}
	for _, f := range fields {
		byTag[f.Tag] = append(byTag[f.Tag], f)
	}
	return byTag
}

func (r *reasoner) add(c Cause) { r.causes = append(r.causes, c) }

func values(fields []cache.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Value)
	}
	return out
}

// plain compares a part of which there is one.
func (r *reasoner) plain(tag, what string) {
	a, b := strings.Join(values(r.before[tag]), " "), strings.Join(values(r.now[tag]), " ")
	if a != b || len(r.before[tag]) != len(r.now[tag]) {
		r.add(Cause{Kind: "action", Text: fmt.Sprintf("%s is %s, was %s", what, cmp.Or(b, "none"), cmp.Or(a, "none")), Before: a, After: b})
	}
}

func (r *reasoner) toolchain() {
	a, b := strings.Join(values(r.before["toolchain"]), " "), strings.Join(values(r.now["toolchain"]), " ")
	if a == b && len(r.before["toolchain"]) == len(r.now["toolchain"]) {
		return
	}
	name, _, _ := strings.Cut(strings.Join(values(r.now["tool"]), " "), ":")
	r.add(toolchainCause(name, a, b, r.Closure))
}

// arguments compares the commands word by word.
func (r *reasoner) arguments() {
	isFile := func(text string) bool {
		named := func(f cache.Field) bool { return f.Name == text }
		return slices.ContainsFunc(r.before["input"], named) || slices.ContainsFunc(r.now["input"], named)
	}
	story := &variableStory{r: r, at: map[string]int{}}
	for _, e := range edits(words(values(r.before["arg"]), isFile), words(values(r.now["arg"]), isFile)) {
		c := Cause{Kind: map[wordSort]string{flagWord: "flag", defineWord: "define", includeWord: "include", fileWord: "source"}[e.some().sort],
			Before: e.before.text, After: e.after.text}
		// The command's first word is the tool, which is no argument.
		var from matrix.Origin
		if i := e.after.at + e.after.size; e.how != removed && i < len(r.Command) {
			from = r.Command[i].From
		}
		told := story.tell(c, e, from)
		if s := e.some(); r.reread == 0 && (s.sort == includeWord || s.sort == fileWord || s.readsFiles()) {
			r.reread = told + 1
		}
	}
}

// some is the word that the edit is about.
func (e edit) some() word {
	if e.how == removed {
		return e.before
	}
	return e.after
}

func (w word) readsFiles() bool {
	for _, option := range []string{"-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-U"} {
		if strings.HasPrefix(w.text, option) {
			return true
		}
	}
	return false
}

// text is the edit in words, without where it comes from.
func (e edit) text() string {
	switch e.how {
	case added:
		return e.after.say() + " added"
	case removed:
		return e.before.say() + " removed"
	case moved:
		return e.after.say() + " moved"
	}
	return e.after.say() + " changed from " + e.before.value()
}

// environment compares the variables that the process sees.
func (r *reasoner) environment() {
	for _, p := range pair(r.before["env"], r.now["env"]) {
		c := Cause{Kind: "environment", Before: p.before, After: p.after}
		switch {
		case !p.was:
			c.Text = fmt.Sprintf("environment %s = %s added", p.name, p.after)
		case !p.is:
			c.Text = fmt.Sprintf("environment %s removed", p.name)
		default:
			c.Text = fmt.Sprintf("environment %s = %s changed from %s", p.name, p.after, cmp.Or(p.before, "nothing"))
		}
		for _, e := range r.Env {
			if p.is && e.Name == p.name {
				c.Text += place(r.Origins.Say(e.From))
			}
		}
		r.add(c)
	}
}

// place puts where something comes from behind a sentence.
func place(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// listed compares a set of names.
func (r *reasoner) listed(tag, what string) {
	for _, p := range pair(r.before[tag], r.now[tag]) {
		switch {
		case !p.was:
			r.add(Cause{Kind: "action", Text: fmt.Sprintf("%s %s added", what, p.name), After: p.after})
		case !p.is:
			r.add(Cause{Kind: "action", Text: fmt.Sprintf("%s %s removed", what, p.name), Before: p.before})
		default:
			r.add(Cause{Kind: "action", Text: fmt.Sprintf("%s %s changed", what, p.name), Before: p.before, After: p.after})
		}
	}
}

// others compares what this program does not know the meaning of, such as
// fields in the record of a later version.
func (r *reasoner) others() {
	known := []string{"kind", "tool", "toolchain", "arg", "env", "input", "output", "depfile", "bytes", madeOf, engine.NeedTag}
	var tags []string
	for _, fields := range []map[string][]cache.Field{r.before, r.now} {
		for tag := range fields {
			if !slices.Contains(known, tag) && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	slices.Sort(tags)
	for _, tag := range tags {
		r.listed(tag, tag)
	}
}

// A pairing is what two lists of fields say of one name.
type pairing struct {
	name, before, after string
	was, is             bool
}

// pair lists the names of which two lists of fields differ, sorted.
func pair(before, now []cache.Field) []pairing {
	at := map[string]*pairing{}
	var all []*pairing
	get := func(name string) *pairing {
		p := at[name]
		if p == nil {
			p = &pairing{name: name}
			at[name] = p
			all = append(all, p)
		}
		return p
	}
	join := func(have bool, a, b string) string {
		if have {
			return a + " " + b
		}
		return b
	}
	for _, f := range before {
		p := get(f.Name)
		p.before, p.was = join(p.was, p.before, f.Value), true
	}
	for _, f := range now {
		p := get(f.Name)
		p.after, p.is = join(p.is, p.after, f.Value), true
	}
	var out []pairing
	for _, p := range all {
		if p.was != p.is || p.before != p.after {
			out = append(out, *p)
		}
	}
	slices.SortFunc(out, func(a, b pairing) int { return strings.Compare(a.name, b.name) })
	return out
}
