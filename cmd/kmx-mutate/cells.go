package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kmx/matrix"
	"kmx/validate/layout"
)

// A kernel is one of the sixteen, with the cells that can show a fault in it and
// the sources that it is made from.
type kernel struct {
	layer layout.Layer
	cells []*matrix.Cell
	files []string
}

// variants are test builds that compute what the model says, to the last byte, and
// compile lines that no release does.
var variants = []string{"", "shim12", "no_token_lanes", "keys_in_order"}

// kernels reads matrix.hcl. Every GPU of a generation has the same sources, so one
// of each is enough.
func kernels(root string) ([]kernel, error) {
	m, problems := matrix.Load(filepath.Join(root, "matrix.hcl"), matrix.Options{})
	if problems.HasErrors() {
		return nil, problems
	}
	x, problems := m.Expand()
	if problems.HasErrors() {
		return nil, problems
	}
	var list []kernel
	for _, l := range layout.Layers() {
		k := kernel{layer: l}
		for _, c := range x.Cells {
			variant := ""
			if v, ok := c.Axis("variant"); ok {
				variant = v.Text
			}
			if c.Kernel == l.Name && (c.Target.Name == "gfx1101" || c.Target.Name == "gfx1201") && slices.Contains(variants, variant) {
				k.cells = append(k.cells, c)
			}
		}
		if len(k.cells) == 0 {
			return nil, fmt.Errorf("matrix.hcl has no cell of %s for gfx1101 or gfx1201", l.Name)
		}
		var err error
		if k.files, err = closure(root, k.cells[0]); err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}

// closure is every file of the project that a cell's source takes in, whatever the
// conditions around it, with itself.
func closure(root string, c *matrix.Cell) ([]string, error) {
	list := []string{c.Source}
	for n := 0; n < len(list); n++ {
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(list[n])))
		if err != nil {
			return nil, err
		}
		for _, name := range included(string(src)) {
			places := []string{path.Join(path.Dir(list[n]), name)}
			for _, dir := range c.Include {
				places = append(places, path.Join(dir.Text, name))
			}
			found := slices.IndexFunc(places, func(p string) bool {
				_, err := os.Stat(filepath.Join(root, filepath.FromSlash(p)))
				return err == nil
			})
			if found < 0 {
				return nil, fmt.Errorf("%s includes %q, which is in none of its folders", list[n], name)
			}
			if !slices.Contains(list, places[found]) {
				list = append(list, places[found])
			}
		}
	}
	slices.Sort(list)
	return list, nil
}

// included are the names in quotes that a source includes.
func included(src string) []string {
	var names []string
	tokens := lex(src)
	for i := 0; i+2 < len(tokens); i++ {
		if tokens[i].text == "#" && tokens[i+1].text == "include" && tokens[i+2].kind == text {
			names = append(names, strings.Trim(tokens[i+2].text, `"`))
		}
	}
	return names
}

// order is the cells of a kernel in the order in which they are tried: builds of
// releases as the random numbers have it, then those that exist for tests. The
// first two differ in generation.
func (k kernel) order(r *rand.Rand) []*matrix.Cell {
	list := slices.Clone(k.cells)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.SortStableFunc(list, func(a, b *matrix.Cell) int {
		rank := func(c *matrix.Cell) int {
			if c.DeveloperOnly {
				return 1
			}
			return 0
		}
		return rank(a) - rank(b)
	})
	for i := 1; i < len(list); i++ {
		if list[i].Target.Name != list[0].Target.Name && !list[i].DeveloperOnly {
			other := list[i]
			list = slices.Insert(slices.Delete(list, i, i+1), 1, other)
			break
		}
	}
	return list
}
