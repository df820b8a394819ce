package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"kmx/door"
)

// compiles measures what needs real compilers: cold builds, restoring all
// objects from a cache, and how well the processors were used.
func compiles(d door.Door, root string, kernels, rounds int) error {
	if err := writeProject(root, kernels); err != nil {
		return err
	}
	store := filepath.Join(root, ".cache")
	env := []string{"KMX_CACHE=" + store, "KMX_LOG=plain", "CCACHE_DIR=" + filepath.Join(root, ".ccache")}
	plan := &contender{name: "kmx plan", dir: root, env: env, argv: []string{d.Fast(), "plan", "-commands"}}
	out, err := plan.command().Output()
	if err != nil {
		return fmt.Errorf("kmx plan -commands: %w", err)
	}
	var commands []compile
	for line := range strings.Lines(string(out)) {
		c, ok := parseCommand(strings.TrimSpace(line))
		if !ok {
			return fmt.Errorf("kmx plan -commands: no output in %q", line)
		}
		commands = append(commands, c)
	}
	remove := func(names ...string) func() error {
		return func() error {
			for _, name := range names {
				if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
					return err
				}
			}
			return os.MkdirAll(filepath.Join(root, "dist/plan"), 0o755)
		}
	}
	jobs := fmt.Sprintf("-j%d", runtime.NumCPU())
	kmx := []string{d.Fast(), "release"}
	cold := []*contender{{name: "kmx", dir: root, env: env, argv: kmx, before: remove("dist", ".cache/cas", ".cache/act")}}
	var restore []*contender
	if _, err := exec.LookPath("ninja"); err == nil {
		if err := writeCommands(root, commands); err != nil {
			return err
		}
		cold = append(cold, &contender{name: "ninja", dir: root, argv: []string{"ninja", "-f", "plain.ninja", jobs}, before: remove("dist")})
		if _, err := exec.LookPath("ccache"); err == nil {
			argv := []string{"ninja", "-f", "ccache.ninja", jobs}
			cold = append(cold, &contender{name: "ninja and ccache", dir: root, env: env, argv: argv, before: remove("dist", ".ccache")})
			restore = append(restore, &contender{name: "ninja and ccache", dir: root, env: env, argv: argv, before: remove("dist")})
		}
	}
	if _, err := exec.LookPath("make"); err == nil {
		cold = append(cold, &contender{name: "make", dir: root, argv: []string{"make", "-rR", "-f", "plain.make", jobs}, before: remove("dist")})
	}
	restore = append(restore, &contender{name: "kmx", dir: root, env: env, argv: kmx, before: remove("dist")})

	// The first build is not counted: it leaves the durations and the digest of
	// the compiler, which a cold build is free to know, and warms the page cache
	// for all.
	if _, err := cold[0].run(); err != nil {
		return err
	}
	var spans []float64
	first := cold[0].before
	cold[0].before = func() error {
		if span, err := makespan(store); err == nil {
			spans = append(spans, span)
		}
		return first()
	}
	turns, err := race(cold, rounds)
	if err != nil {
		return err
	}
	span, err := makespan(store)
	if err != nil {
		return err
	}
	spans = append(spans[1:], span) // without that of the first build
	n := len(commands)
	table := func(what string, all []*contender, turns map[string][]turn, rounds int) {
		fmt.Printf("%s, %d cells, %d commands, %s, medians of %d rounds\n\n", what, kernels*setsOfAll, n, jobs, rounds)
		fmt.Println("| tool | wall s | CPU s | ms a cell, wall | kmx / it, wall | kmx / it, CPU |")
		fmt.Println("|---|---|---|---|---|---|")
		for _, c := range all {
			mine, its := turns["kmx"], turns[c.name]
			fmt.Printf("| %s | %.3f | %.3f | %.2f | %.3f | %.3f |\n", c.name, typical(its, wall), typical(its, cpu),
				1e3*typical(its, wall)/float64(kernels*setsOfAll), ratio(mine, its, wall), ratio(mine, its, cpu))
		}
		fmt.Println()
	}
	table("cold", cold, turns, rounds)
	fmt.Printf("makespan: %.3f x max(longest, sum / jobs), median of %d builds with known durations\n\n", median(spans), len(spans))

	for _, c := range restore { // fill what the last contender may have emptied
		if _, err := c.run(); err != nil {
			return err
		}
	}
	rounds = max(rounds, 5)
	if turns, err = race(restore, rounds); err != nil {
		return err
	}
	table("restore from the cache", restore, turns, rounds)
	return nil
}

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

// makespan is the wall time of the last build in the event log over what no
// order of its actions could beat: the longest of them, or all of them spread
// evenly over the jobs.
func makespan(store string) (float64, error) {
	logs, err := filepath.Glob(filepath.Join(store, "state", "*", "log", "*.jsonl"))
	if err != nil || len(logs) == 0 {
		return 0, fmt.Errorf("no event log in %s (%v)", store, err)
	}
	f, err := os.Open(logs[len(logs)-1]) // names are times
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var longest, sum, whole time.Duration
	jobs := 1
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Kind   string
			State  string
			Cached bool
			Wall   time.Duration
			Jobs   int
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return 0, err
		}
		switch {
		case e.Kind == "build-started":
			jobs = max(1, e.Jobs)
		case e.Kind == "build-finished":
			whole = e.Wall
		case e.State == "done" && !e.Cached:
			sum += e.Wall
			longest = max(longest, e.Wall)
		}
	}
	least := max(longest, sum/time.Duration(jobs))
	if least == 0 || whole == 0 {
		return 0, fmt.Errorf("%s tells of no action", f.Name())
	}
	return whole.Seconds() / least.Seconds(), lines.Err()
}
