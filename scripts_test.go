package kmx

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kmx/cuda/fatbin/fatbintest"
	"kmx/toolchains"
)

// systemCommands are commands of stories that one system only has.
var systemCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){}

// TestScripts tells the user-visible behaviour as stories: each file of
// testdata/script is a small project and what happens to it. They run the real
// front door with the real compiler on tiny kernels.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the front door and runs a compiler; left out by -short")
	}
	if _, err := toolchains.Find(t.Context(), toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, nil); err != nil {
		t.Fatalf("the stories need a compiler; `go tool mage setup` gets one: %v", err)
	}
	t.Parallel()
	bin := frontDoor(t)
	private, err := toolchains.PrefixDir()
	if err != nil {
		t.Fatal(err)
	}
	commands := maps.Clone(systemCommands)
	maps.Copy(commands, map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"settle":    settle,
		"library":   library,
		"standin":   standinLibrary,
		"emitter":   emitter,
		"hashed":    hashed,
		"replace":   replace,
		"flip":      flip,
		"objects":   objects,
		"collect":   collect,
		"corrupt":   corrupt,
		"age":       age,
		"poison":    poison,
		"damage":    damage,
		"toolchain": toolchain,
		"until":     until,
		"together":  together,
		"digits":    digits,
	})
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("KMX_CACHE", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("KMX_TOOLCHAINS", private)
			env.Setenv("KMX_LOG", "plain")
			return nil
		},
		Cmds: commands,
	})
}

// settle waits until a file written before it is old enough for stats to be
// trusted.
func settle(ts *testscript.TestScript, neg bool, args []string) {
	time.Sleep(2100 * time.Millisecond)
}

// library FILE KERNEL... writes a PE library with one PTX module a kernel (or
// for several, as 'add mul'), in turn stored as it is, as LZ4 and as zstd, with CRLF line ends, and beside it
// FILE.hashes with what the hashes of the modules must be.
func library(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: library FILE KERNEL...")
	}
	var entries []fatbintest.Entry
	var want strings.Builder
	for i, kernel := range args[1:] {
		text := fatbintest.Text(kernel, "\r\n")
		entries = append(entries, fatbintest.Entry{PTX: text, Compression: []string{"none", "lz4", "zstd"}[i%3], NULs: i})
		h := fnv.New64a()
		h.Write(text)
		for _, name := range strings.Fields(kernel) {
			fmt.Fprintf(&want, "%s %016x\n", name, h.Sum64())
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), fatbintest.PE(fatbintest.Container(entries...)), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".hashes"), []byte(want.String()), 0o644))
}

// hashed KERNELS HASHES checks that every line of the file KERNELS but the
// comments is a line of HASHES.
func hashed(ts *testscript.TestScript, neg bool, args []string) {
	want := strings.Split(ts.ReadFile(args[1]), "\n")
	lines := 0
	for line := range strings.SplitSeq(strings.TrimSpace(ts.ReadFile(args[0])), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		lines++
		if !slices.Contains(want, line) {
			ts.Fatalf("%s says %q, which is no line of %s", args[0], line, args[1])
		}
	}
	if lines == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
}

// replace FILE OLD NEW rewrites the first OLD in a file.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}

// flip FILE changes one byte in the middle of a file.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	data := []byte(ts.ReadFile(args[0]))
	if len(data) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	data[len(data)/2] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

// objects DIR N checks how many code objects lie below a directory.
func objects(ts *testscript.TestScript, neg bool, args []string) {
	n := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, e os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".hsaco") {
			n++
		}
		return err
	}))
	if fmt.Sprint(n) != args[1] {
		ts.Fatalf("%s holds %d objects, want %s", args[0], n, args[1])
	}
}
