// kmx-bench measures kmx against ninja, make and ccache on this machine, whole
// processes in turn (A B C A B C ...), and prints the medians of the ratios of
// the rounds: other work on the machine hits all of them alike. Absolute times
// are context only.
//
// "No-op" is a project of N cells (kernels x 16 sets, as in the real matrix)
// in which nothing has changed. Objects and the tools' memories of having made
// them are synthesised: compiling 100,000 of them would take hours. Each tool
// has to say that there is nothing to do before it is timed.
//
// "Cold", "restore" and "makespan" compile for real, a few tiny kernels.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"kmx/door"
)

func main() {
	cells := flag.String("cells", "1000,10000,100000", "sizes of the no-op projects")
	rounds := flag.Int("rounds", 11, "rounds of each no-op")
	cold := flag.Int("cold", 2, "rounds of cold builds, with real compilers; 0 for none")
	kernels := flag.Int("kernels", 2, "kernels of the cold builds, 16 cells each")
	flag.Parse()
	if err := bench(*cells, *rounds, *cold, *kernels); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func bench(cells string, rounds, cold, kernels int) error {
	var sizes []int
	for _, s := range strings.Split(cells, ",") {
		if s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < setsOfAll || n > 1_000_000 {
			return fmt.Errorf("-cells=%s: %q is no number between %d and 1000000", cells, s, setsOfAll)
		}
		sizes = append(sizes, n)
	}
	if rounds < 1 || cold < 0 || kernels < 1 {
		return fmt.Errorf("-rounds and -kernels begin at 1, -cold at 0")
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	d := door.Of(root)
	if !d.HasSources() {
		return fmt.Errorf("%s is not a checkout of kmx", root)
	}
	if _, err := d.Compile(context.Background(), os.Stderr); err != nil {
		return fmt.Errorf("compile the front door: %w", err)
	}
	work, err := os.MkdirTemp("", "kmx-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	empty, err := emptyProgram(work)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n\n", machine())
	for _, n := range sizes {
		if err := noop(d, empty, filepath.Join(work, fmt.Sprint("noop", n)), n, rounds); err != nil {
			return fmt.Errorf("no-op of %d cells: %w", n, err)
		}
	}
	if cold > 0 {
		if err := compiles(d, filepath.Join(work, "cold"), kernels, cold); err != nil {
			return fmt.Errorf("cold: %w", err)
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
