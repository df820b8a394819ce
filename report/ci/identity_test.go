package ci

import (
	"fmt"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/plan"
)

func sum(text string) cache.Digest { return cache.Sum([]byte(text)) }

// identity is one with something in every list.
func identity() Identity {
	return Identity{
		Matrix:  []File{{"matrix.hcl", sum("m")}},
		Sources: []File{{"a.h", sum("a")}, {"b.h", sum("b")}},
		Toolchains: []Toolchain{{Closure: plan.Closure{Name: "hip", Kind: "clang", Version: "19.1.7", Digest: sum("closure"),
			Files: []plan.ClosureFile{{Name: "bin/lld", Digest: sum("lld")}, {Name: "lib/libm.so.6", Digest: sum("libm")}}}, Core: sum("core")}},
		Variables: []Variable{{"preset_l", "true"}},
		LeftOut:   []string{"family tex, requires library.dlss (none is here)"},
		Actions:   sum("actions"),
	}
}

func TestUnlike(t *testing.T) {
	for _, c := range []struct {
		change func(*Identity)
		want   string
	}{
		{func(i *Identity) {}, ""},
		{func(i *Identity) { i.Matrix[0].Digest = sum("x") }, "matrix matrix.hcl has other bytes"},
		{func(i *Identity) { i.Sources = append(i.Sources, File{"c.h", sum("c")}) }, "source c.h is read as well"},
		{func(i *Identity) { i.Sources = i.Sources[:1] }, "source b.h is not read"},
		{func(i *Identity) {
			i.Sources = nil
			for n := range 9 {
				i.Sources = append(i.Sources, File{fmt.Sprint(n), sum("n")})
			}
		}, "source 0 is read as well\nsource 1 is read as well\nsource 2 is read as well\nsource 3 is read as well\nsource 4 is read as well\nand 6 more"},
		{func(i *Identity) {
			i.Toolchains[0].Core, i.Toolchains[0].Closure.Digest = sum("other"), sum("other")
			i.Toolchains[0].Files[0].Digest = sum("other")
		}, "toolchain hip is clang 19.1.7 (core " + short(sum("other")) + "), not clang 19.1.7 (core " + short(sum("core")) + "): bin/lld changed"},
		{func(i *Identity) {
			i.Toolchains[0].Closure.Digest = sum("other")
			i.Toolchains[0].Files[1].Digest = sum("other")
		}, "toolchain hip is clang 19.1.7 (core " + short(sum("core")) + "), the same compiler on other host libraries: lib/libm.so.6 changed"},
		{func(i *Identity) { i.Toolchains = nil }, "toolchain hip is not used"},
		{func(i *Identity) { i.Toolchains[0].Name = "hop" }, "toolchain hop is used as well\ntoolchain hip is not used"},
		{func(i *Identity) { i.Variables[0].Value = "false" }, "variable preset_l = false\nvariable preset_l = true only here"},
		{func(i *Identity) { i.LeftOut = nil }, "left out by family tex, requires library.dlss (none is here) only here"},
		{func(i *Identity) { i.Actions = sum("x") }, "the actions that the matrix asks for (" + short(sum("x"))},
	} {
		here, there := identity(), identity()
		c.change(&there)
		got := strings.Join(here.Unlike(&there), "\n")
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if same := here.Digest() == there.Digest(); same != (got == "") {
			t.Errorf("%q: the digests say %v", got, same)
		}
	}
}
