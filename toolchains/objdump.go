package toolchains

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// hasObjdump says whether an llvm-objdump lies beside the compiler or on PATH.
func hasObjdump(in *installation) bool {
	if _, err := os.Stat(filepath.Join(in.bin, "llvm-objdump"+exe)); err == nil {
		return true
	}
	for _, name := range []string{fmt.Sprintf("llvm-objdump-%d", in.version()), "llvm-objdump"} {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}

// version is the compiler's major, 0 when nothing tells.
func (in *installation) version() int {
	if in.major > 0 {
		return in.major
	}
	head, _, _ := strings.Cut(in.facts.Version, ".")
	major, _ := strconv.Atoi(head) // 0 on failure
	return major
}

// objdump adds llvm-objdump to a compiler that came without: the emulator
// decodes with it. Building needs none, so what goes wrong is only told.
func (s *setup) objdump(ctx context.Context, in *installation) error {
	if s.inspects(in) {
		return nil
	}
	s.say("  no llvm-objdump beside it or on PATH: kernels cannot be run on the emulator")
	if s.goos != "linux" || !s.has("apt-get") || in.version() == 0 {
		s.say("  it is part of LLVM's tools: install those of this compiler's version")
		return nil
	}
	name := fmt.Sprintf("llvm-%d", in.version())
	install := []string{"install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", name}
	if !s.root {
		s.say("  this adds it: sudo apt-get install -y --no-install-recommends %s", name)
		return nil
	}
	s.say("  as root: apt-get %s", strings.Join(install, " "))
	err := s.apt(ctx, nil, "", install...)
	if err != nil && ctx.Err() == nil {
		s.say("  that failed with the package lists that were here; reading new ones: apt-get update")
		if err = s.apt(ctx, nil, "", "update"); err == nil {
			err = s.apt(ctx, nil, "", install...)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.say("  it could not be installed: %v", err)
	}
	return nil
}
