//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kmx/door"
	"kmx/internal/durable"
	"kmx/toolchains"
)

// A lab is what all rows share.
type lab struct {
	Work    string // the folder of everything
	Kmx     string // the front door
	Real    string // the compiler of this machine
	Banner  string // what it says of itself
	Libs    []string
	Seed    uint64
	Moments int

	Tasks []task          // undisturbed
	Want  map[string]tree // what each task leaves in dist, undisturbed
}

// newLab compiles the front door, finds the compiler and makes the undisturbed
// results.
func newLab(work string, o options) (*lab, error) {
	l := &lab{Work: work, Seed: o.seed, Moments: o.moments, Want: map[string]tree{}}
	if err := l.install(o.programs); err != nil {
		return nil, err
	}
	tc, err := toolchains.Find(context.Background(), toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, nil)
	if err != nil {
		return nil, fmt.Errorf("a compiler is needed, `go tool mage setup` gets one: %w", err)
	}
	tool := tc.Tools["hip:bin/clang++"]
	l.Real, l.Banner, l.Libs = tool.Path, tc.Banner, tool.Env
	if err := l.installCompiler(); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "seed %d, %s\n", l.Seed, l.Banner)
	if o.soak > 0 {
		return l, nil
	}
	err = l.undisturbed(false)
	if err == nil && slices.ContainsFunc(rows(), func(r row) bool { return r.tasks && o.rows.MatchString(r.name) }) {
		if err = l.undisturbed(true); err == nil {
			err = l.measure()
		}
	}
	if err == nil {
		err = l.save()
	}
	return l, err
}

// install puts the programs, compiled from the checkout unless they are given,
// into a folder that is no checkout, so that they are never compiled again in the
// middle of a row.
func (l *lab) install(programs string) error {
	l.Kmx = filepath.Join(l.Work, "programs", "kmx")
	if err := os.MkdirAll(filepath.Dir(l.Kmx), 0o755); err != nil {
		return err
	}
	from := filepath.Join(programs, "kmx")
	if programs == "" {
		root, err := moduleRoot()
		if err != nil {
			return err
		}
		// Through the door, which keeps others from compiling at the same time.
		d := door.Of(root)
		if _, err := d.Compile(context.Background(), os.Stderr); err != nil {
			return fmt.Errorf("compile the front door: %w", err)
		}
		from = d.Fast()
	}
	for _, p := range [][2]string{{from, l.Kmx}, {door.Beside(from), door.Beside(l.Kmx)}} {
		if err := durable.Place(p[0], p[1], 0o755); err != nil {
			return err
		}
	}
	return nil
}

// moduleRoot is the checkout of kmx around the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if door.Of(dir).HasSources() {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("run this in a checkout of kmx, whose front door it compiles")
		}
	}
	return "", err
}

// random gives the random choices of a row: the same for the same seed, whatever
// other rows run.
func (l *lab) random(name string) *rand.Rand {
	h := fnv.New64a()
	io.WriteString(h, name)
	return rand.New(rand.NewPCG(l.Seed, h.Sum64()))
}

func (l *lab) file() string { return filepath.Join(l.Work, "lab.json") }

// save writes the lab down for rows that run in a process of their own.
func (l *lab) save() error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(l.file(), data, 0o644)
}

func loadLab(file string) (*lab, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l := new(lab)
	return l, json.Unmarshal(data, l)
}

// A task is a command that is disturbed.
type task struct {
	Name string
	Args []string
	Warm bool          // all was built before, and a header differs since
	Real bool          // by the compiler of this machine
	Slow time.Duration // how long the other one takes for a kernel
	Span time.Duration // of the whole command, undisturbed
}

func tasks() []task {
	return []task{
		{Name: "a release with an empty cache, by the real compiler", Args: []string{"release"}, Real: true},
		{Name: "a release with an empty cache", Args: []string{"release"}, Slow: 20 * time.Millisecond},
		{Name: "a release after an edit", Args: []string{"release"}, Warm: true, Slow: 20 * time.Millisecond},
		{Name: "a build into dist/dev", Args: []string{"build", "toy+*"}, Slow: 20 * time.Millisecond},
	}
}

// what says which undisturbed result a site is compared with.
func (s *site) what(verb string) string {
	if s.real {
		return verb + ", real compiler"
	}
	return verb
}

// undisturbed keeps what a release and a build leave.
func (l *lab) undisturbed(real bool) error {
	for _, args := range [][]string{{"release"}, {"build", "toy+*"}} {
		s, err := l.site("undisturbed")
		if err != nil {
			return err
		}
		s.real = real
		if e := s.do(args...); e.code != 0 {
			return fmt.Errorf("%s fails undisturbed:\n%s", args[0], e.text)
		}
		if l.Want[s.what(args[0])], err = readTree(s.path("dist")); err != nil {
			return err
		}
	}
	return nil
}

// measure finds out how long every task takes.
func (l *lab) measure() error {
	for _, t := range tasks() {
		for range 2 { // the first may have to ask the real compiler
			s, err := l.prepared("undisturbed", t)
			if err != nil {
				return err
			}
			begun := time.Now()
			if e := s.do(t.Args...); e.code != 0 {
				return fmt.Errorf("%s fails undisturbed:\n%s", t.Name, e.text)
			}
			t.Span = time.Since(begun)
		}
		l.Tasks = append(l.Tasks, t)
	}
	return l.setFault(fault{})
}

// prepared makes a site in which a task can begin.
func (l *lab) prepared(name string, t task) (*site, error) {
	s, err := l.site(name)
	if err != nil {
		return s, err
	}
	s.real = t.Real
	if t.Warm {
		if e := s.do("release"); e.code != 0 {
			return nil, fmt.Errorf("the release before the edit fails:\n%s", e.text)
		}
		if err := s.edit(headerFile, "STEP 1", "STEP 2"); err != nil {
			return nil, err
		}
	}
	return s, l.setFault(fault{Delay: t.Slow})
}
