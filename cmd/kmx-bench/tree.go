package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"kmx/door"
)

// A tree is a project with a cache of its own that compiles for real.
type tree struct {
	root, store string
	env         []string
	door        door.Door
	build       []string  // what kmx is asked for
	commands    []compile // of that, as people would run them
}

// newTree takes the project at root, which exists, and all of it or the cells of
// some selectors.
func newTree(root, store string, d door.Door, selectors string) (*tree, error) {
	t := &tree{root: root, store: store, door: d, build: []string{"release"}}
	if selectors != "" {
		t.build = []string{"build", selectors}
	}
	t.env = []string{"KMX_CACHE=" + store, "KMX_LOG=plain", "CCACHE_DIR=" + filepath.Join(store, "ccache"), "KMX_DRIVER="}
	out, err := t.kmx("kmx plan", slices.Concat([]string{"plan"}, selected(selectors), []string{"-commands"})...).command().Output()
	if err != nil {
		return nil, fmt.Errorf("kmx plan -commands: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		c, ok := parseCommand(strings.TrimSpace(line))
		if !ok {
			return nil, fmt.Errorf("kmx plan -commands: no output in %q", line)
		}
		t.commands = append(t.commands, c)
	}
	return t, writeCommands(root, t.commands)
}

// selected is how plan is told of selectors.
func selected(selectors string) []string {
	if selectors == "" {
		return nil
	}
	return []string{"-selectors=" + selectors}
}

// kmx is a call of the compiled front door.
func (t *tree) kmx(name string, args ...string) *contender {
	return &contender{name: name, dir: t.root, env: t.env, argv: append([]string{t.door.Fast()}, args...)}
}

// peer is a call of another tool; nil where there is none.
func (t *tree) peer(name string, argv ...string) *contender {
	for _, program := range strings.Split(name, " and ") {
		if _, err := exec.LookPath(program); err != nil {
			return nil
		}
	}
	return &contender{name: name, dir: t.root, env: t.env, argv: argv}
}

// remove gives what takes away some names of the project before a turn.
func (t *tree) remove(names ...string) func() error {
	return func() error {
		for _, name := range names {
			if !filepath.IsAbs(name) {
				name = filepath.Join(t.root, name)
			}
			if err := os.RemoveAll(name); err != nil {
				return err
			}
		}
		return os.MkdirAll(filepath.Join(t.root, "dist/plan"), 0o755)
	}
}

// forget removes objects and records. What a cold build is free to know stays:
// the digest of the compiler, how it is run, and durations.
func (t *tree) forget() func() error {
	return t.remove("dist", filepath.Join(t.store, "cas"), filepath.Join(t.store, "act"))
}

func jobs() string { return fmt.Sprintf("-j%d", runtime.NumCPU()) }

// A compile is one compiler call of the plan.
type compile struct{ line, output, source string }

// parseCommand finds the output and the source in a line of `plan -commands`;
// no name in these projects needs quotes.
func parseCommand(line string) (compile, bool) {
	c := compile{line: line}
	words := strings.Fields(line)
	for i, w := range words {
		if i > 0 && words[i-1] == "-o" {
			c.output = w
		}
		if strings.HasSuffix(w, ".hip") {
			c.source = w
		}
	}
	return c, c.output != "" && c.source != ""
}

// withCCache puts ccache before the compiler, and -c behind it: without that
// ccache takes the call for one of the linker. With one device and no host the
// object is the same.
func (c compile) withCCache() string {
	words := strings.Fields(c.line)
	i := 0
	if words[0] == "env" {
		for i = 1; strings.Contains(words[i], "="); i++ {
		}
	}
	return strings.Join(slices.Concat(words[:i], []string{"ccache", words[i], "-c"}, words[i+1:]), " ")
}

// writeCommands writes the plan's commands for ninja, with and without ccache,
// and for make.
func writeCommands(root string, commands []compile) error {
	var plain, cached, rules bytes.Buffer
	for _, b := range []*bytes.Buffer{&plain, &cached} {
		b.WriteString("rule compile\n  command = $line\n  depfile = $out.d\n  deps = gcc\n")
	}
	rules.WriteString("all:")
	for _, c := range commands {
		rules.WriteString(" " + c.output)
	}
	rules.WriteString("\n.PHONY: all\n")
	for _, c := range commands {
		depfile := strings.TrimSuffix(c.output, ".hsaco") + ".d"
		for b, line := range map[*bytes.Buffer]string{&plain: c.line, &cached: c.withCCache()} {
			fmt.Fprintf(b, "build %s: compile %s\n  depfile = %s\n  line = %s\n", c.output, c.source, depfile, strings.ReplaceAll(line, "$", "$$"))
		}
		fmt.Fprintf(&rules, "%s: %s\n\t%s\n", c.output, c.source, strings.ReplaceAll(c.line, "$", "$$"))
	}
	return writeAll(root, map[string]string{
		"plain.ninja": plain.String(), "ccache.ninja": "builddir = .ninja-ccache\n" + cached.String(), "plain.make": rules.String(),
	})
}
