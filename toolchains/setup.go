package toolchains

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"kmx/internal/diag"
)

// wanted are the majors that Setup installs, the tested one first; a
// distribution that no longer has it may have a newer one.
var wanted = []int{19, 20, 21, 22}

// Setup makes sure that there is a usable compiler. It tells through say what it
// finds, what it is going to do and what it did. When a compiler is there it
// only tries it; otherwise:
//
//   - root on a system with apt: installs the distribution's packages
//   - anybody else on such a system: unpacks the same packages into a private
//     prefix below PrefixDir, with package lists of its own; nothing else changes
//   - elsewhere: says the command to type and returns a failure
//
// A compiler without llvm-objdump, which the emulator needs, gets it as root and
// is told how to get it otherwise.
//
// At the end a kernel is compiled for one GPU of each generation. Errors are
// *diag.Failure of class Toolchain, or the context's.
func Setup(ctx context.Context, say func(format string, args ...any)) error {
	s := &setup{say: say, machine: thisMachine()}
	return s.whole(ctx)
}

// whole gives every error a class.
func (s *setup) whole(ctx context.Context) error {
	err := s.run(ctx)
	var known *diag.Failure
	if err == nil || ctx.Err() != nil || errors.As(err, &known) {
		return err
	}
	f := diag.Failf(diag.Toolchain, "mend what it names and run go tool mage setup again", "setup could not finish: %v", err)
	f.Err = err
	return f
}

// machine is what Setup asks of the system; tests have others.
type machine struct {
	goos    string
	root    bool
	has     func(program string) bool
	command func(ctx context.Context, c command) (string, error)
	choose  func(ctx context.Context) (*installation, []Candidate, error)
	try     func(ctx context.Context, in *installation) error
	// inspects says whether there is an llvm-objdump for a compiler
	inspects func(in *installation) bool
}

// command is one process of a package tool.
type command struct {
	dir  string
	argv []string
	line func(string) // sees each line of output as it comes; may be nil
}

func (c command) String() string { return strings.Join(c.argv, " ") }

func thisMachine() machine {
	return machine{
		goos: runtime.GOOS,
		root: os.Geteuid() == 0,
		has: func(program string) bool {
			_, err := exec.LookPath(program)
			return err == nil
		},
		command: runCommand,
		choose: func(ctx context.Context) (*installation, []Candidate, error) {
			return choose(ctx, newLooker(), nil)
		},
		try:      try,
		inspects: hasObjdump,
	}
}

type setup struct {
	machine
	say func(format string, args ...any)
}

func (s *setup) run(ctx context.Context) error {
	in, tried, err := s.choose(ctx)
	if err != nil {
		return err
	}
	if in != nil {
		s.say("compiler: %s", in.facts.Banner)
		s.say("  at %s (%s)", in.driver, in.why)
		if err := s.objdump(ctx, in); err != nil {
			return err
		}
		return s.prove(ctx, in)
	}
	s.say("no compiler for AMD GPUs yet (needed: clang %d or newer with the AMDGPU backend, and lld)", oldest)
	for _, c := range tried {
		s.say("  not usable: %s", c.line())
	}
	if s.goos != "linux" || !s.has("apt-get") {
		return s.elsewhere()
	}
	started := time.Now()
	if s.root {
		err = s.installPackages(ctx)
	} else {
		err = s.unpackPrefix(ctx)
	}
	if err != nil {
		return err
	}
	if in, tried, err = s.choose(ctx); err != nil {
		return err
	}
	if in == nil {
		return notFound("hip", tried)
	}
	s.say("installed: %s", in.facts.Banner)
	s.say("  at %s, in %s", in.driver, time.Since(started).Round(time.Second))
	return s.prove(ctx, in)
}

// prove compiles for real, so that a broken installation is found here and not
// in the first build.
func (s *setup) prove(ctx context.Context, in *installation) error {
	if err := s.try(ctx, in); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &diag.Failure{Class: diag.Toolchain, Err: err, Messages: diag.List{{
			Summary: "the compiler is there but does not compile a kernel",
			Detail:  in.driver + "\n" + err.Error(),
			Hint:    "reinstall it, or name another one in D4R_ROCM_DIR",
		}}}
	}
	s.say("  it compiles for %s", strings.Join(trialTargets, " and "))
	return nil
}

// elsewhere is the failure on a system whose packages Setup does not handle.
func (s *setup) elsewhere() error {
	dir, err := PrefixDir()
	if err != nil {
		dir = filepath.Join("$HOME", ".local", "share", "kmx", "toolchains")
	}
	return &diag.Failure{Class: diag.Toolchain, Rerun: "go tool mage setup", Messages: diag.List{{
		Summary: "setup does not install a compiler on this system by itself",
		Detail:  "this does:\n  " + strings.Join(advice(s.goos, s.has, dir), "\n  "),
		Hint:    "then run go tool mage setup again; it will find the compiler",
	}}}
}

// advice says how people get a compiler on a system without apt: by its package
// manager, or by hand.
func advice(goos string, has func(string) bool, prefix string) []string {
	switch {
	case goos == "darwin" && has("brew"), goos == "linux" && has("brew") && !hasAny(has, "dnf", "pacman", "zypper", "apk"):
		return []string{
			"brew install llvm lld",
			`ln -s "$(brew --prefix lld)/bin/lld" "$(brew --prefix llvm)/bin/lld"`,
		}
	case goos == "windows" && has("winget"):
		return []string{"winget install --id LLVM.LLVM --exact"}
	case goos == "linux" && has("dnf"):
		return []string{"sudo dnf install clang lld llvm"}
	case goos == "linux" && has("pacman"):
		return []string{"sudo pacman -S --needed clang lld llvm"}
	case goos == "linux" && has("zypper"):
		return []string{"sudo zypper install clang19 lld19 llvm19"}
	case goos == "linux" && has("apk"):
		return []string{"sudo apk add clang19 lld llvm19"}
	}
	return []string{
		"take LLVM 19.1.7 for this system from https://github.com/llvm/llvm-project/releases/tag/llvmorg-19.1.7",
		"unpack it so that this exists: " + filepath.Join(prefix, "llvm-19", "bin", "clang++"),
	}
}

func hasAny(has func(string) bool, programs ...string) bool {
	for _, p := range programs {
		if has(p) {
			return true
		}
	}
	return false
}
