package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func node(label string, edit func(*Node)) *Node {
	n := &Node{Label: label, Action: Action{Tool: "t", Outputs: []string{"out"}}}
	if edit != nil {
		edit(n)
	}
	return n
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Node)
		want string
	}{
		{"good", nil, ""},
		{"no label", func(n *Node) { n.Label = "" }, "has no label"},
		{"no tool", func(n *Node) { n.Action.Tool = "" }, "names no tool"},
		{"no output", func(n *Node) { n.Action.Outputs = nil }, "has no output"},
		{"absolute", func(n *Node) { n.Action.Outputs = []string{"/etc/passwd"} }, "not a clean relative path"},
		{"outside", func(n *Node) { n.Action.Inputs = []Input{{Path: "../x"}} }, "not a clean relative path"},
		{"not clean", func(n *Node) { n.Action.Inputs = []Input{{Path: "a//x"}} }, "not a clean relative path"},
		{"backslash", func(n *Node) { n.Action.Inputs = []Input{{Path: `a\x`}} }, "not a clean relative path"},
		{"empty", func(n *Node) { n.Action.Inputs = []Input{{}} }, "not a clean relative path"},
		{"the sandbox itself", func(n *Node) { n.Action.Outputs = []string{"."} }, "not a clean relative path"},
		{"scratch", func(n *Node) { n.Action.Depfile = ".tmp/x.d" }, "folder for temporary files"},
		{"twice", func(n *Node) { n.Action.Inputs = []Input{{Path: "out"}} }, "named twice"},
		{"file and folder", func(n *Node) { n.Action.Inputs = []Input{{Path: "out/x"}} }, "is a file and the folder of"},
		{"no such node", func(n *Node) { n.Needs = []Need{{Node: 7, Output: "out", Path: "in"}} }, "needs node 7 of 2"},
		{"no such output", func(n *Node) { n.Needs = []Need{{Node: 1, Output: "nut", Path: "in"}} }, `needs "nut" of other`},
		{"TMPDIR", func(n *Node) { n.Action.Env = []EnvVar{{"TMPDIR", "/tmp"}} }, "TMPDIR is set by the sandbox"},
		{"variable twice", func(n *Node) { n.Action.Env = []EnvVar{{"A", "1"}, {"A", "2"}} }, "set twice"},
		{"malformed variable", func(n *Node) { n.Action.Env = []EnvVar{{"A=B", "1"}} }, "malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &Graph{Nodes: []*Node{node("it", c.edit), node("other", nil)}}
			err := g.Validate()
			var bad *GraphError
			switch {
			case c.want == "" && err == nil:
			case c.want == "", !errors.As(err, &bad), len(bad.Problems) != 1, !strings.Contains(bad.Problems[0], c.want):
				t.Errorf("got %v, want one problem with %q", err, c.want)
			}
		})
	}
}

func TestValidateNamesCycles(t *testing.T) {
	g := &Graph{}
	for i, label := range []string{"a", "b", "c", "d"} {
		g.Nodes = append(g.Nodes, node(label, func(n *Node) {
			n.Needs = []Need{{Node: []int{1, 2, 0, 0}[i], Output: "out", Path: "in"}}
		}))
	}
	err := g.Validate()
	if err == nil || !strings.Contains(err.Error(), "circle: a -> b -> c -> a") || strings.Contains(err.Error(), "d") && strings.Count(err.Error(), "circle") != 1 {
		t.Errorf("got %v", err)
	}
	g.Nodes[2].Needs = nil
	if err := g.Validate(); err != nil {
		t.Errorf("without the circle: %v", err)
	}
}

func TestQueueOrder(t *testing.T) {
	var q queue
	for i, remaining := range []time.Duration{3, 9, 1, 9, 5} {
		q.put(&task{index: i, remaining: remaining})
	}
	var got []int
	for q.Len() > 0 {
		got = append(got, q.take().index)
	}
	if want := []int{1, 3, 4, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
