package ci

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestAgree(t *testing.T) {
	p := planned()
	open := func(shard int, change func(*Bundle)) *Bundle {
		b, err := OpenBundle(write(t, fmt.Sprintf("shard-%d.kmxb", shard), sample(t, p, shard)))
		if err != nil {
			t.Fatal(err)
		}
		change(b)
		return b
	}
	as := func(*Bundle) {}
	for _, c := range []struct {
		name    string
		bundles []*Bundle
		want    []string
	}{
		{"all", []*Bundle{open(1, as), open(2, as)}, nil},
		{"the same twice", []*Bundle{open(1, as), open(1, as), open(2, as)}, nil},
		{"one missing", []*Bundle{open(2, as)}, []string{"1 of 2 shards is missing: " + p.Name(0).String()}},
		{"none", nil, []string{"2 of 2 shards are missing"}},
		{"another compiler", []*Bundle{open(1, as), open(2, func(b *Bundle) {
			b.Identity.Toolchains[0].Core, b.Identity.Toolchains[0].Closure.Digest = sum("x"), sum("y")
		})}, []string{"shard " + p.Name(1).String() + " was built from something else than what is here"}},
		{"other sources, two of them", []*Bundle{open(1, func(b *Bundle) { b.Identity.Sources[0].Digest = sum("x") }), open(2, func(b *Bundle) { b.Identity.Sources[1].Digest = sum("x") })},
			[]string{"shard " + p.Name(0).String() + " was built", "shard " + p.Name(1).String() + " was built"}},
		{"another plan", []*Bundle{open(1, as), open(2, func(b *Bundle) { b.Plan = sum("x") })}, []string{"is of another plan than " + short(p.Digest)}},
		{"different bytes", []*Bundle{open(1, as), open(2, func(b *Bundle) {
			b.Records = append(b.Records, record("one1", []byte("other")))
		})}, []string{"one1: shards " + p.Name(0).String() + " and " + p.Name(1).String() + " made different bytes of one action"}},
	} {
		list := Agree(p, &p.Identity, c.bundles)
		if len(list) != len(c.want) {
			t.Errorf("%s: %v", c.name, list)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(list[i].Summary, want) {
				t.Errorf("%s: %q, want %q", c.name, list[i].Summary, want)
			}
		}
	}
}

func TestFindBundlesNamesAllThatAreBroken(t *testing.T) {
	data := sample(t, planned(), 1)
	good := write(t, "good.kmxb", data)
	short, odd := write(t, "short.kmxb", data[:len(data)/2]), write(t, "odd.kmxb", []byte("no bundle"))
	bundles, list := FindBundles([]string{good, short, odd, filepath.Join(t.TempDir(), "gone.kmxb")})
	if len(bundles) != 1 || len(list) != 3 {
		t.Fatalf("%d bundles, %v", len(bundles), list)
	}
	for i, want := range []string{"short.kmxb is no whole bundle", "odd.kmxb is no whole bundle", "gone.kmxb is no whole bundle"} {
		if !strings.Contains(list[i].Summary, want) {
			t.Errorf("%q", list[i].Summary)
		}
	}
}
