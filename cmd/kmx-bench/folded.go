package main

import (
	"fmt"
	"path/filepath"

	"kmx/door"
)

// foldedBuild measures a cold build that compiles one of each group of cells
// with proven equal objects and derives the others, against ninja running every
// command once. The proofs are those of the checkout; with a compiler that they
// are not about there is nothing to measure.
func (b *bench) foldedBuild() error {
	root := filepath.Join(b.work, "folded")
	if err := b.copyCheckout(root); err != nil {
		return err
	}
	d := door.Of(root)
	if err := compileDoor(d, root); err != nil {
		return err
	}
	t, err := newTree(root, filepath.Join(b.work, "folded-cache"), d, b.folded)
	if err != nil {
		return err
	}
	compiled := 0
	kmx := t.kmx("kmx", append(t.build, "-fold")...)
	kmx.before = t.forget()
	kmx.after = func(turn) error {
		told, err := lastBuild(t.store)
		if err == nil && told.processes >= len(t.commands) {
			err = fmt.Errorf("%d processes ran for %d commands, so nothing was folded: mage fold:prove proves it for this compiler", told.processes, len(t.commands))
		}
		compiled = told.processes
		return err
	}
	if _, err := kmx.run(); err != nil { // leaves what a cold build is free to know
		return err
	}
	all := []*contender{kmx}
	if ninja := t.peer("ninja", "ninja", "-f", "plain.ninja", jobs()); ninja != nil {
		ninja.before = t.remove("dist", ".ninja_log", ".ninja_deps")
		all = append(all, ninja)
	}
	turns, err := race(all, b.cold)
	if err != nil {
		return err
	}
	what := "whole matrix, with proven folding"
	if b.folded != "" {
		what = b.folded + ", with proven folding"
	}
	b.table("cold, "+what, t, all, turns)
	fmt.Printf("compiled: %d of %d, with the sample that is compared\n\n", compiled, len(t.commands))
	if ninja, ok := turns["ninja"]; ok {
		b.goals.ratio("cold, "+what+": wall / ninja "+jobs(), 0.75, ratio(turns["kmx"], ninja, wall))
	}
	return nil
}
