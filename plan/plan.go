package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/toolchains"
)

// Source is what a plan is made from besides the cells.
type Source struct {
	Root       string // the project's directory
	Memo       *cache.Memo
	Toolchains map[string]*toolchains.Toolchain // by name
	Past       func(address string) (cache.Past, bool)
	// Largest is the greatest peak of memory known of any cell of a family, in
	// bytes, 0 if of none; nil: nothing is known.
	Largest func(family string) int64
	Hidden  []string // paths of this machine that may stand in no object
	// Opened is told of every object that was read and found as declared, from
	// any goroutine; nil: nobody is.
	Opened func(address string, obj *codeobj.Object)
	// Code says that Opened wants the code as well; otherwise it is told of what
	// objects say about themselves.
	Code bool
}

// Plan is the graph that builds some cells.
type Plan struct {
	Cells []*matrix.Cell
	Graph *engine.Graph
	// Node is the graph index of each cell's object, parallel to Cells.
	Node []int
	// Files are the sources, Absent the places where one was looked for in
	// vain; slash paths relative to the root, sorted.
	Files, Absent []string

	tree *tree
}

// New plans cells. The list holds every problem of every cell; the plan is
// complete only if it has no errors.
func New(cells []*matrix.Cell, s Source) (*Plan, diag.List) {
	t := newTree(s.Root, s.Memo)
	p := &Plan{Graph: &engine.Graph{}, tree: t}
	byKey := map[cache.Digest]int{}
	look := newInspection(s.Root, t)
	g := guesses{past: s.Past, largest: s.Largest, family: map[string]int64{}}
	for _, c := range cells {
		if m, cannot := beyond(c); cannot {
			look.say(m)
			continue
		}
		for _, m := range outside(c) {
			look.say(m)
		}
		a := compileHIP(c, s.Toolchains[c.Toolchain], look.inputs(c))
		key := a.Key()
		n, shared := byKey[key]
		if !shared {
			n = len(p.Graph.Nodes)
			byKey[key] = n
			p.Graph.Nodes = append(p.Graph.Nodes, &engine.Node{Label: c.Address(), Action: a, Guess: g.of(c.Address(), c.Family)})
		}
		node := p.Graph.Nodes[n]
		node.Check = both(node.Check, check(c, s))
		p.Cells = append(p.Cells, c)
		p.Node = append(p.Node, n)
	}
	p.Files = slices.Sorted(maps.Keys(t.files))
	p.Absent = t.absent()
	return p, look.list
}

// Evidence is what the plan knows about the cell at index i, for Reasons.
func (p *Plan) Evidence(i int, o *Origins) Evidence {
	c := p.Cells[i]
	f := &Files{tree: p.tree, include: texts(c.Include)}
	for _, in := range p.Graph.Nodes[p.Node[i]].Action.Inputs {
		f.inputs = append(f.inputs, in.Path)
	}
	return Evidence{Origins: o, Command: Command(c), Env: c.Env, Files: f}
}

// beyond reports a cell that the language can declare and this version cannot
// build: those made from NVIDIA's PTX by a recipe, and those with helper
// bitcode linked in.
func beyond(c *matrix.Cell) (diag.Message, bool) {
	m := diag.Message{Severity: diag.Error, Where: c.Declared, Values: []diag.Value{{Name: "cell", Text: c.Address()}},
		Hint: "leave the family out with `when`, or its cells with `exclude`"}
	switch {
	case c.Recipe != "" && c.Source == "":
		m.Summary = fmt.Sprintf("recipe %q is declared, and this version of kmx builds no recipes", c.Recipe)
	case len(c.Bitcode) > 0:
		m.Summary = fmt.Sprintf("bitcode %q is declared, and this version of kmx links none", c.Bitcode[0].Name)
	default:
		return m, false
	}
	return m, true
}

type checkFunc = func(outputs map[string][]byte) error

// both holds an object against two declarations, the first of which may be
// nil: cells that share an action may promise different things about it.
func both(a, b checkFunc) checkFunc {
	if a == nil {
		return b
	}
	return func(outputs map[string][]byte) error { return errors.Join(a(outputs), b(outputs)) }
}

func texts(tokens []matrix.Token) []string {
	var s []string
	for _, t := range tokens {
		s = append(s, t.Text)
	}
	return s
}
