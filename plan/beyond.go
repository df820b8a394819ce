package plan

import (
	"fmt"
	"slices"

	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/tex"
	"kmx/toolchains"
)

// beyond reports a cell that the language can declare and that cannot be built:
// a recipe that nobody knows or that no emitter is to make an object of, a
// source for an emitter, a helper for a compiler.
func beyond(c *matrix.Cell, found map[string]*toolchains.Toolchain) (diag.Message, bool) {
	m := diag.Message{Severity: diag.Error, Where: c.Declared, Values: []diag.Value{{Name: "cell", Text: c.Address()}}}
	tc := found[c.Toolchain]
	emits := tc != nil && tc.Kind == toolchains.KindEmitter
	switch {
	case isRecipe(c) && !slices.Contains(recipeNames(), c.Recipe):
		m.Summary, m.Hint = fmt.Sprintf("there is no recipe %s", c.Recipe), diag.DidYouMean(c.Recipe, recipeNames())
		if !c.RecipeFrom.Range.IsZero() {
			m.Where = c.RecipeFrom.Range
		}
	case isRecipe(c) && tc != nil && !emits:
		m.Summary = fmt.Sprintf("recipe %s edits PTX, and toolchain %s is a compiler of sources", c.Recipe, c.Toolchain)
		m.Hint = `a toolchain with kind = "emitter" makes objects of PTX`
	case !isRecipe(c) && emits:
		m.Summary = fmt.Sprintf("toolchain %s makes objects of PTX, and %s is a source", c.Toolchain, c.Source)
		m.Hint = "name a toolchain with kind = \"clang\", or a recipe instead of the source"
	case !isRecipe(c) && len(c.Bitcode) > 0:
		m.Summary = fmt.Sprintf("bitcode %q is declared, and only recipes link any", c.Bitcode[0].Name)
		m.Hint = "include its source, or give the block a `when`"
	case isRecipe(c) && emits && tc.Emitter == toolchains.EmitterZLUDA && len(c.Bitcode) > 1:
		m.Summary = fmt.Sprintf("ZLUDA's emitter links one helper, and %d are declared", len(c.Bitcode))
		m.Hint = "put them into one source"
	default:
		return m, false
	}
	return m, true
}

// recipeNames are the recipes that tex knows.
func recipeNames() []string {
	var names []string
	for _, r := range tex.Recipes() {
		names = append(names, r.Name)
	}
	return names
}
