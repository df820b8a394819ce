package engine

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"kmx/cache"
)

// stepped is a graph of a process and a step that puts what it made into capitals.
func stepped(in Input) *Graph {
	return &Graph{Nodes: []*Node{
		{Label: "lower", Action: Action{Kind: "k", Tool: "sh", Args: []string{"-c", "cat in >out"}, Inputs: []Input{in}, Outputs: []string{"out"}}},
		{Label: "upper", Action: Action{Kind: "k", Tool: "up", Outputs: []string{"UP"}}, Needs: []Need{{Node: 0, Output: "out", Path: "from"}}},
	}}
}

func upper(a *Action, inputs map[string][]byte) (map[string][]byte, error) {
	if bytes.Contains(inputs["from"], []byte("bad")) {
		return nil, errors.New("that is bad")
	}
	if bytes.Contains(inputs["from"], []byte("nothing")) {
		return nil, nil
	}
	return map[string][]byte{a.Outputs[0]: bytes.ToUpper(inputs["from"])}, nil
}

// A step makes outputs as a process does: cached by what it was given, checked,
// and not done again where a process before it gives the same bytes.
func TestStep(t *testing.T) {
	p := newProject(t)
	p.o.Tools["up"] = Tool{Step: upper}
	g := stepped(p.write("in", "word"))
	seen := ""
	g.Nodes[1].Check = func(outputs map[string][]byte) error { seen = string(outputs["UP"]); return nil }
	results, err := Run(t.Context(), g, p.o)
	if err != nil {
		t.Fatal(err)
	}
	if r := results[1]; r.Cached || seen != "WORD" || r.Record.Outputs[0].Digest != cache.Sum([]byte("WORD")) || r.Record.Outputs[0].Size != 4 {
		t.Errorf("%q %+v", seen, r.Record)
	}
	seen = ""
	again := stepped(p.write("in", "word"))
	again.Nodes[0].Action.Args = []string{"-c", "cat in in | head -c 4 >out"} // another action, the same bytes
	again.Nodes[1].Check = g.Nodes[1].Check
	if results, err = Run(t.Context(), again, p.o); err != nil || results[0].Cached || !results[1].Cached || seen != "WORD" {
		t.Errorf("%v %+v %q", err, results, seen)
	}
}

func TestStepFails(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"bad word", "upper: that is bad"},
		{"nothing", "upper: up reported success, but its output UP was not made"},
	} {
		p := newProject(t)
		p.o.Tools["up"] = Tool{Step: upper}
		results, err := Run(t.Context(), stepped(p.write("in", c.text)), p.o)
		if err == nil || results[1].State != Failed || results[1].Err.Error() != c.want {
			t.Errorf("%s: %v", c.text, results[1].Err)
		}
	}
	p := newProject(t)
	p.o.Tools["up"] = Tool{Step: upper}
	g := &Graph{Nodes: []*Node{{Label: "alone", Action: Action{Kind: "k", Tool: "up", Inputs: []Input{p.write("from", "x")}, Outputs: []string{"UP"}}}}}
	if _, err := Run(t.Context(), g, p.o); err == nil || !strings.Contains(err.Error(), "alone: from is a file of the project") {
		t.Errorf("a file of the project: %v", err)
	}
}
