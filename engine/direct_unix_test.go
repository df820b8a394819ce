//go:build unix

package engine

import (
	"context"
	"testing"
)

// What a tool would run is run instead of it; where that fails, the tool is.
func TestDirect(t *testing.T) {
	for _, c := range []struct {
		name   string
		direct [][]string
		env    []EnvVar
		want   string // in the output and on stdout
	}{
		{"two processes", [][]string{{"/bin/sh", "-c", "echo one >between; echo said"}, {"/bin/sh", "-c", "cat between >out"}}, nil, "one"},
		{"none", nil, nil, "tool"},
		{"the second fails", [][]string{{"/bin/sh", "-c", "echo said >&2; echo one >out"}, {"/bin/sh", "-c", "exit 3"}}, nil, "tool"},
		{"the first fails", [][]string{{"/bin/sh", "-c", "exit 3"}, {"/bin/sh", "-c", "echo one >out"}}, nil, "tool"},
		{"there is no such program", [][]string{{"/nonexistent/cc1"}}, nil, "tool"},
		{"the environment may have a say", [][]string{{"/bin/sh", "-c", "echo one >out"}}, []EnvVar{{"A", "b"}}, "tool"},
	} {
		p := newProject(t)
		ran := false
		p.o.Tools["sh"] = Tool{Path: "/bin/sh", Direct: func(context.Context, []string, string, string) Way {
			return Way{Commands: c.direct, Ran: func([]byte) { ran = true }}
		}}
		n := script(c.name, "test ! -e out && echo tool >out")
		n.Action.Env = c.env
		r := p.must(n)
		data, err := p.cache.Blob(r[0].Record.Outputs[0].Digest)
		if err != nil || string(data) != c.want+"\n" {
			t.Errorf("%s: %q, %v", c.name, data, err)
		}
		if said := string(r[0].Record.Stdout) + string(r[0].Record.Stderr); said != map[string]string{"one": "said\n"}[c.want] {
			t.Errorf("%s: said %q", c.name, said)
		}
		if want := c.name == "none"; ran != want {
			t.Errorf("%s: it was told that the tool itself ran: %t", c.name, ran)
		}
	}
}

// A failure is told in the tool's own words.
func TestDirectFails(t *testing.T) {
	p := newProject(t)
	p.o.Tools["sh"] = Tool{Path: "/bin/sh", Direct: func(context.Context, []string, string, string) Way {
		return Way{Commands: [][]string{{"/bin/sh", "-c", "echo other words >&2; exit 3"}}}
	}}
	r, err := p.run(t.Context(), script("fails", "echo own words >&2; exit 4"))
	failed, ok := r[0].Err.(*ActionError)
	if err == nil || !ok || failed.ExitCode != 4 || failed.Stderr != "own words\n" {
		t.Errorf("%v", r[0].Err)
	}
}

// A tool that runs as it is has what was wished for in its environment, and what
// it said is handed on; not after a failure.
func TestDirectListens(t *testing.T) {
	p := newProject(t)
	var said []string
	p.o.KeepGoing = true
	p.o.Tools["sh"] = Tool{Path: "/bin/sh", Direct: func(context.Context, []string, string, string) Way {
		return Way{Env: []string{"WISH=granted"}, Ran: func(stderr []byte) { said = append(said, string(stderr)) }}
	}}
	_, err := p.run(t.Context(), script("good", `echo "$WISH" >&2; : >out`), script("bad", "echo bad >&2; exit 1"))
	if err == nil || len(said) != 1 || said[0] != "granted\n" {
		t.Errorf("%q, %v", said, err)
	}
}
