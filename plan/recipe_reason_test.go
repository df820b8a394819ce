package plan

import (
	"slices"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/engine"
	"kmx/matrix"
	"kmx/toolchains"
)

// record is what an action that ran leaves behind.
func record(p *Plan, node int, outputs func(n *engine.Node) cache.Digest) (map[cache.Digest]*cache.Record, *cache.Record) {
	all := map[cache.Digest]*cache.Record{}
	find := func(key cache.Digest) *cache.Record { return all[key] }
	var last *cache.Record
	var run func(i int)
	run = func(i int) {
		n := p.Graph.Nodes[i]
		for _, need := range n.Needs {
			run(need.Node)
		}
		r := p.Graph.Resolve(i, find)
		last = &cache.Record{Key: r.Action.Key(), Fields: r.Fields, Outputs: []cache.Output{{Path: n.Action.Outputs[0], Digest: outputs(n)}}}
		all[last.Key] = last
	}
	run(node)
	return all, last
}

// Every change of what an object is made of has its reason.
func TestReasonsOfEmission(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(b *bench, c *matrix.Cell)
		want   string
	}{
		{"module", func(b *bench, _ *matrix.Cell) { b.library(module("post added")) }, "the library's module changed"},
		{"recipe", func(_ *bench, c *matrix.Cell) { c.Recipe = "dec0-head" }, "the recipe, or what it is told, changed"},
		{"counts", func(_ *bench, c *matrix.Cell) { c.Counts = []matrix.Define{{Name: "stores", Value: "4"}} }, "the recipe, or what it is told, changed"},
		{"kinds of stores", func(_ *bench, c *matrix.Cell) { onlyKinds("b32")(c) }, "the recipe, or what it is told, changed"},
		{"lowering", func(_ *bench, c *matrix.Cell) { c.Env = nil }, "how it is lowered changed|flag -Xclang -fdenormal-fp-math-f32=ieee,ieee changed from -Xclang -fdenormal-fp-math-f32=preserve-sign,preserve-sign"},
		{"program", func(b *bench, _ *matrix.Cell) {
			b.s.Program = cache.Sum([]byte("newer"))
			lower := b.s.Lower
			b.s.Lower = func(m *ptx.Module, kernel string, o emit.Options) ([]byte, error) {
				ir, err := lower(m, kernel, o)
				return append(ir, "; new\n"...), err
			}
		}, "this version of kmx edits or lowers the code in another way"},
		{"header of the helper", func(b *bench, _ *matrix.Cell) {
			write(b.T, b.s.Root, map[string]string{"tex/stores.h": "int two;\n"})
		}, "header tex/stores.h changed"},
		{"define of the helper", func(_ *bench, c *matrix.Cell) {
			c.Bitcode = slices.Clone(c.Bitcode)
			c.Bitcode[0].Defines = []matrix.Define{{Name: "FP8", Value: "1"}}
		}, "define FP8 = 1 added"},
		{"wave size", func(_ *bench, c *matrix.Cell) { c.Wave64 = true }, "how it is lowered changed|flag -mwavefrontsize64 added|flag -mno-wavefrontsize64 removed"},
		{"emitter", func(b *bench, _ *matrix.Cell) { b.s.Toolchains["emit"].Emitter = toolchains.EmitterZLUDA }, "the emitter is zluda, was kmx"},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := newBench(t, toolchains.EmitterOwn, module("post"))
			before := b.plan(b.cell("post", "gfx1100"))
			old, last := record(before, before.Node[0], func(n *engine.Node) cache.Digest { return cache.Sum([]byte(n.Label)) })
			cell := b.cell("post", "gfx1100")
			c.change(b, cell)
			p := b.plan(cell)
			all, now := record(p, p.Node[0], func(n *engine.Node) cache.Digest { return cache.Sum([]byte(n.Label + n.Action.Key().String())) })
			if now.Key == last.Key {
				t.Fatal("the key is the same")
			}
			e := p.Evidence(0, nil)
			e.Record = func(key string) ([]cache.Field, bool) {
				d, _ := cache.ParseDigest(key)
				r := old[d]
				if r == nil {
					r = all[d]
				}
				return r.Fields, true
			}
			var got []string
			for _, cause := range Reasons(last.Fields, now.Fields, e) {
				got = append(got, cause.Text)
			}
			slices.Sort(got)
			want := strings.Split(c.want, "|")
			slices.Sort(want)
			for i, g := range got {
				got[i], _, _ = strings.Cut(g, " (")
			}
			// The helper's bytes are others in this test each time.
			got = slices.DeleteFunc(got, func(text string) bool {
				return c.what != "header of the helper" && strings.HasPrefix(text, "the helper ")
			})
			if !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		})
	}
}
