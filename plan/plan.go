package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/tex"
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

	// Store keeps what is made of libraries, which Libraries finds by their names
	// in the matrix. Program is the digest of this program, whose steps are kept
	// under it; zero: nothing is kept of them. Only cells with a recipe ask for
	// these.
	Store     *cache.Cache
	Libraries map[string]LibrarySource
	Program   cache.Digest
	// Edit and Lower are the steps; nil: those of tex and emit.
	Edit  func(tex.Request) (*tex.Result, error)
	Lower func(m *ptx.Module, kernel string, o emit.Options) ([]byte, error)
	// Opened is told of every object that was read and found as declared, from
	// any goroutine; nil: nobody is.
	Opened func(address string, obj *codeobj.Object)
	// Code says that Opened wants the code as well; otherwise it is told of what
	// objects say about themselves.
	Code bool
	Fold *Fold // nil: every object is compiled
}

// Plan is the graph that builds some cells.
type Plan struct {
	Cells []*matrix.Cell
	Graph *engine.Graph
	// Node is the graph index of each cell's object, parallel to Cells. Nodes
	// that stand for no cell are helpers, or what a cell cannot be built for.
	Node []int
	// Helper tells of nodes that make helpers, by label, for which cell they were
	// planned first and where the matrix declares them.
	Helper map[string]Helper
	// Module is the code that each cell's object is made of, parallel to Cells;
	// nil for those with a source of their own.
	Module []*ModuleUse
	// Files are the sources, Absent the places where one was looked for in
	// vain; slash paths relative to the root, sorted.
	Files, Absent []string
	// Derived are the objects that are not compiled, by node; Unproven the nodes
	// that are compiled for want of a proof that could be had. Nil without a Fold.
	Derived  map[int]*Derived
	Unproven []int

	tree  *tree
	s     Source
	byKey map[cache.Digest]int
	fault map[string]int // node by what it says
	look  *inspection
	guess guesses
}

// Helper is a node that stands for no cell.
type Helper struct {
	Address  string // of the first cell that needs it
	Declared diag.Range
}

// New plans cells. The list holds every problem of every cell; the plan is
// complete only if it has no errors.
func New(cells []*matrix.Cell, s Source) (*Plan, diag.List) {
	t := newTree(s.Root, s.Memo)
	p := &Plan{
		Graph: &engine.Graph{}, tree: t, s: s, byKey: map[cache.Digest]int{}, fault: map[string]int{}, Helper: map[string]Helper{}, look: newInspection(s.Root, t),
		guess: guesses{past: s.Past, largest: s.Largest, family: map[string]int64{}},
	}
	w := newWorkshop(s)
	w.prepare(slices.DeleteFunc(slices.Clone(cells), func(c *matrix.Cell) bool { _, cannot := beyond(c, s.Toolchains); return cannot }))
	for _, c := range cells {
		if m, cannot := beyond(c, s.Toolchains); cannot {
			p.look.say(m)
			continue
		}
		for _, m := range outside(c) {
			p.look.say(m)
		}
		n, use := p.node(c, w)
		p.Cells = append(p.Cells, c)
		p.Node = append(p.Node, n)
		p.Module = append(p.Module, use)
	}
	p.fold()
	p.Files = slices.Sorted(maps.Keys(t.files))
	p.Absent = t.absent()
	return p, p.look.list
}

// node is the node of a cell's object.
func (p *Plan) node(c *matrix.Cell, w *workshop) (int, *ModuleUse) {
	tc := p.s.Toolchains[c.Toolchain]
	if !isRecipe(c) {
		n := p.share(&engine.Node{Label: c.Address(), Action: compileHIP(c, tc, p.look.inputs(c))}, c)
		node := p.Graph.Nodes[n]
		node.Check = both(node.Check, check(c, p.s, ""))
		return n, nil
	}
	var needs []engine.Need
	for _, b := range c.Bitcode {
		h := bitcodeCell(c, b)
		helper := &engine.Node{Label: bitcodeLabel(c, b), Action: compileBitcode(c, b, p.s.Toolchains[b.Toolchain], p.look.inputs(h))}
		at := p.share(helper, c)
		if label := p.Graph.Nodes[at].Label; p.Helper[label].Address == "" {
			p.Helper[label] = Helper{c.Address(), b.Declared}
		}
		needs = append(needs, engine.Need{Node: at, Output: bitcodeName(b), Path: bitcodeName(b)})
	}
	in, err := w.made(c)
	if err != nil {
		return p.broken(c, err), w.use(c)
	}
	n := p.share(&engine.Node{
		Label: c.Address(), Action: emission(c, tc, in), Needs: needs,
		Stored: map[string]bool{in.name: true}, Origin: originOf(in, tc, p.s.Program),
	}, c)
	node := p.Graph.Nodes[n]
	node.Check = both(node.Check, check(c, p.s, tc.Emitter))
	use := *in.module
	use.Edits = in.edits
	return n, &use
}

// share adds a node unless there is one with the same action and needs.
func (p *Plan) share(n *engine.Node, c *matrix.Cell) int {
	key := n.Action.Key()
	if len(n.Needs) > 0 {
		key = cache.Sum(fmt.Appendf(nil, "%s %v", key, n.Needs))
	}
	at, shared := p.byKey[key]
	if !shared {
		at = len(p.Graph.Nodes)
		p.byKey[key] = at
		n.Guess = p.guess.of(n.Label, c.Family)
		p.Graph.Nodes = append(p.Graph.Nodes, n)
	}
	return at
}

// broken adds the node of a cell for which a step failed. The first one has the
// error, others that failed for the same reason wait for it in vain: it is told
// once.
func (p *Plan) broken(c *matrix.Cell, err error) int {
	n := len(p.Graph.Nodes)
	node := &engine.Node{Label: c.Address()}
	id := err.Error()
	if at, told := p.fault[id]; told {
		node.Needs = []engine.Need{{Node: at, Path: "x"}}
	} else {
		node.Err = err
		p.fault[id] = n
	}
	p.Graph.Nodes = append(p.Graph.Nodes, node)
	return n
}

// Helpers are the nodes that stand for no cell.
func (p *Plan) Helpers() map[*engine.Node]bool {
	helpers := map[*engine.Node]bool{}
	for _, n := range p.Graph.Nodes {
		helpers[n] = true
	}
	for _, n := range p.Node {
		delete(helpers, p.Graph.Nodes[n])
	}
	return helpers
}

// Evidence is what the plan knows about the cell at index i, for Reasons.
func (p *Plan) Evidence(i int, o *Origins) Evidence {
	c := p.Cells[i]
	if d, leader := p.DerivedFrom(i); d != nil {
		return Evidence{Origins: o, Derived: DerivedText(leader, d.Proven)}
	}
	f := &Files{tree: p.tree, include: texts(c.Include)}
	for _, in := range p.Graph.Nodes[p.Node[i]].Action.Inputs {
		f.inputs = append(f.inputs, in.Path)
	}
	e := Evidence{Origins: o, Command: Command(c), Env: c.Env, Files: f}
	if isRecipe(c) {
		emitter := p.s.Toolchains[c.Toolchain].Emitter
		e.Command, e.Env = EmitCommand(c, emitter), emitEnv(c, emitter)
		e.Helpers = map[string]HelperEvidence{}
		for k, need := range p.Graph.Nodes[p.Node[i]].Needs {
			if k < len(c.Bitcode) {
				e.Helpers[need.Path] = p.helperEvidence(c, c.Bitcode[k], need.Node, o)
			}
		}
	}
	return e
}

// helperEvidence is what the plan knows about a helper of a cell.
func (p *Plan) helperEvidence(c *matrix.Cell, b matrix.Bitcode, node int, o *Origins) HelperEvidence {
	a := &p.Graph.Nodes[node].Action
	f := &Files{tree: p.tree, include: texts(b.Include)}
	for _, in := range a.Inputs {
		f.inputs = append(f.inputs, in.Path)
	}
	return HelperEvidence{Fields: a.Fields(), Evidence: Evidence{Origins: o, Command: BitcodeCommand(c, b), Files: f}}
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
