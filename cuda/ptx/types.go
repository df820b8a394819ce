package ptx

import "slices"

// typeSizes are the sizes of the fundamental types in bytes. Predicates have
// none; references to textures, samplers and surfaces are handles of 64 bits.
var typeSizes = map[string]int{
	"s8": 1, "s16": 2, "s32": 4, "s64": 8,
	"u8": 1, "u16": 2, "u32": 4, "u64": 8,
	"b8": 1, "b16": 2, "b32": 4, "b64": 8, "b128": 16,
	"f16": 2, "f16x2": 4, "f32": 4, "f64": 8,
	"bf16": 2, "bf16x2": 4, "tf32": 4,
	"e4m3": 1, "e5m2": 1, "e4m3x2": 2, "e5m2x2": 2,
	"pred": 0, "texref": 8, "samplerref": 8, "surfref": 8,
}

// TypeSize is the size of one element of a type in bytes; ok is false for a
// name that is no type. Predicates have size 0.
func TypeSize(name string) (size int, ok bool) {
	size, ok = typeSizes[name]
	return size, ok
}

var stateSpaces = map[string]bool{
	"reg": true, "sreg": true, "const": true, "global": true, "local": true,
	"param": true, "shared": true, "tex": true,
}

var linkages = map[string]bool{"extern": true, "visible": true, "weak": true, "common": true}

// headerDirectives are those of the header of a function; the value says
// whether arguments follow.
var headerDirectives = map[string]bool{
	"maxntid": true, "reqntid": true, "minnctapersm": true, "maxnctapersm": true,
	"maxnreg": true, "noreturn": false, "pragma": true, "explicitcluster": false,
	"reqnctapercluster": true, "maxclusterrank": true, "blocksareclusters": false,
	"abi_preserve": true, "abi_preserve_control": true, "unified": false,
}

// plainDirectives are the other directives that are no declarations; the
// value says whether a semicolon ends them.
var plainDirectives = map[string]bool{
	"version": false, "target": false, "address_size": false,
	"file": false, "loc": false, "section": false,
	"pragma": true, "alias": true, "branchtargets": true, "calltargets": true, "callprototype": true,
}

// directiveNames is every directive that may begin a statement, for
// suggestions.
func directiveNames() []string {
	names := []string{".func", ".entry"}
	for _, set := range []map[string]bool{stateSpaces, linkages, plainDirectives} {
		for n := range set {
			names = append(names, "."+n)
		}
	}
	slices.Sort(names)
	return names
}

func headerNames() []string {
	var names []string
	for n := range headerDirectives {
		names = append(names, "."+n)
	}
	slices.Sort(names)
	return names
}

func typeNames() []string {
	names := []string{".align", ".v2", ".v4", ".v8", ".ptr", ".attribute"}
	for n := range typeSizes {
		names = append(names, "."+n)
	}
	slices.Sort(names)
	return names
}
