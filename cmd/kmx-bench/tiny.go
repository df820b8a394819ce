package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// tiny measures what needs compilers and has kernels as small as can be, so that
// everything but compiling counts: cold builds, headers that change without
// changing anything, and restoring from the cache.
func (b *bench) tiny() error {
	small, err := b.project("tiny", b.kernels)
	if err != nil {
		return err
	}
	turns, found, err := b.coldBuilds(small, "tiny kernels", b.cold, true, false)
	if err != nil {
		return err
	}
	b.coldGoals(fmt.Sprintf("%d tiny kernels", len(small.commands)), 0.80, false, turns, found)
	edited, large := small, (*tree)(nil)
	if b.large > 0 {
		kernels := (b.large + setsOfAll - 1) / setsOfAll
		if large, err = b.project("large", kernels); err != nil {
			return err
		}
		if err := copyFile(filepath.Join(small.store, "memo"), filepath.Join(large.store, "memo")); err != nil {
			return err
		}
		turns, found, err := b.coldBuilds(large, "tiny kernels, many", 1, false, true)
		if err != nil {
			return err
		}
		b.coldGoals(fmt.Sprintf("%d tiny kernels", len(large.commands)), 0.80, true, turns, found)
		edited = large
	}
	if err := b.restore(small, large); err != nil {
		return err
	}
	return b.idle(edited)
}

// project writes a project of some tiny kernels.
func (b *bench) project(name string, kernels int) (*tree, error) {
	root := filepath.Join(b.work, name)
	if err := writeProject(root, kernels); err != nil {
		return nil, err
	}
	return newTree(root, filepath.Join(b.work, name+"-cache"), b.door, "")
}

// restore measures the way back from the cache, of all objects at once, and of
// one: by how much more many take than few. ccache's part is that of ninja
// calling it and finding everything.
func (b *bench) restore(small, large *tree) error {
	rounds := max(b.cold, 5)
	if b.quick {
		rounds = 2
	}
	kmx := small.kmx("kmx", "release")
	kmx.before = small.remove("dist")
	all := []*contender{kmx}
	cached := small.peer("ninja and ccache", "ninja", "-f", "ccache.ninja", jobs())
	few := len(small.commands) / 4
	if cached != nil {
		cached.before = small.remove("dist", ".ninja-ccache")
		part := *cached
		part.name = "ninja and ccache, a few"
		for _, c := range small.commands[:few] {
			part.argv = append(part.argv[:len(part.argv):len(part.argv)], c.output)
		}
		all = append(all, cached, &part)
	}
	if large != nil {
		many := large.kmx("kmx, many", "release")
		many.before = large.remove("dist")
		all = append(all, many)
	}
	for _, c := range all { // fill what the last contender may have emptied
		if _, err := c.run(); err != nil {
			return err
		}
	}
	turns, err := race(all, rounds)
	if err != nil {
		return err
	}
	b.table("restore from the cache", small, all[:min(2, len(all))], turns)
	if cached == nil || large == nil {
		return nil
	}
	each := func(many, few []turn, n int, of func(turn) float64) []float64 {
		var v []float64
		for i := range many {
			v = append(v, (of(many[i])-of(few[i]))/float64(n))
		}
		return v
	}
	objects := len(large.commands) - len(small.commands)
	mine := each(turns["kmx, many"], turns["kmx"], objects, wall)
	its := each(turns["ninja and ccache"], turns["ninja and ccache, a few"], len(small.commands)-few, wall)
	whole := typical(turns["kmx, many"], wall) / float64(len(large.commands))
	fmt.Printf("an object, %d of %d against %d: kmx %.3f ms, as a share of the whole release %.3f ms; ninja and ccache %.3f ms, %d against %d\n\n",
		len(large.commands), len(large.commands), len(small.commands), 1e3*median(mine), 1e3*whole, 1e3*median(its), len(small.commands), few)
	b.goals.ratio("restore of one object / a ccache direct hit, each as the slope over many", 1.0/50, median(mine)/median(its))
	b.goals.ratio(fmt.Sprintf("restore of %d objects, the whole release, an object / a ccache direct hit", len(large.commands)), 1.0/50, whole/median(its))
	return nil
}

// idle measures releases in which nothing has to be compiled although a header
// that all kernels read is new: with the same bytes, and with another comment.
func (b *bench) idle(t *tree) error {
	kmx := t.kmx("kmx", "release")
	if _, err := kmx.run(); err != nil {
		return err
	}
	time.Sleep(2100 * time.Millisecond) // what is younger is not trusted
	if _, err := kmx.run(); err != nil {
		return err
	}
	name := filepath.Join(t.root, header(0))
	original, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	rounds := max(b.cold, 3)
	if b.quick {
		rounds = 1
	}
	still := t.kmx("nothing", "release")
	touched, commented := t.kmx("touched", "release"), t.kmx("commented", "release")
	ran := 0
	for _, c := range []struct {
		*contender
		text func(n int) []byte
	}{
		{touched, func(int) []byte { return original }},
		{commented, func(n int) []byte { return fmt.Appendf(bytes.Clone(original), "// comment %d\n", n) }},
	} {
		n := 0
		c.before = func() error {
			n++
			return os.WriteFile(name, c.text(n), 0o644)
		}
		c.after = func(turn) error {
			told, err := lastBuild(t.store)
			ran += told.ran
			return err
		}
	}
	touched.settle, commented.settle = 2100*time.Millisecond, 2100*time.Millisecond
	still.before = func() error { _, err := kmx.run(); return err }
	turns, err := race([]*contender{still, touched, commented}, rounds)
	if err != nil {
		return err
	}
	fmt.Printf("a header that all %d commands read, medians of %d rounds: with the same bytes %.0f ms, another comment %.0f ms, nothing at all %.0f ms; ",
		len(t.commands), rounds, 1e3*typical(turns["touched"], wall), 1e3*typical(turns["commented"], wall), 1e3*typical(turns["nothing"], wall))
	fmt.Printf("compilers run: %d\n\n", ran)
	b.goals.count("compilers run after a common header was touched, or edited in comments", 0, ran)
	return nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	return err
}
