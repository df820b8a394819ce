package emit

import (
	"fmt"
	"strings"

	"kmx/amdgpu/codeobj"
)

// DefaultMaxBlock is the most threads of a block of a kernel that states
// neither .maxntid nor .reqntid.
const DefaultMaxBlock = 256

// Options says how kernels are lowered.
type Options struct {
	Target string // "gfx1201"
	Wave64 bool   // waves of 64 lanes, two warps each
	// Denormals keeps f32 denormals where an instruction has no .ftz. Without
	// it all f32 arithmetic flushes them, .ftz or not. f16 and f64 denormals
	// are always kept.
	Denormals bool
	// MaxBlock is the most threads of a block of a kernel that does not state
	// it; 0 is DefaultMaxBlock.
	MaxBlock int
	// Bitcode are the files that are linked in, as the clang command finds
	// them. Without any, calls of external functions and surface stores are
	// refused.
	Bitcode []string
	// Whole links all of the bitcode, kernels and exported symbols included, as
	// heads and tails with a preparation kernel need it. Without it only functions
	// that are called are taken, and nothing of them is exported.
	Whole bool
}

func (o Options) check() error {
	var wrong []string
	if !codeobj.Known(o.Target) || !strings.HasPrefix(o.Target, "gfx11") && !strings.HasPrefix(o.Target, "gfx12") || strings.HasSuffix(o.Target, "-generic") {
		wrong = append(wrong, fmt.Sprintf("target %q is none that the emitter knows (gfx1100 to gfx1103, gfx1200, gfx1201)", o.Target))
	}
	if o.MaxBlock < 0 || o.MaxBlock > 1024 {
		wrong = append(wrong, fmt.Sprintf("MaxBlock %d: a block has 1 to 1024 threads", o.MaxBlock))
	}
	if wrong != nil {
		return fmt.Errorf("emit: %s", strings.Join(wrong, "; "))
	}
	return nil
}

func (o Options) maxBlock() int {
	if o.MaxBlock == 0 {
		return DefaultMaxBlock
	}
	return o.MaxBlock
}

// denormal is the mode of f32 as LLVM and clang write it.
func (o Options) denormal() string {
	if o.Denormals {
		return "ieee,ieee"
	}
	return "preserve-sign,preserve-sign"
}

// Args are the arguments of clang that make a code object, named object, of IR
// that Lower wrote with the same options to the file ir. With assembly the result
// is the assembly of the kernels instead.
//
// Contraction is off, since PTX says where a fused multiply-add stands. LLVM 19
// sinks cross-lane operations under divergent control flow, where they read
// inactive lanes; -disable-machine-sink keeps it from doing so. The denormal mode
// is stated a second time, because clang gives the linked functions, whose mode is
// dynamic, that of the command line, and inlines them only where it is that of the
// kernel.
func Args(o Options, ir, object string, assembly bool) []string {
	args := []string{
		"-x", "ir", "--target=amdgcn-amd-amdhsa", "-mcpu=" + o.Target,
		"--no-default-config", "-nogpulib", "-O3", "-ffp-contract=off", "-mcode-object-version=5",
		"-fno-crash-diagnostics", "-Wno-override-module",
		"-mllvm", "-disable-machine-sink",
		"-Xclang", "-fdenormal-fp-math-f32=" + o.denormal(),
	}
	if o.Wave64 {
		args = append(args, "-mwavefrontsize64")
	} else {
		args = append(args, "-mno-wavefrontsize64")
	}
	link := "-mlink-builtin-bitcode"
	if o.Whole {
		link = "-mlink-bitcode-file"
	}
	for _, b := range o.Bitcode {
		args = append(args, "-Xclang", link, "-Xclang", b)
	}
	if assembly {
		args = append(args, "-S")
	}
	return append(args, ir, "-o", object)
}
