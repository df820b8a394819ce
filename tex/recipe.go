package tex

import "slices"

// Recipe describes one way of editing a kernel, for people and for the check
// of matrix.hcl.
type Recipe struct {
	Name string
	// Doc is one sentence: what becomes of the kernel.
	Doc string
	// Expects are the structures that must be there, one sentence each.
	Expects []string
	// Counts are the names that a counts declaration may use.
	Counts []string
	// Functions are the device functions that an edited kernel may call.
	Functions []string
	// Reference says that Request.Reference is compared with the kernel.
	Reference bool
}

// recipe is a Recipe with what it does.
type recipe struct {
	Recipe
	edit func(*editor)
}

// What every recipe does with the statements that it keeps.
var (
	keptCounts    = []string{"stores", "stores.v2b16", "stores.b32", "stores.p", "stores.v4b16", "round"}
	keptFunctions = []string{sustV2B16.name, sustB32.name, sustP.name, sustV4B16.name}
)

func recipes() []recipe {
	return []recipe{
		{Recipe{
			Name:      "stores",
			Doc:       "surface stores become calls, and the rounding idiom is written without directed rounding",
			Counts:    keptCounts,
			Functions: keptFunctions,
		}, func(*editor) {}},
		{Recipe{
			Name: "enc0-tail",
			Doc:  "what follows the third bar.warp.sync becomes a call of " + enc0Tail.name + "; the rest as stores",
			Expects: []string{
				"exactly three bar.warp.sync of all lanes, the third not under a guard",
				"a parameter block of 360 bytes; one 64-bit load of it at offset 40 and one v2 load of 32 bits at offset 8",
				"behind the third barrier: global loads from the pointer at offset 0 only, global stores to the pointer at offset 40",
				"behind the third barrier: the signed halving of two registers that were set before it, first y, then x",
				"shared memory addressed from one base that does not depend on the lane",
				"the same statements behind the barrier as in the reference kernel, but for names, working on values made of the same parameters",
			},
			Counts:    keptCounts,
			Functions: append(slices.Clone(keptFunctions), enc0Tail.name),
			Reference: true,
		}, (*editor).enc0Tail},
		{Recipe{
			Name: "dec0-head",
			Doc:  "what stands from the first read of %laneid to the last shared store before the next barrier becomes a call of " + dec0Head.name + "; with FP8 the e4m3 conversions behind it become calls of " + decE4M3x2.name + "; the rest as stores",
			Expects: []string{
				"a parameter block of 168 bytes",
				"the head stores to one shared array, at addresses made of the lane only",
				"the head loads from the pointer at offset 0 and from one other pointer",
				"of what was computed before the head it uses the two sizes at offset 8, two coordinates and pointers",
				"with FP8 exactly 32 cvt.rn.f16x2.e4m3x2 behind the head",
			},
			Counts:    append(slices.Clone(keptCounts), "e4m3"),
			Functions: append(slices.Clone(keptFunctions), dec0Head.name, decE4M3x2.name),
		}, (*editor).dec0Head},
		{Recipe{
			Name: "l-enc0-tail",
			Doc:  "what follows the first of three bar.warp.sync becomes a call of " + enc0lTail.name + "; the rest as stores",
			Expects: []string{
				"exactly three bar.warp.sync of all lanes, the first not under a guard",
				"a parameter block of 360 bytes",
				"336 mma instructions",
				"one shared array of 2048 bytes",
				"the same statements behind the barrier as in the reference kernel, but for names, working on values made of the same parameters",
			},
			Counts:    keptCounts,
			Functions: append(slices.Clone(keptFunctions), enc0lTail.name),
			Reference: true,
		}, (*editor).lEnc0Tail},
		{Recipe{
			Name: "l-dec0-block",
			Doc:  "everything up to the last mma becomes a call of " + dec0lBlock.name + " and 32 loads of its results, but for what the output needs; the rest as stores",
			Expects: []string{
				"304 mma instructions, the last 16 with two result registers each, all different",
				"exactly 8 surface stores behind the last mma",
				"what the output needs besides results is computed by at most 24 mov, add, sub, shl, shr, and, or and ld.param",
			},
			Counts:    keptCounts,
			Functions: append(slices.Clone(keptFunctions), dec0lBlock.name),
		}, (*editor).lDec0Block},
	}
}

// Recipes are the recipes in the order of the manual.
func Recipes() []Recipe {
	var list []Recipe
	for _, r := range recipes() {
		list = append(list, r.Recipe)
	}
	return list
}

// Kinds are the kinds of surface stores that Options.Kinds may name.
func Kinds() []string {
	var names []string
	for _, s := range storeForms {
		names = append(names, s.kind)
	}
	return names
}
