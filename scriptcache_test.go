package kmx

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"kmx/cache"
	"kmx/toolchains"
)

// recordOf finds the record that a cell was built with the last time in the
// project in the working directory.
func recordOf(ts *testscript.TestScript, address string) (file string, r *cache.Record) {
	dir := ts.Getenv("KMX_CACHE")
	c, err := cache.Open(dir, func(string) {})
	ts.Check(err)
	defer c.Close()
	state, err := c.State(ts.MkAbs("."))
	ts.Check(err)
	h, err := cache.OpenHistory(state)
	ts.Check(err)
	last, ok := h.Last(address)
	if !ok {
		ts.Fatalf("%s was never built here", address)
	}
	r, ok = c.Peek(last.Key)
	if !ok {
		ts.Fatalf("the cache has no record of %s", address)
	}
	key := last.Key.String()
	return filepath.Join(dir, "act", key[:2], key), r
}

// collect ADDRESS takes the record of a cell's last build and its outputs out
// of the cache, as a collection does.
func collect(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: collect ADDRESS")
	}
	file, r := recordOf(ts, args[0])
	ts.Check(os.Remove(file))
	for _, o := range r.Outputs {
		d := o.Digest.String()
		ts.Check(os.Remove(filepath.Join(ts.Getenv("KMX_CACHE"), "cas", d[:2], d)))
	}
}

// corrupt ADDRESS changes a byte in the record of a cell's last build.
func corrupt(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: corrupt ADDRESS")
	}
	file, _ := recordOf(ts, args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	data[len(data)/2] ^= 1
	ts.Check(os.Remove(file))
	ts.Check(os.WriteFile(file, data, 0o644))
}

// toolchain DIR makes a prefix with the compiler of this machine, whose linker
// is a byte longer.
func toolchain(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: toolchain DIR")
	}
	_, err := copyCompiler(ts.MkAbs(args[0]), true)
	ts.Check(err)
}

// copyCompiler makes a prefix with the compiler of this machine, whose linker
// may be a byte longer, and gives its root for D4R_ROCM_DIR.
func copyCompiler(dir string, other bool) (root string, err error) {
	tc, err := toolchains.Find(context.Background(), toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, nil)
	if err != nil {
		return "", err
	}
	// The layout of a private prefix: host libraries that came with the real
	// compiler lie beside it.
	root = filepath.Join(dir, "usr/lib/llvm")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", err
	}
	if beside := filepath.Join(filepath.Dir(tc.Root), "x86_64-linux-gnu"); len(tc.Tools["hip:bin/clang++"].Env) > 0 {
		if err := os.Symlink(beside, filepath.Join(filepath.Dir(root), "x86_64-linux-gnu")); err != nil {
			return "", err
		}
	}
	major, _, _ := strings.Cut(tc.Version, ".")
	for _, f := range tc.Files {
		name := f.Name
		switch rest, isHeader := strings.CutPrefix(name, "include/"); {
		case isHeader:
			name = "lib/clang/" + major + "/include/" + rest
		case f.Host():
			continue
		}
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if !strings.HasPrefix(name, "bin/") {
			if err := os.Symlink(f.Path, to); err != nil {
				return "", err
			}
			continue
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			return "", err
		}
		if name == "bin/lld" && other {
			data = append(data, 0)
		}
		if err := os.WriteFile(to, data, 0o755); err != nil {
			return "", err
		}
	}
	return root, nil
}

// digits FILE NAME sets the first digest that is called so in a file to zeros.
func digits(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: digits FILE NAME")
	}
	before := ts.ReadFile(args[0])
	after := regexp.MustCompile(args[1]+`( *= "blake3:)[0-9a-f]{64}`).ReplaceAllString(before, args[1]+"${1}"+strings.Repeat("0", 64))
	if after == before {
		ts.Fatalf("%s has no digest called %s", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(after), 0o644))
}
