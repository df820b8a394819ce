package toolchains

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// unpackPrefix fetches the packages as an ordinary user and unpacks them below
// PrefixDir. Everything happens in a staging folder beside the prefix: package
// lists (the system's may be absent or old), packages, and the tree, which
// becomes the prefix by one rename. What was fetched survives an interruption.
func (s *setup) unpackPrefix(ctx context.Context) error {
	if !s.has("dpkg") {
		return s.elsewhereApt()
	}
	dir, err := PrefixDir()
	if err != nil {
		return diag.Failf(diag.Toolchain, "set KMX_TOOLCHAINS to a folder for compilers", "no folder for a private compiler: %v", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return diag.Failf(diag.Toolchain, "set KMX_TOOLCHAINS to a folder that can be written", "the folder for a private compiler cannot be made: %v", err)
	}
	s.say("not root: the distribution's packages are unpacked into a private folder; nothing outside it changes")
	s.say("  %s (about 85 MB to fetch, 340 MB on disk; delete it to undo)", filepath.Join(dir, "llvm-*"))
	lock, err := durable.Acquire(ctx, filepath.Join(dir, ".lock"), fmt.Sprintf("mage setup, process %d", os.Getpid()), func(holder string) {
		s.say("waiting for another setup (%s)", holder)
	})
	if err != nil {
		return err
	}
	defer lock.Release()
	if in, _, err := s.choose(ctx); in != nil || err != nil {
		return err // the other setup was quicker
	}
	st := &staging{setup: s, dir: filepath.Join(dir, ".staging")}
	if err := st.prepare(); err != nil {
		return err
	}
	s.say("reading package lists of its own: apt-get -c %s update", st.conf())
	if err := s.apt(ctx, st.options(), "", "update"); err != nil {
		return err
	}
	major, err := s.candidate(ctx, st.options())
	if err != nil {
		return err
	}
	if major == 0 {
		return s.noPackage()
	}
	final := filepath.Join(dir, fmt.Sprintf("llvm-%d", major))
	if err := st.fetch(ctx, major); err != nil {
		return err
	}
	if err := st.unpack(ctx, major); err != nil {
		return err
	}
	if err := os.RemoveAll(final); err != nil { // an unusable one, or choose would have taken it
		return err
	}
	if err := os.Rename(st.tree(), final); err != nil {
		return err
	}
	s.say("unpacked into %s", final)
	return os.RemoveAll(st.dir)
}

func (s *setup) elsewhereApt() error {
	return &diag.Failure{Class: diag.Toolchain, Rerun: "go tool mage setup", Messages: diag.List{{
		Summary: "not root, and without dpkg packages cannot be unpacked privately",
		Detail:  "this does:\n  sudo apt-get update\n  sudo apt-get install -y --no-install-recommends " + strings.Join(packageNames(tested), " "),
		Hint:    "then run go tool mage setup again; it will find the compiler",
	}}}
}

type staging struct {
	*setup
	dir  string
	debs []string // file names of the packages to unpack
}

func (st *staging) conf() string      { return filepath.Join(st.dir, "apt.conf") }
func (st *staging) packages() string  { return filepath.Join(st.dir, "packages") }
func (st *staging) tree() string      { return filepath.Join(st.dir, "tree") }
func (st *staging) options() []string { return []string{"-c", st.conf()} }

// prepare writes a configuration with which apt works without root: state and
// caches of its own, the system's sources, keys and list of installed packages,
// and none of the system's hooks.
func (st *staging) prepare() error {
	for _, dir := range []string{"state/lists/partial", "cache/archives/partial", "log", "packages"} {
		if err := os.MkdirAll(filepath.Join(st.dir, filepath.FromSlash(dir)), 0o755); err != nil {
			return err
		}
	}
	if strings.ContainsAny(st.dir, "\"\n;") {
		return diag.Failf(diag.Toolchain, "set KMX_TOOLCHAINS to a folder with a plainer name", "apt cannot be told about the folder %q", st.dir)
	}
	conf := fmt.Sprintf(`Dir::State "%[1]s/state";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "%[1]s/cache";
Dir::Log "%[1]s/log";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
Acquire::Languages "none";
APT::Sandbox::User "";
`, st.dir)
	return durable.WriteFile(st.conf(), []byte(conf), 0o644)
}

var installLine = regexp.MustCompile(`(?m)^Inst (\S+)`)

// fetch downloads the compiler's packages and, as apt's own resolver names them,
// the libraries that the machine lacks. apt checks the signatures of the lists
// and the digest of each package; one that is already there is kept.
func (st *staging) fetch(ctx context.Context, major int) error {
	core := []string{
		fmt.Sprintf("clang-%d", major), fmt.Sprintf("libclang-cpp%d", major), fmt.Sprintf("libllvm%d", major),
		fmt.Sprintf("lld-%d", major), fmt.Sprintf("libclang-common-%d-dev", major), fmt.Sprintf("llvm-%d", major),
	}
	// The compiler packages themselves depend on a host compiler, which kernels
	// do not need; their libraries' dependencies are all that is wanted.
	argv := append([]string{"apt-get", "-q"}, st.options()...)
	argv = append(argv, "-s", "--no-install-recommends", "install", core[1], core[2], core[3])
	plan, err := st.command(ctx, command{argv: argv})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	names := slices.Clone(core)
	if err == nil {
		for _, m := range installLine.FindAllStringSubmatch(plan, -1) {
			if name, _, _ := strings.Cut(m[1], ":"); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if st.debs, err = st.files(ctx, names); err != nil {
		return err
	}
	st.say("fetching %d packages: %s", len(names), strings.Join(names, " "))
	return st.apt(ctx, st.options(), st.packages(), append([]string{"download"}, names...)...)
}

var uriLine = regexp.MustCompile(`(?m)^'[^']*' (\S+\.deb) \d+`)

// files asks which files the packages are. Others in the folder, left by an
// interrupted run with older lists, are not to be unpacked.
func (st *staging) files(ctx context.Context, names []string) ([]string, error) {
	argv := append(append([]string{"apt-get", "-q"}, st.options()...), "--print-uris", "download")
	out, err := st.command(ctx, command{dir: filepath.Join(st.dir, "log"), argv: append(argv, names...)})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var files []string
	for _, m := range uriLine.FindAllStringSubmatch(out, -1) {
		files = append(files, m[1])
	}
	if err != nil || len(files) != len(names) {
		return nil, diag.Failf(diag.Toolchain, "install them as root: sudo apt-get install -y --no-install-recommends "+strings.Join(packageNames(tested), " "),
			"the package lists do not offer all of %s: %v\n%s", strings.Join(names, ", "), err, lastLines(out, 8))
	}
	return files, nil
}

// unpack makes the tree of the prefix.
func (st *staging) unpack(ctx context.Context, major int) error {
	if err := os.RemoveAll(st.tree()); err != nil {
		return err
	}
	if err := os.MkdirAll(st.tree(), 0o755); err != nil {
		return err
	}
	st.say("unpacking")
	var list strings.Builder
	for _, deb := range st.debs {
		if _, err := st.command(ctx, command{argv: []string{"dpkg", "-x", filepath.Join(st.packages(), deb), st.tree()}}); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return diag.Failf(diag.Toolchain, "look for space on the disk and run go tool mage setup again", "a package could not be unpacked: %v", err)
		}
		list.WriteString(deb + "\n")
	}
	if err := durable.WriteFile(filepath.Join(st.tree(), "packages.txt"), []byte(list.String()), 0o644); err != nil {
		return err
	}
	return linkLibLLVM(st.tree(), major)
}

// linkLibLLVM puts libLLVM where clang and lld look first, beside libclang-cpp:
// a system finds it through its loader's cache, which knows no prefix.
func linkLibLLVM(tree string, major int) error {
	libs, err := filepath.Glob(filepath.Join(tree, "usr", "lib", "*-linux-*", fmt.Sprintf("libLLVM.so.%d*", major)))
	if err != nil {
		return err
	}
	beside := filepath.Join(tree, "usr", "lib", fmt.Sprintf("llvm-%d", major), "lib")
	for _, lib := range libs {
		target, err := filepath.Rel(beside, lib)
		if err != nil {
			return err
		}
		if err := os.Symlink(target, filepath.Join(beside, filepath.Base(lib))); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}
