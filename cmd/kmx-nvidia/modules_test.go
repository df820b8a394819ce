//go:build linux

package main

import (
	"testing"
)

func TestLibraryIsEdited(t *testing.T) {
	b := &batch{}
	modules, variants, err := b.library()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range b.Parts {
		for _, f := range p.Failures {
			t.Errorf("%s: %s", f.Name, f.Why)
		}
	}
	t.Log(len(modules), len(variants))
	size := 0
	for _, v := range variants {
		text, err := alone(v.edited, v.kernel.Name)
		if err != nil {
			t.Error(err)
		}
		size += len(text)
	}
	t.Log(size)
	for _, m := range modules {
		t.Log(m.Name, m.Target, len(m.Text), len(m.Entries))
	}
}
