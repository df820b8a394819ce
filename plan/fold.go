package plan

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/matrix"
)

// Fold asks that of cells with proven equal objects one is compiled and the
// others are derived from its object.
type Fold struct {
	Proofs *Proofs
	// Sample, where not empty, asks that some of the derived objects are compiled
	// as well, to be compared; which ones depends on its text and the proofs.
	Sample string
}

// A Derived is a cell's object that is not compiled.
type Derived struct {
	Leader  int           // the node whose object it is made from
	Compile engine.Action // what would compile it
	Premise cache.Digest
	Proven  Proven
	Sampled int // the node that compiles it as well; -1: none does
}

// DeriveTool is the symbolic tool of the step that derives objects, DeriveKind
// the kind of its actions.
const (
	DeriveTool = "kmx:derive"
	DeriveKind = "derive"
)

// Steps are the tools that are parts of this program.
func Steps() map[string]engine.Tool {
	return map[string]engine.Tool{DeriveTool: {Step: derive}}
}

// deriveFormat stands in actions in the place of a toolchain.
var deriveFormat = cache.Sum([]byte(codeobj.RetargetFormat))

// sampleOf is of how many derived objects one is compiled as well.
const sampleOf = 16

// What deriving an object takes: well under this.
const (
	deriveWall   = 2 * time.Millisecond
	deriveMemory = 2 << 20
)

// leaderName is the object of the leader among the inputs.
const leaderName = "equal/object.hsaco"

// derivation is the action that makes the object of c from another one of the
// same kernel.
func derivation(c *matrix.Cell, p Proven) engine.Action {
	return engine.Action{
		Kind: DeriveKind, Tool: DeriveTool, Args: []string{c.Target.Name, "blake3:" + p.Object.String()},
		Toolchain: deriveFormat, Outputs: []string{objectName(c)},
	}
}

// derive is the step: the target and the object without its GPU are the
// arguments.
func derive(a *engine.Action, inputs map[string][]byte) (map[string][]byte, error) {
	data, ok := inputs[leaderName]
	if !ok || len(a.Args) != 2 || len(a.Outputs) != 1 {
		return nil, fmt.Errorf("%s is given an object, and takes a GPU and a digest; it has %q", DeriveTool, a.Args)
	}
	bare, err := codeobj.Untargeted(data)
	if err != nil {
		return nil, fmt.Errorf("the object to derive from: %w", err)
	}
	if got := "blake3:" + cache.Sum(bare).String(); got != a.Args[1] {
		return nil, &LapsedError{}
	}
	out, err := codeobj.Retarget(data, a.Args[0])
	if err != nil {
		return nil, fmt.Errorf("the object to derive from: %w", err)
	}
	return map[string][]byte{a.Outputs[0]: out}, nil
}

// A LapsedError tells that an object to derive from is not the one that was
// proven, though compiler, flags and sources are.
type LapsedError struct{}

func (*LapsedError) Error() string {
	return "the object to derive from is not the one that was proven, though its sources, flags and compiler are the same: " +
		"the compiler gives something else from run to run or depends on this machine; build without -fold, or prove again here with mage fold:prove"
}

// fold replaces nodes that compile what is proven to equal the object of an
// earlier node by nodes that derive it. Cells made of a library's code are left as
// they are.
func (p *Plan) fold() {
	if p.s.Fold == nil {
		return
	}
	p.Derived = map[int]*Derived{}
	proofs := p.s.Fold.Proofs.Proven()
	leaders := map[string]int{}
	seen := map[int]bool{}
	for i, c := range p.Cells {
		n := p.Node[i]
		if isRecipe(c) || seen[n] {
			continue
		}
		seen[n] = true
		node := p.Graph.Nodes[n]
		premise := Premise(node.Action, p.s.Toolchains[c.Toolchain])
		proven, ok := proofs[premise]
		if !ok {
			p.Unproven = append(p.Unproven, n)
			continue
		}
		class := fmt.Sprintf("%s/%s %s", c.Family, c.Kernel, proven.Object)
		leader, follows := leaders[class]
		if !follows {
			leaders[class] = n
			continue
		}
		p.Derived[n] = &Derived{Leader: leader, Compile: node.Action, Premise: premise, Proven: proven, Sampled: -1}
		p.Graph.Nodes[n] = &engine.Node{
			Label: node.Label, Action: derivation(c, proven), Check: node.Check,
			Needs: []engine.Need{{Node: leader, Output: objectName(c), Path: leaderName}},
			Guess: engine.Cost{Wall: deriveWall, Memory: deriveMemory},
		}
	}
	p.sample()
}

// sample adds the nodes that compile some of the derived objects as well.
func (p *Plan) sample() {
	if p.s.Fold.Sample == "" || len(p.Derived) == 0 {
		return
	}
	declared := map[int]diag.Range{}
	family := map[int]string{}
	for i, c := range p.Cells {
		if _, first := declared[p.Node[i]]; !first {
			declared[p.Node[i]], family[p.Node[i]] = c.Declared, c.Family
		}
	}
	type draw struct {
		lot  cache.Digest
		node int
	}
	var draws []draw
	for n, d := range p.Derived {
		draws = append(draws, draw{cache.Sum([]byte(p.s.Fold.Sample + " " + d.Premise.String())), n})
	}
	slices.SortFunc(draws, func(a, b draw) int { return cmp.Or(bytes.Compare(a.lot[:], b.lot[:]), cmp.Compare(a.node, b.node)) })
	draws = draws[:(len(draws)+sampleOf-1)/sampleOf]
	slices.SortFunc(draws, func(a, b draw) int { return cmp.Compare(a.node, b.node) })
	for _, one := range draws {
		d, derived := p.Derived[one.node], p.Graph.Nodes[one.node]
		d.Sampled = len(p.Graph.Nodes)
		label := "sample of " + derived.Label
		p.Graph.Nodes = append(p.Graph.Nodes, &engine.Node{Label: label, Action: d.Compile, Guess: p.guess.of(derived.Label, family[one.node])})
		p.Helper[label] = Helper{derived.Label, declared[one.node]}
	}
}

// DerivedFrom is the derivation of the cell at index i and the address that its
// leader is known by; nil where it is compiled.
func (p *Plan) DerivedFrom(i int) (d *Derived, leader string) {
	if d = p.Derived[p.Node[i]]; d == nil {
		return nil, ""
	}
	return d, p.Graph.Nodes[d.Leader].Label
}

// Sources are the inputs of every action of the plan, and of those that derived
// objects do without, that are files of the project.
func (p *Plan) Sources() []engine.Input {
	var all []engine.Input
	for i, n := range p.Graph.Nodes {
		for _, in := range n.Action.Inputs {
			if !n.Stored[in.Path] {
				all = append(all, in)
			}
		}
		if d := p.Derived[i]; d != nil {
			all = append(all, d.Compile.Inputs...)
		}
	}
	return all
}

// DerivedText is a derivation in words.
func DerivedText(leader string, p Proven) string {
	return fmt.Sprintf("derived from %s, proven equal with %s", leader, p.Version)
}
