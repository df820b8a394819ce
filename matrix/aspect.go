package matrix

import (
	"slices"
	"strconv"
	"strings"
)

// aspect is one thing about a cell that can differ between two matrices: a
// list whose order counts, or named values.
type aspect struct {
	what string
	list bool
	of   func(c *Cell) []item
}

// item is one element of a list, or one named value; the one value of an
// aspect that has no names has the name "".
type item struct {
	name, text string
	from       Origin
}

func one(text string, from Origin) []item {
	if text == "" {
		return nil
	}
	return []item{{text: text, from: from}}
}

func tokenItems(tokens []Token) []item {
	out := make([]item, len(tokens))
	for i, t := range tokens {
		out[i] = item{text: t.Text, from: t.From}
	}
	return out
}

func defineItems(defines []Define) []item {
	out := make([]item, len(defines))
	for i, d := range defines {
		out[i] = item{d.Name, d.Value, d.From}
	}
	return out
}

// aspects is what a cell is compared by. The address is not among them: cells
// are matched by it.
var aspects = []aspect{
	{what: "toolchain", of: func(c *Cell) []item { return one(c.Toolchain, Origin{}) }},
	{what: "source", of: func(c *Cell) []item { return one(c.Source, c.SourceFrom) }},
	{what: "recipe", of: func(c *Cell) []item { return one(c.Recipe, c.RecipeFrom) }},
	{what: "reference", of: func(c *Cell) []item { return one(c.Reference, c.ReferenceFrom) }},
	{what: "counts", of: func(c *Cell) []item { return defineItems(c.Counts) }},
	{what: "include", list: true, of: func(c *Cell) []item { return tokenItems(c.Include) }},
	{what: "flags", list: true, of: func(c *Cell) []item { return tokenItems(c.Flags) }},
	{what: "define", of: func(c *Cell) []item { return defineItems(c.Defines) }},
	{what: "env", of: func(c *Cell) []item { return defineItems(c.Env) }},
	{what: "wave64", of: func(c *Cell) []item { return one(strconv.FormatBool(c.Wave64), c.Wave64From) }},
	{what: "redirect", of: func(c *Cell) []item { return one(strconv.FormatBool(c.Redirect), c.RedirectFrom) }},
	{what: "hook", of: func(c *Cell) []item {
		out := make([]item, len(c.Hook))
		for i, h := range c.Hook {
			out[i] = item{h.Name, strconv.FormatUint(uint64(h.Value), 10), h.From}
		}
		return out
	}},
	{what: "limit", of: func(c *Cell) []item {
		out := make([]item, len(c.Bounds))
		for i, l := range c.Bounds {
			out[i] = item{l.Name, strconv.Itoa(l.Value), l.From}
		}
		return out
	}},
	{what: "bitcode", of: bitcodeItems},
	{what: "library", of: func(c *Cell) []item { return one(c.Library, Origin{}) }},
	{what: "licence", of: func(c *Cell) []item { return one(c.Licence, Origin{}) }},
	{what: "group", of: func(c *Cell) []item { return one(c.Group, Origin{}) }},
	{what: "no twin", of: func(c *Cell) []item { return one(strconv.FormatBool(c.NoTwin), Origin{}) }},
	{what: "no twin, reason", of: func(c *Cell) []item { return one(c.NoTwinReason, Origin{}) }},
	{what: "developer only", of: func(c *Cell) []item { return one(strconv.FormatBool(c.DeveloperOnly), Origin{}) }},
	{what: "target", of: func(c *Cell) []item {
		out := []item{{"generation", c.Target.Generation, Origin{}}, {"fp8", strconv.FormatBool(c.Target.FP8), Origin{}}}
		for _, w := range c.Target.Waves {
			out = append(out, item{"wave size " + strconv.Itoa(w), "yes", Origin{}})
		}
		return out
	}},
}

// bitcodeItems is what the helpers of a cell are made of, each part of each
// helper with a name.
func bitcodeItems(c *Cell) []item {
	var out []item
	for _, b := range c.Bitcode {
		declared := Origin{Range: b.Declared}
		out = append(out, item{b.Name + " toolchain", b.Toolchain, declared}, item{b.Name + " source", b.Source.Text, b.Source.From})
		for _, part := range []struct {
			name   string
			tokens []Token
		}{{" include", b.Include}, {" flags", b.Flags}} {
			if len(part.tokens) > 0 {
				var texts []string
				for _, t := range part.tokens {
					texts = append(texts, t.Text)
				}
				out = append(out, item{b.Name + part.name, strings.Join(texts, " "), part.tokens[0].From})
			}
		}
		for _, d := range b.Defines {
			out = append(out, item{b.Name + " define " + d.Name, d.Value, d.From})
		}
	}
	return out
}

// edits is how the items of an aspect differ, each as a change that has no
// cells yet.
func (a *aspect) edits(before, after []item) []Change {
	if slices.EqualFunc(before, after, func(x, y item) bool { return x.name == y.name && x.text == y.text }) {
		return nil
	}
	if a.list {
		return a.listEdits(before, after)
	}
	var out []Change
	find := func(in []item, name string) (item, bool) {
		for _, i := range in {
			if i.name == name {
				return i, true
			}
		}
		return item{}, false
	}
	for _, y := range after {
		x, was := find(before, y.name)
		switch {
		case !was:
			out = append(out, a.change(y.name, nil, []item{y}))
		case x.text != y.text:
			out = append(out, a.change(y.name, []item{x}, []item{y}))
		}
	}
	for _, x := range before {
		if _, is := find(after, x.name); !is {
			out = append(out, a.change(x.name, []item{x}, nil))
		}
	}
	if len(out) == 0 { // the same values in another order
		c := a.change("", before, after)
		c.Op, c.Old, c.New = "moved", names(before), names(after)
		out = append(out, c)
	}
	return out
}

func names(items []item) []string {
	var out []string
	for _, i := range items {
		out = append(out, i.name)
	}
	return out
}

// listEdits is the shortest way from one list to the other, each run of
// elements that differ as one change.
func (a *aspect) listEdits(before, after []item) []Change {
	for len(before) > 0 && len(after) > 0 && before[0].text == after[0].text {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1].text == after[len(after)-1].text {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	const most = 1 << 20 // of the table; longer lists are replaced as a whole
	if len(before)*len(after) > most {
		return []Change{a.change("", before, after)}
	}
	// common[i][j] is the length of the longest list that is part of both
	// before[i:] and after[j:].
	common := make([][]int, len(before)+1)
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if before[i].text == after[j].text {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []Change
	i, j, fromI, fromJ := 0, 0, 0, 0
	flush := func() {
		if i > fromI || j > fromJ {
			out = append(out, a.change("", before[fromI:i], after[fromJ:j]))
		}
	}
	for i < len(before) || j < len(after) {
		switch {
		case i < len(before) && j < len(after) && before[i].text == after[j].text:
			flush()
			i, j = i+1, j+1
			fromI, fromJ = i, j
		case j == len(after) || i < len(before) && common[i+1][j] >= common[i][j+1]:
			i++
		default:
			j++
		}
	}
	flush()
	return out
}

func (a *aspect) change(name string, before, after []item) Change {
	c := Change{What: a.what, Name: name}
	for _, i := range before {
		c.Old = append(c.Old, i.text)
	}
	for _, i := range after {
		c.New = append(c.New, i.text)
	}
	if len(before) > 0 {
		c.Was = before[0].from.Range.String()
	}
	switch {
	case len(after) > 0:
		c.Where, c.Adjust = after[0].from.Range.String(), after[0].from.Adjust
		c.Op = "added"
		if len(before) > 0 {
			c.Op = "changed"
		}
	default:
		c.Op = "removed"
	}
	return c
}
