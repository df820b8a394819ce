package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"kmx/cache"
	"kmx/door"
	"kmx/toolchains"
)

// noopGoals are what "nothing to do" may take of ninja's, with static
// dependencies, and of memory over the empty program; 0: no number is set.
var noopGoals = map[int]struct{ wall, cpu, megabytes float64 }{
	1000: {1, 1, 15}, 10000: {0.35, 0.5, 0}, 100000: {0.25, 0.4, 60},
}

// noop measures one size of "nothing to do".
func (b *bench) noop(cells int) error {
	d, empty, rounds := b.door, b.empty, b.rounds
	root := filepath.Join(b.work, fmt.Sprint("noop", cells))
	if cells > 50_000 {
		rounds = (rounds + 1) / 2
	}
	kernels := (cells + setsOfAll - 1) / setsOfAll
	if err := writeProject(root, kernels); err != nil {
		return err
	}
	if err := writeRelease(root, kernels); err != nil {
		return err
	}
	defer os.RemoveAll(root)
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	all := []*contender{{name: "kmx", dir: root, argv: []string{d.Fast(), "release"}, env: []string{"KMX_CACHE=" + filepath.Join(root, ".cache")}}}
	if err := remember(d, root, kernels); err != nil {
		return err
	}
	if _, err := exec.LookPath("ninja"); err == nil {
		for _, deps := range []bool{false, true} {
			file, err := writeNinja(root, kernels, deps)
			if err != nil {
				return err
			}
			name := "ninja, static deps"
			if deps {
				name = "ninja, deps=gcc"
			}
			all = append(all, &contender{name: name, dir: root, argv: []string{"ninja", "-f", file}})
		}
	}
	if _, err := exec.LookPath("make"); err == nil {
		if err := writeMake(root, kernels); err != nil {
			return err
		}
		all = append(all, &contender{name: "make -rR", dir: root, argv: []string{"make", "-rR"}})
	}
	all = append(all, &contender{name: "empty Go program", dir: root, argv: []string{empty}})
	for _, c := range all {
		if err := c.saysNothingToDo(); err != nil {
			return err
		}
	}
	turns, err := race(all, rounds)
	if err != nil {
		return err
	}
	fmt.Printf("no-op, %d cells, medians of %d rounds\n\n", kernels*setsOfAll, rounds)
	fmt.Println("| tool | wall ms | CPU ms | kmx / it, wall | kmx / it, CPU | peak MB | over the empty program |")
	fmt.Println("|---|---|---|---|---|---|---|")
	floor, err := all[len(all)-1].peak()
	if err != nil {
		return err
	}
	peaks := map[string]int64{}
	for _, c := range all {
		peak, err := c.peak()
		if err != nil {
			return err
		}
		peaks[c.name] = peak
		mine, its := turns["kmx"], turns[c.name]
		fmt.Printf("| %s | %.1f | %.1f | %.2f | %.2f | %.1f | %.1f |\n", c.name, 1e3*typical(its, wall), 1e3*typical(its, cpu),
			ratio(mine, its, wall), ratio(mine, its, cpu), float64(peak)/1e6, float64(peak-floor)/1e6)
	}
	fmt.Println()
	want := noopGoals[cells]
	static, known := turns["ninja, static deps"]
	what := fmt.Sprintf("no-op of %d cells", cells)
	if known && want.wall > 0 {
		b.goals.ratio(what+", wall / ninja, static deps", want.wall, ratio(turns["kmx"], static, wall))
		b.goals.ratio(what+", CPU / ninja, static deps", want.cpu, ratio(turns["kmx"], static, cpu))
	}
	if want.megabytes > 0 {
		b.goals.megabytes(what+", peak memory over an empty Go program", want.megabytes, float64(peaks["kmx"]-floor)/1e6)
	}
	return nil
}

const answer = "bench-1.0: nothing to do\n"

// saysNothingToDo makes sure that what is measured is what is meant.
func (c *contender) saysNothingToDo() error {
	out, err := c.command().CombinedOutput()
	said := string(out)
	switch {
	case err != nil:
	case len(said) == 0 && strings.HasPrefix(c.name, "empty"):
		return nil
	case strings.Contains(strings.ToLower(said), "nothing to ") || strings.Contains(said, "no work to do"):
		return nil
	}
	return fmt.Errorf("%s does not find that there is nothing to do (%v):\n%.2000s", c.name, err, said)
}

// remember writes the snapshot that a release of the project would have left:
// the stats of the program, the matrix, every source, every place where a header
// was looked for, every file of the toolchain with what the search for it saw,
// the environment, and every file and folder of the release.
func remember(d door.Door, root string, kernels int) error {
	time.Sleep(2100 * time.Millisecond) // what is younger is not trusted
	s := cache.NewSnapshot()
	s.AddFile(d.Main())
	s.AddFile(filepath.Join(root, "matrix.hcl"))
	s.AddAbsent(filepath.Join(root, "matrix.lock.hcl"))
	for k := range kernels {
		s.AddFile(filepath.Join(root, source(k)))
	}
	for i := range headers {
		s.AddFile(filepath.Join(root, header(i)))
		s.AddAbsent(filepath.Join(root, filepath.Dir(source(0)), filepath.Base(header(i))))
	}
	tc, err := toolchains.Find(context.Background(), toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, nil)
	if err != nil {
		return err
	}
	for _, f := range tc.Files {
		s.AddFile(f.Path)
	}
	for _, path := range tc.Seen.Present {
		s.AddDir(path)
	}
	for _, path := range tc.Seen.Absent {
		s.AddAbsent(path)
	}
	for _, name := range append(toolchains.Environment(), "KMX_LOCKED") {
		s.AddEnv(name)
	}
	err = filepath.WalkDir(filepath.Join(root, releaseDir), func(path string, _ fs.DirEntry, err error) error {
		s.AddOutput(path)
		return err
	})
	if err != nil {
		return err
	}
	s.SetAnswer([]byte(answer))
	// The snapshot is found by the cache and the working directory of its reader.
	defer os.Setenv("KMX_CACHE", os.Getenv("KMX_CACHE"))
	if err := os.Setenv("KMX_CACHE", filepath.Join(root, ".cache")); err != nil {
		return err
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	defer os.Chdir(wd)
	if err := os.Chdir(root); err != nil {
		return err
	}
	name, err := cache.SnapshotPath(root, d.Main(), "release", "")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return s.Save(name)
}
