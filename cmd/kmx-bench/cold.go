package main

import (
	"fmt"
	"strings"
)

// coldest holds what cold builds tell besides times.
type coldest struct {
	spans, overheads []float64
}

// coldBuilds lets kmx and its peers build a tree from nothing. The first build of
// kmx is not counted: it leaves what a cold build is free to know and warms the
// page cache for all; without warm it does count. Where the tree is large there
// is one peer, ninja.
func (b *bench) coldBuilds(t *tree, what string, rounds int, warm, large bool) (map[string][]turn, coldest, error) {
	var found coldest
	kmx := t.kmx("kmx", t.build...)
	kmx.before = t.forget()
	if warm {
		if _, err := kmx.run(); err != nil {
			return nil, found, err
		}
	}
	kmx.after = func(took turn) error {
		told, err := lastBuild(t.store)
		if err == nil && told.ran != len(t.commands) {
			err = fmt.Errorf("a cold build ran %d actions of %d", told.ran, len(t.commands))
		}
		if err != nil {
			return err
		}
		found.spans = append(found.spans, told.makespan())
		found.overheads = append(found.overheads, (took.cpu-told.cpu).Seconds()/told.cpu.Seconds())
		return nil
	}
	all := []*contender{kmx}
	if ninja := t.peer("ninja", "ninja", "-f", "plain.ninja", jobs()); ninja != nil {
		ninja.before = t.remove("dist", ".ninja_log", ".ninja_deps")
		all = append(all, ninja)
	}
	if cached := t.peer("ninja and ccache", "ninja", "-f", "ccache.ninja", jobs()); cached != nil && !large {
		cached.before = t.remove("dist", ".ninja-ccache", t.store+"/ccache")
		all = append(all, cached)
	}
	if makes := t.peer("make", "make", "-rR", "-f", "plain.make", jobs()); makes != nil && !large {
		makes.before = t.remove("dist")
		all = append(all, makes)
	}
	turns, err := race(all, rounds)
	if err != nil {
		return nil, found, err
	}
	if selectors := t.build[1:]; len(selectors) > 0 {
		what += " (" + strings.Join(selectors, " ") + ")"
	}
	b.table("cold, "+what, t, all, turns)
	fmt.Printf("kmx's own processor time: %.2f %% of that of the compilers; makespan: %.3f x max(longest, sum / jobs)\n\n",
		100*median(found.overheads), median(found.spans))
	return turns, found, nil
}

// table prints what was measured of a tree.
func (b *bench) table(what string, t *tree, all []*contender, turns map[string][]turn) {
	fmt.Printf("%s, %d commands, %s, medians of %d rounds\n\n", what, len(t.commands), jobs(), len(turns["kmx"]))
	fmt.Println("| tool | wall s | CPU s | ms a command, wall | kmx / it, wall | kmx / it, CPU |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, c := range all {
		mine, its := turns["kmx"], turns[c.name]
		fmt.Printf("| %s | %.3f | %.3f | %.2f | %.3f | %.3f |\n", c.name, typical(its, wall), typical(its, cpu),
			1e3*typical(its, wall)/float64(len(t.commands)), ratio(mine, its, wall), ratio(mine, its, cpu))
	}
	fmt.Println()
}

// coldGoals holds cold builds against the numbers set for them. What kmx takes
// for a cell shows only where there are many: a release takes some time once.
func (b *bench) coldGoals(what string, most float64, wide bool, turns map[string][]turn, found coldest) {
	if ninja, ok := turns["ninja"]; ok {
		b.goals.ratio("cold, "+what+": wall / ninja "+jobs(), most, ratio(turns["kmx"], ninja, wall))
	}
	if wide {
		b.goals.ratio("cold, "+what+": own processor time / that of the compilers", 0.01, median(found.overheads))
	}
	b.goals.ratio("cold, "+what+": makespan / max(longest, sum/P)", 1.02, median(found.spans))
}
