package plan

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"kmx/cache"
)

// Files knows what the inputs of an action name, and where each name is looked
// for.
type Files struct {
	tree    *tree
	include []string
	inputs  []string
	index   map[string][]naming // by place; made when first asked for
}

// A naming is a line of an input that makes the compiler look at a place.
type naming struct {
	file  string
	line  int
	probe bool // __has_include
}

func (n naming) String() string { return fmt.Sprintf("%s:%d", n.file, n.line) }

// naming lists the lines that look at a place, whether or not something is
// there.
func (f *Files) naming(place string) []naming {
	if f == nil {
		return nil
	}
	if f.index == nil {
		f.index = map[string][]naming{}
		for _, name := range f.inputs {
			for _, d := range f.tree.read(name).directives {
				dirs := f.include
				if d.Quoted {
					dirs = append([]string{path.Dir(name)}, dirs...)
				}
				for _, dir := range dirs {
					p := path.Join(dir, d.Name)
					f.index[p] = append(f.index[p], naming{name, d.Line, d.Probe})
				}
			}
		}
	}
	return f.index[place]
}

func (f *Files) exists(name string) bool { return f != nil && f.tree.exists(name) }

// inputs compares what the compiler may read. A file that is new or gone is a
// consequence where a file that changed names it, or an option that changed
// leads to it; it is a cause where an unchanged line means another file now.
func (r *reasoner) inputs() {
	sources := values(r.now["arg"])
	whatIs := func(name string) string {
		switch {
		case slices.Contains(sources, name):
			return "source"
		case slices.Contains([]string{".h", ".hpp", ".hh", ".hxx", ".inc", ".inl", ".ipp", ".cuh", ".hip"}, path.Ext(name)):
			return "header"
		}
		return "input"
	}
	changedAt := map[string]int{} // cause by file
	var came, gone []string
	var recounted []pairing
	for _, p := range pair(r.before["input"], r.now["input"]) {
		switch {
		case r.isStored(p.name) && p.was && p.is:
			r.stored(p)
		case r.isHelper(p.name) && p.was && p.is:
			r.helper(p)
		case !p.was:
			came = append(came, p.name)
		case !p.is:
			gone = append(gone, p.name)
		case r.recounted(p):
			recounted = append(recounted, p)
		default:
			changedAt[p.name] = len(r.causes)
			r.add(Cause{Kind: whatIs(p.name), Text: whatIs(p.name) + " " + p.name + " changed", Before: p.before, After: p.after})
		}
	}
	inputs := &inputStory{r: r, changed: changedAt, was: byName(r.before["input"]), whatIs: whatIs}
	inputs.tell(came, gone)
	if len(recounted) > 0 {
		r.rule(recounted[0])
	}
}

// recounted says whether an input has the same bytes as before, and only the
// rule is another by which its digest is taken.
func (r *reasoner) recounted(p pairing) bool {
	bytesOf := func(fields map[string][]cache.Field, rule, value string) string {
		if rule == byBytes {
			return value
		}
		return byName(fields["bytes"])[p.name]
	}
	was, is := ruleIn(p.before), ruleIn(p.after)
	before, after := bytesOf(r.before, was, p.before), bytesOf(r.now, is, p.after)
	return was != is && before == after && before != ""
}

// ruleIn is the rule in the value of an input.
func ruleIn(value string) string {
	return value[:max(0, strings.LastIndexByte(value, ' '))]
}

// rule tells that sources count in another way, which follows from whatever
// else is different: flags, or a source that uses __LINE__ now.
func (r *reasoner) rule(p pairing) {
	text := "its sources count by their " + cmp.Or(ruleIn(p.after), "bytes") + " now"
	switch rule := ruleIn(p.after); {
	case len(r.causes) == 0:
		r.add(Cause{Kind: "action", Text: text, Before: p.before, After: p.after})
	case rule == byBytes:
		at := max(0, slices.IndexFunc(r.causes, func(c Cause) bool { return c.Kind == "source" || c.Kind == "header" }))
		r.causes[at].Follows = append(r.causes[at].Follows, text+", comments too")
	}
}

func byName(fields []cache.Field) map[string]string {
	m := map[string]string{}
	for _, f := range fields {
		m[f.Name] = f.Value
	}
	return m
}

// inputStory tells files that are new or gone.
type inputStory struct {
	r       *reasoner
	changed map[string]int // cause by changed file
	was     map[string]string
	whatIs  func(name string) string
}

func (s *inputStory) tell(came, gone []string) {
	var loose []string // consequences of something that is found later
	if s.r.reread > 0 {
		for _, name := range came {
			s.follow(s.r.reread-1, "new input "+name)
		}
		for _, name := range gone {
			s.follow(s.r.reread-1, "no longer read: "+name)
		}
		return
	}
	for _, name := range came {
		same, by := s.namedBy(name)
		switch {
		case same != nil:
			loser := s.loser(name, gone)
			gone = slices.DeleteFunc(gone, func(g string) bool { return g == loser })
			s.r.add(s.appeared(name, loser, *same))
		case by != nil:
			s.follow(s.changed[by.file], fmt.Sprintf("new input %s (%s)", name, by))
		default:
			loose = append(loose, name)
		}
	}
	for _, name := range gone {
		same, by := s.namedBy(name)
		switch {
		case same != nil:
			s.r.add(Cause{Kind: s.whatIs(name), Text: fmt.Sprintf("%s %s is gone (%s names it)", s.whatIs(name), name, same), Before: s.was[name]})
		case by != nil:
			s.follow(s.changed[by.file], "no longer read: "+name)
		case len(s.r.causes) > 0:
			s.follow(s.first(), "no longer read: "+name)
		default:
			s.r.add(Cause{Kind: s.whatIs(name), Text: s.whatIs(name) + " " + name + " is gone", Before: s.was[name]})
		}
	}
	for _, name := range loose {
		if len(s.r.causes) > 0 {
			s.follow(s.first(), "new input "+name)
			continue
		}
		s.r.add(Cause{Kind: s.whatIs(name), Text: "new input " + name, After: "added"})
	}
}

func (s *inputStory) follow(cause int, text string) {
	s.r.causes[cause].Follows = append(s.r.causes[cause].Follows, text)
}

// first is the cause that what cannot be told otherwise is put under: the
// first one about files, if there is one.
func (s *inputStory) first() int {
	for i, c := range s.r.causes {
		if c.Kind == "source" || c.Kind == "header" || c.Kind == "input" {
			return i
		}
	}
	return 0
}

// namedBy gives a line that looks at a place: one of a file that is as it was,
// else one of a file that has changed.
func (s *inputStory) namedBy(place string) (same, changed *naming) {
	for _, n := range s.r.Files.naming(place) {
		if _, is := s.changed[n.file]; is {
			if changed == nil {
				changed = &n
			}
		} else if _, was := s.was[n.file]; was && same == nil {
			same = &n
		}
	}
	return same, changed
}

// loser is the file among gone that some line that is as it was would have
// meant, had name not come.
func (s *inputStory) loser(name string, gone []string) string {
	lines := s.r.Files.naming(name)
	for _, g := range gone {
		for _, n := range s.r.Files.naming(g) {
			if slices.Contains(lines, n) {
				return g
			}
		}
	}
	return ""
}

// appeared is the cause of a file that an old line means now.
func (s *inputStory) appeared(name, loser string, by naming) Cause {
	c := Cause{Kind: s.whatIs(name), After: name, Before: loser}
	switch {
	case loser != "" && s.r.Files.exists(loser):
		c.Text = fmt.Sprintf("new input %s (shadows %s)", name, loser)
	case loser != "":
		c.Text = fmt.Sprintf("%s %s is gone (%s is read instead)", s.whatIs(loser), loser, name)
	case by.probe:
		c.Text = fmt.Sprintf("new input %s (%s looks for it)", name, by)
	default:
		c.Text = fmt.Sprintf("new input %s (shadows the toolchain's)", name)
	}
	return c
}
