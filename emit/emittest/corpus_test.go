package emittest_test

import (
	"testing"

	"kmx/cuda/ptx"
	"kmx/emit/emittest"
)

const (
	corpus = "../testdata/ptx"
	tier5  = "../testdata/tier5"
)

func TestHeaders(t *testing.T) {
	cases, err := emittest.Read(corpus)
	if err != nil {
		t.Fatal(err)
	}
	tiers := map[int]int{}
	for _, c := range cases {
		tiers[c.Tier]++
	}
	t.Log(len(cases), tiers)
	for tier := range 5 {
		if tiers[tier] < 15 {
			t.Errorf("tier %d has %d kernels", tier, tiers[tier])
		}
	}
}

func TestFilesParse(t *testing.T) {
	cases, err := emittest.Read(corpus)
	if err != nil {
		t.Fatal(err)
	}
	more, err := emittest.Read(tier5)
	if err != nil {
		t.Fatal(err)
	}
	cases = append(cases, more...)
	for _, c := range cases {
		m, err := ptx.Parse(c.File, c.Text)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		f := m.Function(c.Name)
		if f == nil || !f.Entry {
			t.Errorf("%s: no entry of that name", c.File)
			continue
		}
		args := c.Arguments(func(int) uint64 { return 0 })
		if len(args) != len(f.Params) {
			t.Errorf("%s: the header has %d parameters, the kernel %d", c.File, len(args), len(f.Params))
			continue
		}
		for i, p := range f.Params {
			if p.Size != len(args[i]) {
				t.Errorf("%s: parameter %s has %d bytes in the header, %d in the kernel", c.File, p.Name, len(args[i]), p.Size)
			}
		}
	}
}

func TestVectorsAreComplete(t *testing.T) {
	var cases []emittest.Case
	for _, read := range []func() ([]emittest.Case, error){
		func() ([]emittest.Case, error) { return emittest.Cases(corpus) },
		func() ([]emittest.Case, error) { return emittest.Cases(tier5) },
		func() ([]emittest.Case, error) { return emittest.StandinCases("../testdata/standin") },
	} {
		more, err := read()
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, more...)
	}
	if len(cases) < 261+8+44 {
		t.Errorf("%d cases", len(cases))
	}
	for _, c := range cases {
		for i, p := range c.Params {
			if p.Out != (c.Want[i] != nil) || p.Out && len(c.Want[i]) != p.Size() {
				t.Errorf("%s: %s has a vector of %d bytes", c.Name, p.Name, len(c.Want[i]))
			}
			// What counts how many pixels shine stays 0 where none does.
			if p.Out && p.Name != "bright" && string(c.Want[i]) == string(c.Start(i)) {
				t.Errorf("%s: the GPU left %s as it was: the kernel shows nothing", c.Name, p.Name)
			}
		}
	}
}
