package toolchains

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"kmx/cache"
	"kmx/internal/diag"
)

// Candidate is one place that was considered.
type Candidate struct {
	Path    string // the clang++ there, or the place where one was expected
	Version string // "19.1.7", or "19" when only the directory layout told; "" unknown
	Why     string // what made it a candidate
	Err     error  // why it is not usable; nil for a usable one
}

func (c Candidate) line() string {
	text := c.Path + " (" + c.Why + ")"
	if c.Err != nil {
		return text + ": " + c.Err.Error()
	}
	return text
}

// Search lists every place considered, in the order in which Find takes them:
// D4R_ROCM_DIR, private prefixes, /opt/rocm, versioned clangs (19 first, then
// newest first), clang++ on PATH. It starts no process, so a candidate without
// an error may still turn out to lack the AMDGPU backend.
func Search() []Candidate {
	var out []Candidate
	for p := range places(newLooker()) {
		out = append(out, p.Candidate)
	}
	return out
}

// place is a candidate with the installation that was located there.
type place struct {
	Candidate
	inst     *installation
	explicit bool // named by the user: used or refused, never passed over
}

// places yields them in order, and looks no further than it is asked to.
func places(l *looker) iter.Seq[place] {
	return func(yield func(place) bool) {
		s := &searcher{l: l, yield: yield, done: map[string]bool{}}
		s.all()
	}
}

type searcher struct {
	l     *looker
	yield func(place) bool
	over  bool            // nobody listens any more
	done  map[string]bool // binaries already listed
}

func (s *searcher) all() {
	if rocm := os.Getenv("D4R_ROCM_DIR"); rocm != "" {
		s.tree(rocm, "D4R_ROCM_DIR", true)
	}
	if dir, err := PrefixDir(); err == nil && !s.over && s.l.isDir(dir) {
		for _, major := range s.majorsFirst() {
			s.tree(filepath.Join(dir, fmt.Sprintf("llvm-%d", major)), "private prefix", false)
		}
		for _, name := range s.names(dir) {
			if name[0] != '.' {
				s.tree(filepath.Join(dir, name), "private prefix", false)
			}
		}
	}
	if runtime.GOOS != "windows" {
		s.tree("/opt/rocm", "ROCm", false)
	}
	path := filepath.SplitList(os.Getenv("PATH"))
	for _, major := range s.majorsFirst() {
		for _, dir := range path {
			s.driver(filepath.Join(dir, fmt.Sprintf("clang++-%d", major)), "on PATH")
		}
		for _, pattern := range systemTrees {
			s.tree(fmt.Sprintf(pattern, major), "system LLVM", false)
		}
	}
	for _, tree := range moreTrees() {
		s.tree(tree, "system LLVM", false)
	}
	for _, dir := range path {
		s.driver(filepath.Join(dir, "clang++"), "on PATH")
	}
}

// systemTrees are where distributions put versioned LLVMs: Debian and Ubuntu,
// Fedora's compatibility packages, Alpine, Homebrew on both processors.
var systemTrees = []string{"/usr/lib/llvm-%d", "/usr/lib64/llvm%d", "/usr/lib/llvm%d", "/opt/homebrew/opt/llvm@%d", "/usr/local/opt/llvm@%d"}

func moreTrees() []string {
	if runtime.GOOS == "windows" {
		var out []string
		for _, name := range []string{"ProgramFiles", "ProgramW6432"} {
			if dir := os.Getenv(name); dir != "" {
				out = append(out, filepath.Join(dir, "LLVM"))
			}
		}
		return out
	}
	return []string{"/opt/homebrew/opt/llvm", "/usr/local/opt/llvm"}
}

// names lists a directory unless the search is over.
func (s *searcher) names(dir string) []string {
	if s.over {
		return nil
	}
	return s.l.names(dir)
}

func (s *searcher) found(p place) { s.over = s.over || !s.yield(p) }

// majorsFirst: the tested major, the others newest first, then the too old ones,
// which are listed so that a failure can name them.
func (s *searcher) majorsFirst() []int {
	out := []int{tested}
	for major := oldest + 8; major >= oldest-6; major-- {
		if major != tested {
			out = append(out, major)
		}
	}
	return out
}

// tree looks for a driver in the layouts of an LLVM or ROCm tree or of unpacked
// packages.
func (s *searcher) tree(root, why string, explicit bool) {
	if s.over {
		return
	}
	if root, err := filepath.Abs(root); err == nil && s.l.isDir(root) {
		bins := []string{"llvm/bin", "lib/llvm/bin", "bin"}
		for _, major := range s.majorsFirst() {
			bins = append(bins, fmt.Sprintf("usr/lib/llvm-%d/bin", major))
		}
		for _, bin := range bins {
			driver := filepath.Join(root, filepath.FromSlash(bin), "clang++"+exe)
			if s.l.isFile(driver) {
				s.add(driver, why, explicit)
				return
			}
		}
	}
	if explicit {
		s.found(place{explicit: true, Candidate: Candidate{Path: root, Why: why, Err: errors.New("no llvm/bin/clang++ in it")}})
	}
}

func (s *searcher) driver(path, why string) {
	if path += exe; !s.over && filepath.IsAbs(path) && s.l.isFile(path) {
		s.add(path, why, false)
	}
}

func (s *searcher) add(driver, why string, explicit bool) {
	p := place{explicit: explicit, Candidate: Candidate{Path: driver, Why: why}}
	p.inst, p.Err = locate(s.l, driver)
	if p.inst != nil {
		if s.done[p.inst.binary] {
			return
		}
		s.done[p.inst.binary] = true
		p.inst.why = why
		p.Path = p.inst.driver
		if p.inst.major > 0 {
			p.Version = strconv.Itoa(p.inst.major)
			if p.inst.major < oldest && p.Err == nil {
				p.Err = tooOld(p.Version)
			}
		}
	}
	s.found(p)
}

func tooOld(version string) error {
	return fmt.Errorf("clang %s is too old, %d is the oldest that works", version, oldest)
}

// choose takes the first usable place. tried lists the places before it, with
// the reason against each; found is nil when none is usable.
func choose(ctx context.Context, l *looker, memo *cache.Memo) (found *installation, tried []Candidate, err error) {
	for p := range places(l) {
		if p.Err == nil {
			p.Err = p.inst.ask(ctx, l, memo)
		}
		if p.Err == nil {
			return p.inst, tried, nil
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if p.explicit {
			return nil, nil, diag.Failf(diag.Toolchain,
				"point D4R_ROCM_DIR to a ROCm whose LLVM is 19 or newer (6.4 and later), or unset it to use another compiler",
				"the compiler that D4R_ROCM_DIR names cannot be used: %s", p.line())
		}
		tried = append(tried, p.Candidate)
	}
	return nil, tried, nil
}

// PrefixDir is the folder of private prefixes, one per compiler (llvm-19):
// KMX_TOOLCHAINS, else kmx/toolchains in the user's data folder.
func PrefixDir() (string, error) {
	if dir := os.Getenv("KMX_TOOLCHAINS"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "kmx", "toolchains"), nil
	}
	if dir := os.Getenv("LocalAppData"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "kmx", "toolchains"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share", "kmx", "toolchains"), nil
}
