package engine

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kmx/cache"
)

// Need makes an output of another node an input of this one. Its digest enters the key, not where it came from: when
// the other node is built anew and gives the same bytes, this one is not built (early cutoff).
type Need struct {
	Node   int    // index in Graph.Nodes
	Output string // one of its outputs
	Path   string // where it lies in the sandbox of this node
}

// Cost is what running a node is expected to take; zero parts are unknown.
type Cost struct {
	Wall   time.Duration `json:"wall,omitzero"`   // nanoseconds
	Memory int64         `json:"memory,omitzero"` // peak, bytes
}

// Node is one action in a graph.
type Node struct {
	Label  string // for people, logs and history: the address of the cell
	Action Action // Inputs without those that Needs add
	Needs  []Need
	Guess  Cost // from history, or from sizes

	// Stored holds the paths of inputs that a step of this program has made: their bytes are in the cache, by digest, and
	// not under the root of the project.
	Stored map[string]bool

	// Origin tells what the stored inputs were made from. It goes into the record behind the fields of the action, to
	// explain a difference, and into no key: the digests of the inputs are there.
	Origin []cache.Field

	// Err tells that a step before the action failed, so that there is no action: the node is Failed when the run begins.
	// A node that needs it may have no action either, and names no output of it.
	Err error

	// Check looks at the outputs, by path, and may refuse them: the node fails, the record stays. It runs for
	// outputs from the cache as for fresh ones, in any goroutine, and keeps none of the bytes. Nil: nothing to check.
	Check func(outputs map[string][]byte) error
}

// Graph is what one run builds. It is not changed by the run.
type Graph struct {
	Nodes []*Node
}

// scratch is the folder in a sandbox for temporary files and messages; no action may name it.
const scratch = ".tmp"

// Validate finds everything that is wrong with the graph before anything runs. The error is a *GraphError.
func (g *Graph) Validate() error {
	v := validator{graph: g, good: map[string]bool{}}
	for i, n := range g.Nodes {
		v.node(i, n)
	}
	if len(v.problems) == 0 {
		v.cycles()
	}
	if len(v.problems) > 0 {
		return &GraphError{Problems: v.problems}
	}
	return nil
}

// hopeless tells whether the node cannot be built, because it or a node that it needs has an Err.
func (n *Node) hopeless(g *Graph) bool {
	return n.Err != nil || slices.ContainsFunc(n.Needs, func(need Need) bool {
		return need.Node >= 0 && need.Node < len(g.Nodes) && g.Nodes[need.Node].Err != nil
	})
}

type validator struct {
	graph    *Graph
	good     map[string]bool // paths seen to be in order: most headers are inputs of most nodes
	problems []string
}

func (v *validator) complain(n *Node, format string, args ...any) {
	v.problems = append(v.problems, n.Label+": "+fmt.Sprintf(format, args...))
}

func (v *validator) node(i int, n *Node) {
	if n.Label == "" {
		v.problems = append(v.problems, fmt.Sprintf("node %d has no label", i))
	}
	if n.hopeless(v.graph) {
		return
	}
	if n.Action.Tool == "" {
		v.complain(n, "the action names no tool")
	}
	if len(n.Action.Outputs) == 0 {
		v.complain(n, "the action has no output")
	}
	var paths []string
	add := func(what, p string) {
		v.path(n, what, p)
		paths = append(paths, p)
	}
	for _, in := range n.Action.Inputs {
		add("input", in.Path)
	}
	for _, need := range n.Needs {
		add("need", need.Path)
		if need.Node < 0 || need.Node >= len(v.graph.Nodes) {
			v.complain(n, "needs node %d of %d", need.Node, len(v.graph.Nodes))
			continue
		}
		if other := v.graph.Nodes[need.Node]; !slices.Contains(other.Action.Outputs, need.Output) {
			v.complain(n, "needs %q of %s, which does not make it", need.Output, other.Label)
		}
	}
	for _, out := range n.Action.Outputs {
		add("output", out)
	}
	if n.Action.Depfile != "" {
		add("depfile", n.Action.Depfile)
	}
	v.distinct(n, paths)
	v.env(n)
}

func (v *validator) path(n *Node, what, p string) {
	if v.good[p] {
		return
	}
	switch {
	case p == "" || p == "." || !filepath.IsLocal(filepath.FromSlash(p)) || path.Clean(p) != p || strings.Contains(p, "\\"):
		v.complain(n, "%s %q is not a clean relative path with slashes", what, p)
	case p == scratch || strings.HasPrefix(p, scratch+"/"):
		v.complain(n, "%s %q lies in the folder for temporary files", what, p)
	default:
		v.good[p] = true
	}
}

// distinct refuses a path that is named twice, or that is a file here and a folder there.
func (v *validator) distinct(n *Node, paths []string) {
	seen := make(map[string]bool, len(paths))
	for _, p := range paths {
		if seen[p] {
			v.complain(n, "%q is named twice among inputs, needs, outputs and depfile", p)
		}
		seen[p] = true
	}
	for _, p := range paths {
		for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if seen[dir] {
				v.complain(n, "%q is a file and the folder of %q", dir, p)
			}
		}
	}
}

func (v *validator) env(n *Node) {
	seen := map[string]bool{}
	for _, e := range n.Action.Env {
		switch {
		case e.Name == "" || strings.ContainsAny(e.Name, "=\x00") || strings.Contains(e.Value, "\x00"):
			v.complain(n, "environment variable %q is malformed", e.Name)
		case e.Name == "TMPDIR":
			v.complain(n, "TMPDIR is set by the sandbox, the action cannot set it")
		case seen[e.Name]:
			v.complain(n, "environment variable %s is set twice", e.Name)
		}
		seen[e.Name] = true
	}
}

// cycles walks along the needs without recursion, as chains may be long, and names each cycle it meets by its labels.
func (v *validator) cycles() {
	const fresh, open, closed = 0, 1, 2
	mark := make([]byte, len(v.graph.Nodes))
	type step struct{ node, next int }
	for start := range v.graph.Nodes {
		if mark[start] != fresh {
			continue
		}
		mark[start] = open
		for way := []step{{node: start}}; len(way) > 0; {
			top := &way[len(way)-1]
			needs := v.graph.Nodes[top.node].Needs
			if top.next == len(needs) {
				mark[top.node] = closed
				way = way[:len(way)-1]
				continue
			}
			to := needs[top.next].Node
			top.next++
			switch mark[to] {
			case fresh:
				mark[to] = open
				way = append(way, step{node: to})
			case open:
				first := slices.IndexFunc(way, func(s step) bool { return s.node == to })
				var names []string
				for _, s := range way[first:] {
					names = append(names, v.graph.Nodes[s.node].Label)
				}
				v.problems = append(v.problems,
					fmt.Sprintf("nodes need each other in a circle: %s -> %s", strings.Join(names, " -> "), names[0]))
			}
		}
	}
}
