// kmx-bench measures kmx against ninja, make and ccache on this machine, whole
// processes in turn (A B C A B C ...), and prints the medians of the ratios of
// the rounds: other work on the machine hits all of them alike. Absolute times
// are context only. At the end stands every number that kmx is to reach, with
// what was measured.
//
// "No-op" is a project of N cells (kernels x 16 sets, as in the real matrix)
// in which nothing has changed. Objects and the tools' memories of having made
// them are synthesised: compiling 100,000 of them would take hours. Each tool
// has to say that there is nothing to do before it is timed.
//
// Everything else compiles for real: tiny kernels, and the kernels of this
// repository. Last, a library of 100 MB is gone through: extracting its modules,
// parsing them, editing its texture kernels.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"kmx/door"
)

// options are what the bench takes from its command line.
type options struct {
	cells   string
	rounds  int // of each no-op
	cold    int // rounds of cold builds
	kernels int // of the small cold builds
	large   int // cells of the large cold build
	quick   bool
	// selectors name the cells of this repository that are built cold.
	selectors string
	// folded names those that are built cold with folding; "": the release.
	folded string
	parts  string // which of the parts, comma-separated
}

type part struct {
	name string
	of   func(*bench) error
}

// parts in the order in which they are measured.
var parts = []part{{"noop", (*bench).noops}, {"makespan", (*bench).makespans}, {"tiny", (*bench).tiny}, {"own", (*bench).own}, {"ptx", (*bench).ptx}, {"folded", (*bench).foldedBuild}}

func main() {
	var o options
	flag.StringVar(&o.cells, "cells", "1000,10000,100000", "sizes of the no-op projects")
	flag.IntVar(&o.rounds, "rounds", 11, "rounds of each no-op")
	flag.IntVar(&o.cold, "cold", 3, "rounds of cold builds, with real compilers")
	flag.IntVar(&o.kernels, "kernels", 2, "kernels of the cold builds, 16 cells each")
	flag.IntVar(&o.large, "large", 1000, "cells of one more cold build; 0 for none")
	flag.StringVar(&o.selectors, "own", "*@gfx1201", "selectors of the cells of this repository that are built cold; none: all")
	flag.StringVar(&o.folded, "folded", "", "selectors of the cells that the part folded builds; none: the release")
	flag.StringVar(&o.parts, "parts", "noop,makespan,tiny,own,ptx", "what is measured; folded, the whole matrix, is asked for by name")
	flag.BoolVar(&o.quick, "quick", false, "little of everything: whether it runs, not how fast")
	stage := flag.String(stageFlag, "", "go through the library given up to this stage and print what was seen: what the part ptx measures")
	flag.Parse()
	if *stage != "" {
		if !slices.Contains(stages, *stage) || flag.NArg() != 1 {
			fmt.Fprintf(os.Stderr, "Error: -%s takes one of %s, and a library after it\n", stageFlag, strings.Join(stages, ", "))
			os.Exit(2)
		}
		if err := goThrough(*stage, flag.Arg(0), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "Error:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

// bench is one run of all measurements.
type bench struct {
	options
	door  door.Door
	root  string // of the checkout
	work  string // everything measured lies here
	empty string // the program that does nothing
	sizes []int  // of noops
	goals goals
}

func run(o options) error {
	if o.quick {
		o.cells, o.rounds, o.cold, o.kernels, o.large = "1000", 3, min(o.cold, 1), 1, 0
	}
	var sizes []int
	for _, s := range strings.Split(o.cells, ",") {
		if s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < setsOfAll || n > 1_000_000 {
			return fmt.Errorf("-cells=%s: %q is no number between %d and 1000000", o.cells, s, setsOfAll)
		}
		sizes = append(sizes, n)
	}
	for _, name := range strings.Split(o.parts, ",") {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return fmt.Errorf("-parts=%s: there is no part %q", o.parts, name)
		}
	}
	if o.rounds < 1 || o.cold < 1 || o.kernels < 1 || o.large < 0 {
		return fmt.Errorf("-rounds, -cold and -kernels begin at 1, -large at 0")
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	b := &bench{options: o, sizes: sizes, door: door.Of(root), root: root}
	if !b.door.HasSources() {
		return fmt.Errorf("%s is not a checkout of kmx", root)
	}
	if _, err := b.door.Compile(context.Background(), os.Stderr); err != nil {
		return fmt.Errorf("compile the front door: %w", err)
	}
	work, err := os.MkdirTemp("", "kmx-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if b.work, err = filepath.EvalSymlinks(work); err != nil {
		return err
	}
	if b.empty, err = emptyProgram(b.work); err != nil {
		return err
	}
	begin := time.Now()
	fmt.Printf("%s\n\n", machine())
	var failed []error
	for _, part := range parts {
		if !slices.Contains(strings.Split(o.parts, ","), part.name) {
			continue
		}
		if err := part.of(b); err != nil { // the others can be measured all the same
			failed = append(failed, fmt.Errorf("%s: %w", part.name, err))
			fmt.Printf("%v\n\n", failed[len(failed)-1])
		}
	}
	b.goals.print(os.Stdout)
	fmt.Printf("\n%s, after %s\n", machine(), time.Since(begin).Round(time.Second))
	return errors.Join(failed...)
}

// noops measures "nothing to do" in all sizes.
func (b *bench) noops() error {
	for _, n := range b.sizes {
		if err := b.noop(n); err != nil {
			return fmt.Errorf("%d cells: %w", n, err)
		}
	}
	return nil
}

// emptyProgram compiles the Go program that does nothing: the floor of every
// front door in Go.
func emptyProgram(work string) (string, error) {
	source, program := filepath.Join(work, "empty.go"), filepath.Join(work, "empty")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}

// machine describes where and with what this runs.
func machine() string {
	cpu := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				cpu = strings.TrimSpace(value)
				break
			}
		}
	}
	parts := []string{
		time.Now().UTC().Format("2006-01-02"), fmt.Sprintf("%d x %s", runtime.NumCPU(), cpu),
		runtime.GOOS, runtime.Version(),
	}
	for _, tool := range []string{"ninja", "make", "ccache"} {
		if out, err := exec.Command(tool, "--version").Output(); err == nil {
			line, _, _ := strings.Cut(string(out), "\n")
			parts = append(parts, tool+" "+line[strings.LastIndexByte(line, ' ')+1:])
		}
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		parts = append(parts, "load "+strings.Fields(string(load))[0])
	}
	return strings.Join(parts, ", ")
}
