package main

import (
	"fmt"
	"slices"
	"testing"
)

// TestDraws holds that draws of the real sources follow from the seed, that each
// site stands in them once, and that a beginning is spread evenly.
func TestDraws(t *testing.T) {
	ks, err := kernels("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(ks) != 16 {
		t.Fatalf("%d kernels", len(ks))
	}
	all, err := catalogue("../..", ks)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := draws(1, ks, all), draws(1, ks, all), draws(2, ks, all)
	id := func(d draw) string { return fmt.Sprint(d.File, d.change, d.Operator, d.kernel) }
	same := func(x, y draw) bool { return id(x) == id(y) }
	if !slices.EqualFunc(a, b, same) || slices.EqualFunc(a[:100], c[:100], same) {
		t.Error("the seed does not decide")
	}
	seen := map[string]bool{}
	for _, d := range a {
		key := fmt.Sprint(d.File, d.change, d.Operator)
		if seen[key] {
			t.Errorf("%s:%d, %s stands there twice", d.File, d.Line, d.Operator)
		}
		seen[key] = true
		if !slices.Contains(ks[d.kernel].files, d.File) {
			t.Errorf("%s does not take in %s", ks[d.kernel].layer.Name, d.File)
		}
	}
	ofKernel, ofOperator, ofFile := map[int]int{}, map[string]int{}, map[string]int{}
	for _, d := range a[:480] {
		ofKernel[d.kernel]++
		ofOperator[d.Operator]++
		ofFile[d.File]++
	}
	for i, k := range ks {
		if ofKernel[i] != 30 {
			t.Errorf("%d of 480 are for %s", ofKernel[i], k.layer.Name)
		}
	}
	for _, op := range operators() {
		if ofOperator[op.name] < 5 {
			t.Errorf("%d of 480 are %q", ofOperator[op.name], op.name)
		}
	}
	for f := range all {
		if ofFile[f] < min(2, len(all[f])) {
			t.Errorf("%d of 480 are in %s", ofFile[f], f)
		}
	}
}

func TestClosure(t *testing.T) {
	ks, err := kernels("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range ks {
		if k.layer.Tube != slices.Contains(k.files, "kernels/m/flags.h") || !slices.Contains(k.files, "kernels/common/wmma.h") || !slices.Contains(k.files, k.cells[0].Source) {
			t.Errorf("%s: %v", k.layer.Name, k.files)
		}
		for _, other := range []string{"kernels/m/", "kernels/k/"} {
			if mine := "kernels/" + k.layer.Family.String() + "/"; other != mine && slices.ContainsFunc(k.files, func(f string) bool { return f[:len(other)] == other }) {
				t.Errorf("%s takes in files of the other family: %v", k.layer.Name, k.files)
			}
		}
	}
}

// TestKnownReasons holds that reasons are about mutants that there are.
func TestKnownReasons(t *testing.T) {
	why, err := readReasons("")
	if err != nil {
		t.Fatal(err)
	}
	ks, err := kernels("../..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := catalogue("../..", ks)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range all {
		for _, s := range list {
			delete(why, s.ID())
		}
	}
	for id, reason := range why {
		t.Errorf("no mutant has the ID %s: %s", id, reason)
	}
}
