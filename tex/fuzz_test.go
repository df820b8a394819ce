package tex

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kmx/cuda/ptx"
)

// FuzzEdit: no module makes a recipe panic, and what is edited is PTX without
// the statements that were to go.
func FuzzEdit(f *testing.F) {
	references := referencesOf(f)
	for _, c := range cases {
		i := slices.IndexFunc(Recipes(), func(r Recipe) bool { return r.Name == c.recipe })
		f.Add([]byte(source(f, c.module)), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, recipe uint8) {
		name := Recipes()[int(recipe)%len(Recipes())].Name
		survives(t, text, name, references[name])
	})
}

// referencesOf are the modules that recipes compare with.
func referencesOf(t testing.TB) map[string]*ptx.Module {
	return map[string]*ptx.Module{
		"enc0-tail":   parse(t, "enc0", source(t, "enc0")),
		"l-enc0-tail": parse(t, "lenc0", source(t, "lenc0")),
	}
}

// survives edits a text that may be wrong in any way, and reports whether it
// was edited.
func survives(t *testing.T, text []byte, recipe string, reference *ptx.Module) bool {
	m, err := ptx.Parse("fuzz.ptx", text)
	if len(m.Entries()) == 0 {
		return false
	}
	kernel := m.Entries()[0].Name
	res, failed := Edit(Request{Kernel: kernel, Recipe: recipe, Module: m, Reference: reference, Options: Options{FP8: true}})
	if (res == nil) == (failed == nil) {
		t.Fatalf("%v and %v", res, failed)
	}
	if failed != nil || err != nil {
		return false
	}
	edited, err := ptx.Parse("edited.ptx", res.Text)
	if err != nil {
		t.Fatal(err)
	}
	for in := range edited.Instructions(edited.Function(kernel)) {
		if isStore(in) || directed(in) != "" {
			t.Fatalf("%s leaves %s", recipe, in.Opcode)
		}
	}
	Diff(m, res, DiffOptions{Context: 2, Elide: 3})
	return true
}

// TestMutatedStatements takes lines out of kernels, doubles, swaps and moves
// them: nothing panics, and some of it is edited all the same.
func TestMutatedStatements(t *testing.T) {
	references := referencesOf(t)
	random := rand.New(rand.NewPCG(3, 4))
	n := 60
	if testing.Short() {
		n = 20
	}
	for _, c := range cases {
		edited := 0
		for range n {
			lines := strings.SplitAfter(source(t, c.module), "\n")
			for range 1 + random.IntN(3) {
				i, k := random.IntN(len(lines)-8)+6, random.IntN(len(lines)-8)+6
				switch random.IntN(4) {
				case 0:
					lines = slices.Delete(lines, i, i+1)
				case 1:
					lines = slices.Insert(lines, i, lines[k])
				case 2:
					lines[i], lines[k] = lines[k], lines[i]
				case 3:
					a, b := registers.FindString(lines[i]), registers.FindString(lines[k])
					if a != "" && b != "" {
						lines[i] = strings.Replace(lines[i], a, b, 1)
					}
				}
			}
			if survives(t, []byte(strings.Join(lines, "")), c.recipe, references[c.recipe]) {
				edited++
			}
		}
		if edited == 0 {
			t.Errorf("%s: no mutant was edited: the mutations are too wild", c.golden)
		}
		t.Logf("%s: %d of %d edited", c.golden, edited, n)
	}
}
