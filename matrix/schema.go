package matrix

import "slices"

// The schema is a table: which blocks exist, what may stand in them, and what
// each attribute may read. Decoding, the "nearest name" hints and the printed
// schema all use it.

// reads is which names an attribute's expression may use.
type reads int

const (
	readsNothing reads = iota // literal, or a name from a fixed list
	readsOnce                 // var, local
	readsCell                 // target, axes, let, rows, other attributes as well
)

// attrSpec is one attribute of a block.
type attrSpec struct {
	name     string
	reads    reads
	required bool
	unless   string // another attribute that can stand for a required one
	doc      string
}

// blockSpec is one kind of block.
type blockSpec struct {
	name   string
	label  string // what its one label means; "" when it takes none
	single bool   // at most one in its parent
	free   bool   // any attribute name; the block is a list of named values
	attrs  []attrSpec
	blocks []*blockSpec
	doc    string
}

func (b *blockSpec) attr(name string) *attrSpec {
	for i := range b.attrs {
		if b.attrs[i].name == name {
			return &b.attrs[i]
		}
	}
	return nil
}

func (b *blockSpec) block(name string) *blockSpec {
	for _, s := range b.blocks {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (b *blockSpec) attrNames() []string {
	var names []string
	for _, a := range b.attrs {
		names = append(names, a.name)
	}
	return names
}

func (b *blockSpec) blockNames() []string {
	var names []string
	for _, s := range b.blocks {
		names = append(names, s.name)
	}
	return names
}

// edition is the edition of the language that this package reads.
const edition = 1

var letBlock = &blockSpec{name: "let", free: true, doc: "values evaluated for each cell"}

var limitAttrs = []attrSpec{
	{name: "vgprs", reads: readsCell, doc: "vector registers"},
	{name: "sgprs", reads: readsCell, doc: "scalar registers"},
	{name: "spills", reads: readsCell, doc: "spilled registers of either kind"},
	{name: "scratch", reads: readsCell, doc: "bytes of scratch memory of a lane"},
	{name: "lds", reads: readsCell, doc: "bytes of LDS of a workgroup"},
}

var limitBlock = &blockSpec{
	name: "limit", doc: "upper bounds that each object is checked against",
	attrs: append([]attrSpec{{name: "when", reads: readsCell, doc: "for which cells"}}, limitAttrs...),
}

// built is what a family, a group and a kernel have in common.
var built = []attrSpec{
	{name: "source", reads: readsCell, doc: "path of the device source"},
	{name: "recipe", reads: readsCell, doc: "how an emitter edits the library's code; instead of a source, or beside it"},
	{name: "reference", reads: readsCell, doc: "name of the kernel whose code the recipe compares the library's with"},
	{name: "counts", reads: readsCell, doc: "object of the edits the recipe must make: numbers or words"},
	{name: "include", reads: readsCell, doc: "include directories, in order"},
	{name: "flags", reads: readsCell, doc: "arguments; a group's follow its family's"},
	{name: "defines", reads: readsCell, doc: "object; true is -DX=1, false and null are absent"},
	{name: "hook", reads: readsCell, doc: "object of the constants the object exports"},
	{name: "limit", reads: readsCell, doc: "object of upper bounds"},
	{name: "wave64", reads: readsCell, doc: "wave size 64 instead of 32"},
	{name: "redirect", reads: readsCell, doc: "the kernel's stores can be sent elsewhere"},
}

// shared is what only families and groups have.
var shared = []attrSpec{
	{name: "when", reads: readsCell, doc: "for which cells it exists; on a family also whether"},
	{name: "override", reads: readsCell, doc: "list of { when, recipe, reference, source, counts } for the cells where when holds"},
}

var adjustBlock = &blockSpec{
	name: "adjust", label: "reason", doc: "a change of named cells, after family and group",
	attrs: append([]attrSpec{
		{name: "match", reads: readsOnce, required: true, doc: "selectors of cells of this family"},
		{name: "replace", reads: readsCell, doc: "object of attributes that replace what family and group say"},
	}, built...),
}

var bitcodeBlock = &blockSpec{
	name: "bitcode", label: "name", doc: "a helper that another toolchain compiles and that is linked in",
	attrs: []attrSpec{
		{name: "toolchain", reads: readsCell, required: true, doc: "toolchain.NAME"},
		{name: "source", reads: readsCell, required: true, doc: "path of its source"},
		{name: "include", reads: readsCell, doc: "include directories, in order"},
		{name: "flags", reads: readsCell, doc: "arguments, after the toolchain's"},
		{name: "defines", reads: readsCell, doc: "object; true is -DX=1, false and null are absent"},
		{name: "when", reads: readsCell, doc: "for which cells"},
	},
}

var groupAxes = attrSpec{name: "axes", doc: "fewer axes than the family's: list of axis.NAME"}

var twinAttr = attrSpec{name: "twin", doc: `{ none = "REASON" } or "none": needs no twin in the other numerics`}

func with(more ...attrSpec) []attrSpec { return slices.Concat(more, built, shared) }

var schema = &blockSpec{
	name: "file",
	attrs: []attrSpec{
		{name: "edition", required: true, doc: "edition of this language"},
		{name: "include", doc: "list of further files, relative to this one; their blocks stand here"},
	},
	blocks: []*blockSpec{
		{
			name: "project", label: "name", single: true, doc: "names the release",
			attrs: []attrSpec{
				{name: "licence", reads: readsOnce, doc: "SPDX expression"},
				{name: "version", reads: readsOnce, required: true, doc: "names the release folder"},
				{name: "date", reads: readsOnce, doc: "YYYY-MM-DD"},
			},
		},
		{
			name: "variable", label: "name", doc: "a value from outside",
			attrs: []attrSpec{
				{name: "type", doc: "string, bool, number or list(...)"},
				{name: "default", doc: "its value when nobody gives one"},
				{name: "env", doc: "environment variable that sets it"},
				{name: "description", doc: "what it is for, for people"},
				{name: "machine", doc: "a fact of this machine; enters no manifest"},
				{name: "developer", doc: "a value other than the default marks what is built as not for shipping"},
				{name: "separator", doc: "splits text into a list; default: the path list separator"},
			},
			blocks: []*blockSpec{{
				name: "validation", doc: "what a value must fulfil",
				attrs: []attrSpec{
					{name: "condition", reads: readsOnce, required: true, doc: "must be true; may read var"},
					{name: "error_message", reads: readsOnce, required: true, doc: "what is wrong when it is not"},
				},
			}},
		},
		{name: "locals", free: true, doc: "values evaluated once"},
		{
			name: "generation", label: "name", doc: "GPUs that share what is said here",
			attrs: []attrSpec{
				{name: "targets", reads: readsOnce, required: true, doc: "names of the GPUs"},
				{name: "waves", reads: readsOnce, required: true, doc: "wave sizes"},
				{name: "fp8", reads: readsOnce, doc: "has FP8 matrix instructions"},
			},
		},
		{
			name: "axis", label: "name", doc: "a named choice",
			attrs: []attrSpec{
				{name: "values", reads: readsOnce, required: true, doc: "list, in order: strings, numbers or booleans"},
				{name: "default", reads: readsOnce, doc: "the first value unless given"},
				{name: "allow", reads: readsCell, doc: "condition, or an object of conditions by value"},
				{name: "release", reads: readsOnce, doc: "false: other than default joins no set"},
			},
		},
		{
			name: "library", label: "name", doc: "a library that users bring",
			attrs: []attrSpec{
				{name: "paths", reads: readsOnce, required: true, doc: "files, or folders that hold it"},
				{name: "match", reads: readsOnce, required: true, doc: "file name"},
				{name: "approved", reads: readsOnce, doc: "file of the modules that somebody has compared"},
				{name: "without", reads: readsOnce, doc: "ends the name of a release that lacks a family for want of this library"},
			},
		},
		{
			name: "toolchain", label: "name", doc: "a compiler or emitter",
			attrs: []attrSpec{
				{name: "kind", required: true, doc: "clang or emitter"},
				{name: "flags", reads: readsCell, doc: "arguments, before those of family and group"},
				{name: "env", reads: readsCell, doc: "object; true is 1, false 0, null absent"},
			},
		},
		{
			name: "family", label: "name", doc: "kernels built the same way",
			attrs: with(
				attrSpec{name: "title", reads: readsOnce, doc: "what it is, for people"},
				attrSpec{name: "toolchain", reads: readsCell, required: true, unless: "extends", doc: "toolchain.NAME"},
				attrSpec{name: "library", reads: readsOnce, doc: "library.NAME whose kernels these replace"},
				attrSpec{name: "requires", reads: readsOnce, doc: "library.NAME, or a list: without it the family is left out"},
				attrSpec{name: "extends", doc: "family.NAME whose attributes, let and bitcode this one takes"},
				attrSpec{name: "licence", reads: readsOnce, doc: "the project's unless given"},
				attrSpec{name: "axes", doc: "list of axis.NAME"},
			),
			blocks: []*blockSpec{
				letBlock,
				limitBlock,
				bitcodeBlock,
				adjustBlock,
				{
					name: "kernel", label: "name", doc: "one kernel",
					attrs:  with(twinAttr, groupAxes),
					blocks: []*blockSpec{letBlock, limitBlock},
				},
				{
					name: "kernels", label: "group", doc: "kernels named by rows",
					attrs: with(
						attrSpec{name: "for", reads: readsOnce, required: true, doc: "object of lists; the product, in the order written"},
						attrSpec{name: "name", reads: readsCell, required: true, doc: "the kernel's name, from row variables"},
						attrSpec{name: "expect", reads: readsOnce, doc: "number of kernels"},
						twinAttr, groupAxes,
					),
					blocks: []*blockSpec{letBlock, limitBlock},
				},
			},
		},
		{
			name: "exclude", label: "name", doc: "cells that should exist and are left out",
			attrs: []attrSpec{
				{name: "match", reads: readsOnce, required: true, doc: "selectors"},
				{name: "reason", reads: readsOnce, required: true, doc: "why they are left out"},
				{name: "issue", reads: readsOnce, doc: "where that is tracked"},
				{name: "until", reads: readsOnce, doc: "YYYY-MM-DD, the last day it holds"},
				{name: "when", reads: readsOnce, doc: "false: it leaves out nothing in this run"},
			},
		},
		{
			name: "release", label: "name", doc: "what is shipped",
			attrs: []attrSpec{
				{name: "kernels_per_set", reads: readsCell, doc: "number of kernels in each set"},
			},
			blocks: []*blockSpec{{
				name: "sets", doc: "a rule that makes sets",
				attrs: []attrSpec{
					{name: "for", reads: readsOnce, required: true, doc: "object of target and axes"},
					{name: "path", reads: readsCell, required: true, doc: "folder below the release's"},
					{name: "marker", reads: readsCell, doc: "object: file name -> content"},
					{name: "expect", reads: readsOnce, doc: "number of sets"},
				},
			}, {
				name: "archive", label: "name", doc: "a file that holds some families of every set",
				attrs: []attrSpec{
					{name: "families", reads: readsOnce, required: true, doc: `"*" or a list of names`},
					{name: "formats", reads: readsOnce, required: true, doc: "list of tar.zst, zip"},
					{name: "redistributable", reads: readsOnce, doc: "false: it may hold what must not be passed on"},
				},
			}},
		},
	},
}
