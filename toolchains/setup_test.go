package toolchains

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kmx/internal/diag"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fakeMachine answers package tools from a table and tells what was started.
type fakeMachine struct {
	t        *testing.T
	root     bool
	goos     string
	programs []string
	offers   bool // the lists have clang-19 from the start
	stale    bool // the first install fails
	never    bool // no lists ever have it
	broken   bool // the compiler does not compile
	bare     bool // there is no llvm-objdump
	found    bool
	log      []string
}

func (f *fakeMachine) machine() machine {
	return machine{
		goos: f.goos, root: f.root,
		has:     func(p string) bool { return slices.Contains(f.programs, p) },
		command: f.command,
		choose: func(context.Context) (*installation, []Candidate, error) {
			if !f.found {
				return nil, []Candidate{{Path: "/usr/bin/clang++-14", Version: "14", Why: "on PATH", Err: tooOld("14")}}, nil
			}
			return &installation{driver: "/usr/lib/llvm-19/bin/clang++", why: "on PATH",
				facts: facts{Version: "19.1.7", Banner: "Debian clang version 19.1.7 (3~deb12u1)"}}, nil, nil
		},
		try: func(context.Context, *installation) error {
			if f.broken {
				return errors.New("gfx1100: exit status 1\nclang: error: something")
			}
			return nil
		},
		inspects: func(*installation) bool { return !f.bare },
	}
}

func (f *fakeMachine) command(_ context.Context, c command) (string, error) {
	f.log = append(f.log, "$ "+c.String())
	out, err := "", error(nil)
	switch text := c.String(); {
	case strings.HasPrefix(text, "apt-cache") && (!f.offers || f.never || !strings.HasSuffix(text, "clang-19")):
		out = "clang-19:\n  Installed: (none)\n  Candidate: (none)\n"
	case strings.HasPrefix(text, "apt-cache"):
		out = "clang-19:\n  Installed: (none)\n  Candidate: 1:19.1.7-3\n"
	case strings.HasSuffix(text, " update"):
		f.offers = true
		out = "Get:1 somewhere\nFetched 9422 kB in 2s (4975 kB/s)\n"
	case strings.Contains(text, " -s "):
		out = "Inst libz3-4 (4.8.12 Debian [amd64])\nInst libllvm19 (1:19.1.7 Debian [amd64])\nInst libedit2:amd64 (3.1 Debian [amd64])\nConf libz3-4 (4.8.12)\n"
	case strings.Contains(text, "--print-uris"):
		for _, name := range c.argv[slices.Index(c.argv, "download")+1:] {
			out += fmt.Sprintf("'http://deb/%[1]s_1_amd64.deb' %[1]s_1_amd64.deb 1000 SHA256:00\n", name)
		}
	case strings.Contains(text, " download "):
		out = "Fetched 75.1 MB in 2s (38.8 MB/s)\n"
	case strings.HasPrefix(text, "dpkg -x"):
		if strings.Contains(text, "libllvm19") {
			put(f.t, filepath.Join(c.argv[3], "usr/lib/x86_64-linux-gnu/libLLVM.so.19.1"), nil)
			if err := os.MkdirAll(filepath.Join(c.argv[3], "usr/lib/llvm-19/lib"), 0o755); err != nil {
				f.t.Fatal(err)
			}
		}
		f.found = true
	case strings.Contains(text, " install "):
		if f.stale {
			f.stale = false
			return "E: Failed to fetch http://deb/clang-19.deb  404  Not Found\n", errors.New("exit status 100")
		}
		out = "Need to get 108 MB of archives.\nAfter this operation, 521 MB of additional disk space will be used.\nUnpacking a (1) ...\nUnpacking b (1) ...\n"
		f.found = true
	}
	for line := range strings.Lines(out) {
		if c.line != nil {
			c.line(strings.TrimSpace(line))
		}
	}
	return out, err
}

func TestSetup(t *testing.T) {
	apt := []string{"apt-get", "dpkg"}
	cases := []struct {
		name string
		fake fakeMachine
	}{
		{"found", fakeMachine{goos: "linux", programs: apt, found: true}},
		{"found-broken", fakeMachine{goos: "linux", programs: apt, found: true, broken: true}},
		{"bare", fakeMachine{goos: "linux", programs: apt, found: true, bare: true}},
		{"bare-root", fakeMachine{goos: "linux", programs: apt, found: true, bare: true, root: true}},
		{"bare-root-stale-lists", fakeMachine{goos: "linux", programs: apt, found: true, bare: true, root: true, stale: true}},
		{"bare-fedora", fakeMachine{goos: "linux", programs: []string{"dnf"}, found: true, bare: true, root: true}},
		{"root", fakeMachine{goos: "linux", programs: apt, root: true, offers: true}},
		{"root-no-lists", fakeMachine{goos: "linux", programs: apt, root: true}},
		{"root-stale-lists", fakeMachine{goos: "linux", programs: apt, root: true, offers: true, stale: true}},
		{"root-old-release", fakeMachine{goos: "linux", programs: apt, root: true, never: true}},
		{"user", fakeMachine{goos: "linux", programs: apt}},
		{"user-no-dpkg", fakeMachine{goos: "linux", programs: []string{"apt-get"}}},
		{"fedora", fakeMachine{goos: "linux", programs: []string{"dnf"}, root: true}},
		{"windows", fakeMachine{goos: "windows", programs: []string{"winget"}}},
		{"windows-by-hand", fakeMachine{goos: "windows"}},
		{"macos", fakeMachine{goos: "darwin", programs: []string{"brew"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if filepath.Separator != '/' {
				t.Skip("the golden files have slashes")
			}
			prefix := filepath.Join(realPath(t, t.TempDir()), "toolchains")
			t.Setenv("KMX_TOOLCHAINS", prefix)
			fake := c.fake
			fake.t = t
			var b strings.Builder
			s := &setup{machine: fake.machine(), say: func(format string, args ...any) {
				for _, line := range fake.log {
					b.WriteString(line + "\n")
				}
				fake.log = nil
				fmt.Fprintf(&b, format+"\n", args...)
			}}
			err := s.whole(context.Background())
			for _, line := range fake.log {
				b.WriteString(line + "\n")
			}
			if err != nil {
				var f *diag.Failure
				if !errors.As(err, &f) || f.Class != diag.Toolchain {
					t.Fatalf("not a toolchain failure: %v", err)
				}
				diag.Print(&b, f.Messages, diag.Style{})
			}
			got := strings.ReplaceAll(b.String(), prefix, "PREFIX")
			got = regexp.MustCompile(`, in \d+s`).ReplaceAllString(got, ", in TIME")
			golden := filepath.Join("testdata", "setup", c.name+".txt")
			if *update {
				put(t, golden, []byte(got))
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.name == "user" {
				checkPrefix(t, prefix)
			}
		})
	}
}

func checkPrefix(t *testing.T, prefix string) {
	t.Helper()
	if target, err := os.Readlink(filepath.Join(prefix, "llvm-19/usr/lib/llvm-19/lib/libLLVM.so.19.1")); err != nil || target != "../../x86_64-linux-gnu/libLLVM.so.19.1" {
		t.Errorf("libLLVM beside the compiler: %q %v", target, err)
	}
	if list, err := os.ReadFile(filepath.Join(prefix, "llvm-19/packages.txt")); err != nil || strings.Count(string(list), "\n") != 8 {
		t.Errorf("packages.txt: %q %v", list, err)
	}
	if left, err := os.ReadDir(prefix); err != nil || len(left) != 1 {
		t.Errorf("left in the folder: %v %v", left, err)
	}
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func TestSetupCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	fake := fakeMachine{t: t, goos: "linux", programs: []string{"apt-get", "dpkg"}, root: true}
	m := fake.machine()
	m.command = func(ctx context.Context, c command) (string, error) {
		cancel()
		return "", ctx.Err()
	}
	s := &setup{machine: m, say: func(string, ...any) {}}
	if err := s.whole(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestAdvice(t *testing.T) {
	cases := []struct{ goos, has, want string }{
		{"linux", "dnf", "sudo dnf install clang lld llvm"},
		{"linux", "pacman", "sudo pacman -S --needed clang lld llvm"},
		{"linux", "zypper", "sudo zypper install clang19 lld19 llvm19"},
		{"linux", "apk", "sudo apk add clang19 lld llvm19"},
		{"linux", "brew", "brew install llvm lld"},
		{"linux", "", "llvmorg-19.1.7"},
		{"darwin", "brew", "brew install llvm lld"},
		{"darwin", "", "llvmorg-19.1.7"},
		{"windows", "winget", "winget install --id LLVM.LLVM --exact"},
		{"plan9", "dnf", "llvmorg-19.1.7"},
	}
	for _, c := range cases {
		got := advice(c.goos, func(p string) bool { return p == c.has }, "/prefix")
		if !strings.Contains(got[0], c.want) {
			t.Errorf("%s with %q: %q", c.goos, c.has, got)
		}
	}
}

func TestLastLines(t *testing.T) {
	if got := lastLines("a\nE: b\nc\nE: d\n", 1); got != "E: d" {
		t.Errorf("%q", got)
	}
	if got := lastLines("a\nb\nc", 2); got != "b\nc" {
		t.Errorf("%q", got)
	}
}
