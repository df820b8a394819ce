package toolchains

import (
	"context"
	"strings"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
)

// KindClang is the kind of a clang driver with the AMDGPU backend and lld.
const KindClang = "clang"

// oldest is the first LLVM major that knows all six GPUs with the builtins the
// kernels use; tested is the major that every release is proven with.
const (
	oldest = 19
	tested = 19
)

// File is one member of a closure.
type File struct {
	// Name is relative, slash-separated and the same wherever the toolchain
	// lies: bin/clang++, bin/lld, lib/libLLVM.so.19.1, include/stdint.h,
	// bitcode/ockl.bc. Libraries are named as their users ask for them.
	Name   string
	Path   string // real absolute path on this machine
	Digest cache.Digest
	Size   int64 // bytes
}

// Host reports whether the file belongs to the machine and not to the compiler:
// a shared library that is none of LLVM's own, or the dynamic loader.
func (f File) Host() bool {
	name, isLib := strings.CutPrefix(f.Name, "lib/")
	if !isLib {
		return false
	}
	for _, own := range []string{"libLLVM", "libclang", "liblld"} {
		if strings.HasPrefix(name, own) {
			return false
		}
	}
	return true
}

// Toolchain is a compiler as found on this machine.
type Toolchain struct {
	Name    string // as the matrix calls it: hip
	Kind    string // clang or emitter
	Emitter string // of kind emitter: EmitterZLUDA or EmitterOwn; "" of others
	Version string // as the compiler says: 19.1.7
	Banner  string // first line of its --version
	Why     string // how it was found, for people
	Root    string // directory above bin/
	Files   []File // sorted by name
	// Digest covers (name, digest) of all files; Core only those that are not
	// the host's.
	Digest cache.Digest
	Core   cache.Digest
	// Tools maps symbolic tools ("hip:bin/clang++") to how they are run here.
	Tools map[string]engine.Tool
	// Seen lists what decided the answer besides the files: paths that exist
	// (directories, loader configuration, links) and paths that do not. When
	// none of them changes, and neither the files nor the variables named by
	// Environment, Find gives the same answer.
	Seen Seen

	direct *direct // nil: always by its driver
}

// Seen is what a search looked at outside the closure, sorted.
type Seen struct{ Present, Absent []string }

// Request is a toolchain block of the matrix.
type Request struct{ Name, Kind string }

// Environment names the variables that decide where Find looks.
func Environment() []string {
	return []string{"D4R_ROCM_DIR", EmitterEnv, "KMX_TOOLCHAINS", "XDG_DATA_HOME", "HOME", "LocalAppData", "PATH"}
}

// Find locates the toolchain for a request and fingerprints it. memo may be nil:
// then every file is read and the compiler is asked for its version. Errors are
// *diag.Failure of class Toolchain: what was tried and the next command.
func Find(ctx context.Context, r Request, memo *cache.Memo) (*Toolchain, error) {
	switch r.Kind {
	case KindClang:
		return findClang(ctx, r, memo)
	case KindEmitter:
		return findEmitter(ctx, r, memo)
	}
	return nil, diag.Failf(diag.Toolchain, "use kind = \"clang\" or \"emitter\"", "toolchain %q has kind %q, which this version of kmx does not know", r.Name, r.Kind)
}

// findClang locates the compiler for a request of any kind that needs one.
func findClang(ctx context.Context, r Request, memo *cache.Memo) (*Toolchain, error) {
	look := newLooker()
	found, tried, err := choose(ctx, look, memo)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, notFound(r.Name, tried)
	}
	files, err := found.closure(ctx, look, memo)
	if err != nil {
		return nil, diag.Failf(diag.Toolchain, "run the command again; if it stays, reinstall the compiler", "toolchain %s cannot be fingerprinted: %v", r.Name, err)
	}
	still, err := newSteady(found.driver, files, memo)
	if err != nil {
		return nil, diag.Failf(diag.Toolchain, "run the command again when the update is over", "toolchain %s cannot be fingerprinted: %v", r.Name, err)
	}
	t := &Toolchain{
		Name: r.Name, Kind: r.Kind, Version: found.facts.Version, Banner: found.facts.Banner, Why: found.why,
		Root: found.root(), Files: files, Digest: digestOf(files, false), Core: digestOf(files, true),
	}
	owns := found.owns(files)
	tool := engine.Tool{Path: found.driver, Env: found.env(), Owns: owns, Changed: still.changed}
	if t.direct = found.direct(t.Digest, owns, memo); t.direct != nil {
		tool.Direct = t.direct.way
	}
	t.Tools = map[string]engine.Tool{r.Name + ":bin/clang++": tool}
	t.Seen = look.seen(files)
	return t, nil
}

// Prove finds out whether front end and linker of the toolchain may be run
// without its driver, where that is not known yet, so that no build has to. It
// compiles a trial in a folder below temp. What it found is kept in the memo
// given to Find.
func (t *Toolchain) Prove(ctx context.Context, temp string) (proven bool) {
	return t.direct != nil && t.direct.proven(ctx, temp)
}

// notFound is the failure for people when no candidate is usable.
func notFound(name string, tried []Candidate) error {
	var b strings.Builder
	for _, c := range tried {
		b.WriteString(c.line() + "\n")
	}
	if len(tried) == 0 {
		b.WriteString("no clang++ at all: nothing in D4R_ROCM_DIR, KMX_TOOLCHAINS, /opt/rocm, /usr/lib/llvm-* or on PATH\n")
	}
	return &diag.Failure{Class: diag.Toolchain, Rerun: "go tool mage setup", Messages: diag.List{{
		Summary: "toolchain " + name + ": no usable compiler for AMD GPUs on this machine",
		Detail:  strings.TrimRight("needed: clang 19 or newer with the AMDGPU backend and lld beside it\n"+b.String(), "\n"),
		Hint:    "go tool mage setup   gets one (it says what it does; no GPU and no ROCm needed)",
	}}}
}
