package plan

import (
	"fmt"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/engine"
)

// The rules by which the digest of a source in a key is taken. An action has
// one for all its sources, the first that its flags and all of them allow:
// macros carry what one of them does into the others.
const (
	byTokens = "tokens" // comments and white space do not count
	byLayout = "layout" // comments and blank lines do not count
	byBytes  = ""
)

// freestanding are the toolchain's headers that are known to ask for no place
// and to look at no white space. With any other one, sources count by their
// bytes: <assert.h> uses __LINE__.
var freestanding = []string{
	"stdint.h", "stddef.h", "stdbool.h", "stdarg.h", "stdalign.h", "stdnoreturn.h", "iso646.h", "limits.h", "float.h",
}

// ruleOf gives the rule for an action from its arguments, its environment and
// what its sources do.
func ruleOf(args []string, env []engine.EnvVar, t traits) string {
	f := flagsOf(args, env)
	t |= f.traits
	switch {
	case f.bytes, t&(irregular|positional) != 0, t&piece != 0 && t&pastes != 0:
		return byBytes
	case f.errors && (f.style || t&odd != 0):
		return byBytes
	case f.errors || t&spaced != 0:
		return byLayout
	}
	return byTokens
}

// flags is what the arguments of a compiler say about how it reads sources.
type flags struct {
	bytes  bool   // places may get into what is made
	errors bool   // warnings fail the action, and some are about layout
	style  bool   // asks for warnings about what is in comments
	traits traits // of the macros defined
}

// positionalFlags are the starts of flags that put places into what is made,
// or that change how characters become tokens, or that run other code.
var positionalFlags = []string{
	// debug information, remarks, coverage and checks name lines
	"-g", "-debug", "-dwarf", "-fdebug", "-fprofile", "-fcoverage", "-fsanitize", "-fopenmp", "-R", "-fsave-opt", "-foptimization-record",
	"-fstack-usage", "-finstrument", "-fcs-profile", "-ftest-coverage", "--coverage", "-pg",
	// LLVM IR keeps the offsets of assembly
	"-emit-llvm", "-flto", "-foffload-lto", "-fgpu-rdc", "-fembed-bitcode", "-save-temps", "--save-temps", "-E", "-M", "-S",
	// other characters, other tokens
	"-trigraphs", "-ftrigraphs", "-ansi", "-traditional", "-C", "-P", "-fraw-string", "-fno-raw-string", "-finput-charset", "-fexec-charset",
	"-verify", "-fms-", "-Wp,", "--language", "-fmodule", "-fcxx-modules", "-include-pch", "--precompile",
	// somebody else's code, or flags that are not seen here
	"-load", "-plugin", "-fplugin", "-fpass-plugin", "-ivfsoverlay", "--config", "@",
}

// standards are those of the language whose literals tokenize knows.
var standards = []string{"17", "1z", "20", "2a", "23", "2b", "26", "2c"}

func flagsOf(args []string, env []engine.EnvVar) flags {
	// Without it the driver includes headers that nobody names.
	f := flags{bytes: !slices.Contains(args, "-nogpuinc")}
	for _, e := range env {
		if strings.HasPrefix(e.Name, "CCC_") { // clang takes flags from there
			f.bytes = true
		}
	}
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "-std="); ok || strings.HasPrefix(arg, "--std") {
			year, known := strings.CutPrefix(strings.TrimPrefix(value, "gnu"), "c++")
			f.bytes = f.bytes || !ok || !known && !strings.HasPrefix(value, "gnu++") || !slices.Contains(standards, strings.TrimPrefix(year, "++"))
			continue
		}
		define, defines := strings.CutPrefix(arg, "-D")
		if defines && define == "" && i+1 < len(args) {
			define = args[i+1]
		}
		switch {
		case arg == "-x" && i+1 < len(args) && args[i+1] == "hip":
		case strings.HasPrefix(arg, "-x"):
			f.bytes = true
		case defines:
			f.traits |= tokenize([]byte("#define " + strings.Replace(define, "=", " ", 1) + "\n")).Traits
		case strings.HasPrefix(arg, "-Werror"), arg == "-pedantic-errors":
			f.errors = true
		case strings.HasPrefix(arg, "-Wdocumentation"), arg == "-Weverything", strings.HasPrefix(arg, "-Wnewline"):
			f.style = true
		case slices.Contains([]string{"-g0", "-MD", "-MF", "-MT", "-MP"}, arg):
		default:
			f.bytes = f.bytes || slices.ContainsFunc(positionalFlags, func(p string) bool { return strings.HasPrefix(arg, p) })
		}
	}
	return f
}

// An input is a source file with all the digests that may stand for it.
type input struct {
	path     string
	bytes    cache.Digest
	tokens   tokens
	embedded bool // taken as it is, too
}

// A reading is all that an action reads.
type reading struct {
	sources []input // by path
	traits  traits  // of all of them
}

// inputs are the sources as an action with that rule has them.
func (r reading) inputs(rule string) []engine.Input {
	in := make([]engine.Input, len(r.sources))
	for i, s := range r.sources {
		in[i] = engine.Input{Path: s.path, Digest: s.bytes}
		switch {
		case s.embedded:
		case rule == byTokens:
			in[i] = engine.Input{Path: s.path, Rule: rule, Digest: s.tokens.Bare, Bytes: s.bytes}
		case rule == byLayout:
			in[i] = engine.Input{Path: s.path, Rule: rule, Digest: s.tokens.Laid, Bytes: s.bytes}
		}
	}
	return in
}

// tokensKind versions the memoised digests: it changes with tokenize.
const tokensKind = "tokens/2"

// String is how the memo keeps tokens.
func (t tokens) String() string { return fmt.Sprintf("%s %s %d", t.Bare, t.Laid, t.Traits) }

func parseTokens(text string) (t tokens, ok bool) {
	var bare, laid string
	if n, _ := fmt.Sscanf(text, "%s %s %d", &bare, &laid, &t.Traits); n != 3 {
		return tokens{}, false
	}
	var errBare, errLaid error
	t.Bare, errBare = cache.ParseDigest(bare)
	t.Laid, errLaid = cache.ParseDigest(laid)
	return t, errBare == nil && errLaid == nil
}
