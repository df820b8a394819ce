package toolchains

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"kmx/internal/diag"
)

// packageNames are what root installs. llvm-NN holds llvm-readelf and
// llvm-objdump, with which people look at objects.
func packageNames(major int) []string {
	return []string{fmt.Sprintf("clang-%d", major), fmt.Sprintf("lld-%d", major), fmt.Sprintf("llvm-%d", major)}
}

// installPackages installs the compiler for everybody on the machine.
func (s *setup) installPackages(ctx context.Context) error {
	fresh := false
	major, err := s.candidate(ctx, nil)
	if err != nil {
		return err
	}
	if major == 0 {
		s.say("reading the package lists: apt-get update")
		if err := s.apt(ctx, nil, "", "update"); err != nil {
			return err
		}
		fresh = true
		if major, err = s.candidate(ctx, nil); err != nil {
			return err
		}
	}
	if major == 0 {
		return s.noPackage()
	}
	install := append([]string{"install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"}, packageNames(major)...)
	s.say("as root: installing %s (about 110 MB to fetch, 520 MB on disk with all they need)", strings.Join(packageNames(major), ", "))
	s.say("  apt-get %s", strings.Join(install, " "))
	err = s.apt(ctx, nil, "", install...)
	if err != nil && !fresh && ctx.Err() == nil {
		// Lists that are older than the archive name files that are gone.
		s.say("that failed with the package lists that were here; reading new ones: apt-get update")
		if err := s.apt(ctx, nil, "", "update"); err != nil {
			return err
		}
		err = s.apt(ctx, nil, "", install...)
	}
	return err
}

// apt runs apt-get; options come before the verb. Lines that say how much there
// is to do are passed on.
func (s *setup) apt(ctx context.Context, options []string, dir string, args ...string) error {
	argv := append(append([]string{"apt-get", "-q"}, options...), args...)
	unpacking := false
	_, err := s.command(ctx, command{dir: dir, argv: argv, line: func(line string) {
		switch {
		case strings.HasPrefix(line, "Need to get "), strings.HasPrefix(line, "After this operation"), strings.HasPrefix(line, "Fetched "):
			s.say("  %s", line)
		case strings.HasPrefix(line, "Unpacking ") && !unpacking:
			unpacking = true
			s.say("  unpacking (a minute or so)")
		}
	}})
	if err != nil && ctx.Err() == nil {
		return &diag.Failure{Class: diag.Toolchain, Err: err, Rerun: "go tool mage setup", Messages: diag.List{{
			Summary: "the package manager failed",
			Detail:  err.Error(),
			Hint:    "mend what it names (network, proxy, sources, disk) and run go tool mage setup again; what is fetched is kept",
		}}}
	}
	return err
}

var candidateLine = regexp.MustCompile(`(?m)^\s*Candidate:\s*(\S+)`)

// candidate returns the first wanted major that the package lists offer, 0 for
// none.
func (s *setup) candidate(ctx context.Context, options []string) (int, error) {
	for _, major := range wanted {
		argv := append(append([]string{"apt-cache"}, options...), "policy", fmt.Sprintf("clang-%d", major))
		out, err := s.command(ctx, command{argv: argv})
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if m := candidateLine.FindStringSubmatch(out); err == nil && m != nil && m[1] != "(none)" {
			return major, nil
		}
	}
	return 0, nil
}

func (s *setup) noPackage() error {
	dir, err := PrefixDir()
	if err != nil {
		return err
	}
	none := func(string) bool { return false }
	return &diag.Failure{Class: diag.Toolchain, Rerun: "go tool mage setup", Messages: diag.List{{
		Summary: "the package sources of this system offer no clang 19 or newer",
		Detail:  "by hand:\n  " + strings.Join(advice("linux", none, dir), "\n  "),
		Hint:    "or add a source that has it (Debian 12 and newer, Ubuntu 24.04 and newer, apt.llvm.org) and run go tool mage setup again",
	}}}
}
