package ptx

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"kmx/internal/diag"
)

// Renaming says what the names of one piece of code are called in another:
// registers, labels, parameters and variables. Special registers and what has
// the same name for everybody, such as a function that is called, are not in
// it. No two names stand for one.
type Renaming map[string]string

// Align compares two rows of statements, as of modules a and b, that should
// differ in nothing but names, and gives the renaming from a to b. Blocks are
// opened up; .loc and .file are passed over.
//
// Registers and labels may have any names. A parameter stands for the
// parameter of the same place, a variable for one that is declared alike, any
// other symbol for itself, apart from the name of the function within it.
// Names declared in a block within the rows are forgotten at its end.
//
// The error is a diag.List whose message shows the first two statements that
// differ, with file and line of both, and why they do.
func Align(a, b *Module, as, bs []Item) (Renaming, error) {
	al := &aligner{to: Renaming{}, from: Renaming{}, bound: map[string][2]Item{}}
	al.match = &matcher{a: sideOf(a, as), b: sideOf(b, bs), names: al.name}
	x, y := flatten(nil, as), flatten(nil, bs)
	for i := range min(len(x), len(y)) {
		if why := al.step(x[i], y[i]); why != "" {
			return nil, al.problem(x[i], y[i], why)
		}
	}
	switch {
	case len(x) > len(y):
		return nil, al.excess(al.match.a, al.match.b, x[len(y)], len(x)-len(y))
	case len(y) > len(x):
		return nil, al.excess(al.match.b, al.match.a, y[len(x)], len(y)-len(x))
	}
	maps.DeleteFunc(al.to, func(key, _ string) bool { return plain(key) != key })
	return al.to, nil
}

// flat is a statement, or the beginning or end of a block.
type flat struct {
	item        Item
	open, close bool
}

func flatten(to []flat, items []Item) []flat {
	for _, it := range items {
		switch it := it.(type) {
		case *Block:
			to = append(to, flat{it, true, false})
			to = flatten(to, it.Items)
			to = append(to, flat{it, false, true})
		case *Directive:
			if it.Name != ".loc" && it.Name != ".file" {
				to = append(to, flat{item: it})
			}
		default:
			to = append(to, flat{item: it})
		}
	}
	return to
}

type aligner struct {
	match    *matcher
	to, from Renaming           // by keys of naming
	bound    map[string][2]Item // where a name of a was given its name of b
	now      [2]Item
	a, b     naming
}

func (al *aligner) step(a, b flat) string {
	al.now = [2]Item{a.item, b.item}
	switch {
	case a.open != b.open || a.close != b.close:
		return "one is the brace of a block, the other is not"
	case a.open:
		al.a.enter()
		al.b.enter()
		return ""
	case a.close:
		al.a.leave()
		al.b.leave()
		return ""
	}
	if v, ok := a.item.(*Variable); ok && !v.Ranged {
		if w, ok := b.item.(*Variable); ok {
			al.a.declare(v.Name)
			al.b.declare(w.Name)
		}
	}
	return al.match.items(a.item, b.item)
}

// name notes that a stands for b and says what contradicts it.
func (al *aligner) name(a, b string) string {
	x, y := al.a.key(a), al.b.key(b)
	if known, ok := al.to[x]; ok {
		if known == y {
			return ""
		}
		return fmt.Sprintf("%s is %s here and was %s in %s", a, b, plain(known), al.where(x))
	}
	if known, ok := al.from[y]; ok {
		return fmt.Sprintf("%s is %s here and was %s in %s", b, a, plain(known), al.where(known))
	}
	al.to[x], al.from[y] = y, x
	al.bound[x] = al.now
	return ""
}

// naming gives every declaration within a block a key of its own.
type naming struct {
	current map[string]string // keys of the names in force, where not the name itself
	log     [][2]string       // names declared in open blocks, what they were before
	marks   []int             // lengths of log where the open blocks begin
	n       int
}

func (n *naming) enter() { n.marks = append(n.marks, len(n.log)) }

func (n *naming) leave() {
	mark := n.marks[len(n.marks)-1]
	n.marks = n.marks[:len(n.marks)-1]
	for i := len(n.log) - 1; i >= mark; i-- {
		n.current[n.log[i][0]] = n.log[i][1]
	}
	n.log = n.log[:mark]
}

func (n *naming) declare(name string) {
	if len(n.marks) == 0 {
		return
	}
	if n.current == nil {
		n.current = map[string]string{}
	}
	n.n++
	n.log = append(n.log, [2]string{name, n.current[name]})
	n.current[name] = name + "#" + strconv.Itoa(n.n)
}

func (n *naming) key(name string) string {
	if k := n.current[name]; k != "" {
		return k
	}
	return name
}

// plain is the name that a key was made of.
func plain(key string) string {
	name, _, _ := strings.Cut(key, "#")
	return name
}

func (al *aligner) where(a string) string {
	it := al.bound[a]
	return al.match.a.at(it[0]) + " and " + al.match.b.at(it[1])
}

func (al *aligner) problem(a, b flat, why string) error {
	return diag.List{{
		Summary: fmt.Sprintf("two statements differ: %s | %s: %s", shorten(al.match.a.flat(a)), al.match.b.at(b.item), shorten(al.match.b.flat(b))),
		Detail:  why,
		Where:   al.match.a.m.Where(a.item.Range()),
		Notes:   []diag.Note{{Where: al.match.b.m.Where(b.item.Range()), Text: "it is compared with " + shorten(al.match.b.flat(b))}},
	}}
}

func (al *aligner) excess(has, lacks *side, first flat, n int) error {
	statements := "statements"
	if n == 1 {
		statements = "statement"
	}
	return diag.List{{
		Summary: fmt.Sprintf("%s has %d %s more than %s: %s", has.m.Name, n, statements, lacks.m.Name, shorten(has.flat(first))),
		Where:   has.m.Where(first.item.Range()),
	}}
}

// flat is the text of a statement or brace on one line.
func (s *side) flat(f flat) string {
	switch {
	case f.open:
		return "{"
	case f.close:
		return "}"
	}
	return s.text(f.item)
}
