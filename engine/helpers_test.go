package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kmx/cache"
)

// project is a checkout with a cache of its own and, as only tool, the shell.
type project struct {
	*testing.T
	root   string
	cache  *cache.Cache
	mu     sync.Mutex
	events []Event
	o      Options
}

func newProject(t *testing.T) *project {
	t.Helper()
	p := &project{T: t, root: t.TempDir()}
	p.cache = openCache(t, t.TempDir())
	p.o = Options{
		Cache: p.cache, Root: p.root, Jobs: 2,
		Tools: map[string]Tool{"sh": {Path: "/bin/sh"}},
		Sink: func(e Event) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.events = append(p.events, e)
		},
	}
	return p
}

func openCache(t *testing.T, dir string) *cache.Cache {
	t.Helper()
	c, err := cache.Open(dir, func(msg string) { t.Log("cache says:", msg) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// write puts a file into the project and gives it as an input.
func (p *project) write(name, text string) Input {
	p.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		p.Fatal(err)
	}
	return Input{Path: name, Digest: cache.Sum([]byte(text))}
}

// script is a node that runs a shell script.
func script(label, text string, inputs ...Input) *Node {
	return &Node{Label: label, Action: Action{
		Kind: "test", Tool: "sh", Args: []string{"-c", text}, Inputs: inputs, Outputs: []string{"out"},
	}}
}

// run builds the nodes; events are those of this run.
func (p *project) run(ctx context.Context, nodes ...*Node) ([]Result, error) {
	p.Helper()
	p.events = nil
	return Run(ctx, &Graph{Nodes: nodes}, p.o)
}

// must builds the nodes and expects success.
func (p *project) must(nodes ...*Node) []Result {
	p.Helper()
	results, err := p.run(context.Background(), nodes...)
	if err != nil {
		p.Fatalf("%v", err)
	}
	return results
}

// out is the first output of a result.
func (p *project) out(r Result) string {
	p.Helper()
	b, err := p.cache.Blob(r.Record.Outputs[0].Digest)
	if err != nil {
		p.Fatal(err)
	}
	return string(b)
}

// states gives "label:state" of all results; cached ones are marked.
func states(results []Result) string {
	var b strings.Builder
	for _, r := range results {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s:%s", r.Node.Label, r.State)
		if r.Cached {
			b.WriteString("(cached)")
		}
	}
	return b.String()
}

func (p *project) wantStates(results []Result, want string) {
	p.Helper()
	if got := states(results); got != want {
		p.Errorf("states\n  %s\nwant\n  %s", got, want)
	}
}

// noSandboxes fails when a sandbox was left behind.
func (p *project) noSandboxes() {
	p.Helper()
	entries, err := os.ReadDir(p.cache.SandboxRoot())
	if err != nil {
		p.Fatal(err)
	}
	for _, e := range entries {
		p.Errorf("sandbox %s was left behind", e.Name())
	}
}

// fake is an executor without processes: it makes every output from its own name. during, when set, is called while
// a job runs.
type fake struct {
	cache  *cache.Cache
	mu     sync.Mutex
	order  []string
	now    int
	most   int
	during func(ctx context.Context, j *Job) error
}

func (f *fake) Execute(ctx context.Context, j *Job) (*Outcome, error) {
	f.mu.Lock()
	f.order = append(f.order, j.Label)
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.now--
		f.mu.Unlock()
	}()
	if f.during != nil {
		if err := f.during(ctx, j); err != nil {
			return nil, err
		}
	}
	out := &Outcome{}
	for _, name := range j.Action.Outputs {
		data := []byte("bytes of " + name + " of " + j.Label)
		d, err := f.cache.PutBytes(data)
		if err != nil {
			return nil, err
		}
		out.Outputs = append(out.Outputs, cache.Output{Path: name, Digest: d, Size: int64(len(data))})
	}
	return out, nil
}

func needs(n *Node, from ...int) *Node {
	for _, i := range from {
		n.Needs = append(n.Needs, Need{Node: i, Output: "out", Path: fmt.Sprintf("in%d", i)})
	}
	return n
}
