package engine

import (
	"cmp"
	"encoding/binary"
	"slices"

	"kmx/cache"
)

// keyFormat is the first thing in every key. A change in what Visit shows or in how it is encoded needs a new one.
const keyFormat = "kmx.action/1"

// Input is one file that an action may read.
type Input struct {
	Path   string       // where it lies in the sandbox: relative, with slashes, without ".."
	Digest cache.Digest // what counts of it in the key: of its bytes, unless there is a Rule

	// Rule names what Digest is taken from if not from the bytes: the tokens of a source. Two files with the same
	// digest by the same rule must make no difference to what the action gives. Then Bytes is the digest of the bytes
	// that the action reads. It is in no key, that is what a rule is for; the sandbox and remote workers hold copies
	// against it.
	Rule  string
	Bytes cache.Digest
}

// Content is the digest of the bytes.
func (in Input) Content() cache.Digest {
	if in.Rule == "" {
		return in.Digest
	}
	return in.Bytes
}

// shown is how the input stands in the key.
func (in Input) shown() string {
	if in.Rule == "" {
		return in.Digest.String()
	}
	return in.Rule + " " + in.Digest.String()
}

// EnvVar is one variable in the environment of an action.
type EnvVar struct {
	Name, Value string
}

// Action describes one process so completely that equal actions give equal outputs on any machine. It names nothing
// of this machine: the tool is a symbol that Options.Tools resolves when the action runs.
type Action struct {
	Kind      string       // what sort of step it is: "compile", "emit"; part of the key
	Tool      string       // symbolic: "hip:bin/clang++"
	Args      []string     // argv[1:], paths relative to the sandbox
	Env       []EnvVar     // besides the fixed PATH, TMPDIR, LC_ALL and SOURCE_DATE_EPOCH
	Toolchain cache.Digest // of the whole closure of the tool
	Inputs    []Input      // every file it may read, besides the tool's own
	Outputs   []string     // files that it must write; relative, with slashes, without ".."

	// Depfile names the file in Makefile syntax in which the tool lists what it read. It must be there after a
	// success and may list declared inputs and files of the toolchain only. It is read, not kept. Empty: the
	// inputs are complete by construction (LLVM IR, emitters).
	Depfile string
}

// Visit shows every field of the action, in the one order that keys, records and explanations share. Inputs, outputs
// and environment are sorted, as their order means nothing; the order of arguments does.
//
//	tag        name   value
//	kind              the kind
//	tool              the symbolic tool
//	toolchain         digest of the closure, hex
//	arg               one argument
//	env        NAME   value
//	input      path   digest, hex, behind its rule and a space if there is one
//	output     path
//	depfile           path or nothing
func (a *Action) Visit(f func(tag, name, value string)) {
	f("kind", "", a.Kind)
	f("tool", "", a.Tool)
	f("toolchain", "", a.Toolchain.String())
	for _, arg := range a.Args {
		f("arg", "", arg)
	}
	for _, e := range sorted(a.Env, func(x, y EnvVar) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Value, y.Value))
	}) {
		f("env", e.Name, e.Value)
	}
	for _, in := range sorted(a.Inputs, func(x, y Input) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), slices.Compare(x.Digest[:], y.Digest[:]), cmp.Compare(x.Rule, y.Rule))
	}) {
		f("input", in.Path, in.shown())
	}
	for _, out := range sorted(a.Outputs, cmp.Compare[string]) {
		f("output", out, "")
	}
	f("depfile", "", a.Depfile)
}

// Key is the name of the action in the cache: BLAKE3 over the format and everything Visit shows.
func (a *Action) Key() cache.Digest {
	b := make([]byte, 0, 4096)
	b = appendText(b, keyFormat)
	a.Visit(func(tag, name, value string) { b = appendField(b, tag, name, value) })
	return cache.Sum(b)
}

// Fields is what Visit shows, for the record of the action, and behind it "bytes" with the path and the digest, in hex, of
// each input whose bytes are not in the key: what the record was made from, to explain a difference.
func (a *Action) Fields() []cache.Field {
	fields := make([]cache.Field, 0, 5+len(a.Args)+len(a.Env)+2*len(a.Inputs)+len(a.Outputs))
	a.Visit(func(tag, name, value string) {
		fields = append(fields, cache.Field{Tag: tag, Name: name, Value: value})
	})
	for _, in := range a.Inputs {
		if in.Rule != "" {
			fields = append(fields, cache.Field{Tag: "bytes", Name: in.Path, Value: in.Bytes.String()})
		}
	}
	return fields
}

// appendField encodes one field so that no two lists of fields have the same encoding: every text goes behind its
// length, so that the list can be read back from the bytes.
func appendField(b []byte, tag, name, value string) []byte {
	return appendText(appendText(appendText(b, tag), name), value)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// sorted leaves the caller's slice as it is, and copies only what is not in order yet.
func sorted[T any](list []T, by func(x, y T) int) []T {
	if slices.IsSortedFunc(list, by) {
		return list
	}
	list = slices.Clone(list)
	slices.SortFunc(list, by)
	return list
}
