//go:build unix

package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"kmx/cache"
)

// The benchmarks give the cost of one action: started by hand, built, and found in the cache. The action has ten inputs,
// as a kernel has, a depfile, and one output of 16 KiB, made by a small process.

const benchHeaders = 9

func benchGraph(b *testing.B) (*Graph, Options) {
	dir := b.TempDir()
	c, err := cache.Open(filepath.Join(dir, "cache"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	put := func(name string, size int) Input {
		data := make([]byte, size)
		copy(data, name)
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o777)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			b.Fatal(err)
		}
		return Input{Path: name, Digest: cache.Sum(data)}
	}
	inputs := []Input{put("kernels/k/a.hip", 16<<10)}
	for i := range benchHeaders {
		inputs = append(inputs, put(fmt.Sprintf("kernels/common/h%d.h", i), 4<<10))
	}
	g := &Graph{}
	for i := range b.N {
		g.Nodes = append(g.Nodes, &Node{Label: fmt.Sprint("k/a", i), Action: Action{
			Kind: "bench", Tool: "cp", Args: []string{"kernels/k/a.hip", "out.hsaco"}, Env: []EnvVar{{"N", fmt.Sprint(i)}},
			Inputs: inputs, Outputs: []string{"out.hsaco"},
		}})
	}
	return g, Options{Cache: c, Root: dir, Jobs: 1, Tools: map[string]Tool{"cp": {Path: "/bin/cp"}}}
}

// cpu reports the processor time of this process and of its children, which a busy machine disturbs less than wall time.
func cpu(b *testing.B) (report func()) {
	used := func(who int) float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano() + u.Stime.Nano())
	}
	own, children := used(syscall.RUSAGE_SELF), used(syscall.RUSAGE_CHILDREN)
	return func() {
		b.ReportMetric((used(syscall.RUSAGE_SELF)-own)/float64(b.N), "own-cpu-ns/op")
		b.ReportMetric((used(syscall.RUSAGE_CHILDREN)-children)/float64(b.N), "children-cpu-ns/op")
	}
}

func BenchmarkBareProcess(b *testing.B) {
	_, o := benchGraph(b)
	defer cpu(b)()
	for i := range b.N {
		cmd := exec.Command("/bin/cp", "kernels/k/a.hip", fmt.Sprint("out", i))
		cmd.Dir = o.Root
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBuilt(b *testing.B) {
	g, o := benchGraph(b)
	b.ResetTimer()
	defer cpu(b)()
	if _, err := Run(b.Context(), g, o); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkFound(b *testing.B) {
	g, o := benchGraph(b)
	if _, err := Run(b.Context(), g, o); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	defer cpu(b)()
	if _, err := Run(b.Context(), g, o); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkKey(b *testing.B) {
	g, _ := benchGraph(b)
	a := &g.Nodes[0].Action
	for b.Loop() {
		a.Key()
	}
}
