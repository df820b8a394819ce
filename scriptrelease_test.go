package kmx

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kmx/internal/durable"
	"kmx/toolchains"
)

// This test program is also a compiler that lets into an object what has no
// business there: under waywardName it calls the real one, with WHERE defined as
// the file "says" beside it wants.
const waywardName = "clang-wayward"

func init() {
	systemCommands["wayward"] = waywardPrefix
}

// wayward DIR folder|time makes a prefix for D4R_ROCM_DIR whose compiler defines
// WHERE as the folder that it runs in, or as the time.
func waywardPrefix(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: wayward DIR folder|time")
	}
	tc, err := toolchains.Find(context.Background(), toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, nil)
	ts.Check(err)
	tool := tc.Tools["hip:bin/clang++"]
	bin := filepath.Join(ts.MkAbs(args[0]), "bin")
	ts.Check(os.RemoveAll(bin))
	ts.Check(os.MkdirAll(bin, 0o755))
	exe, err := os.Executable()
	ts.Check(err)
	ts.Check(durable.Place(exe, filepath.Join(bin, waywardName), 0o755))
	ts.Check(os.Symlink(waywardName, filepath.Join(bin, "clang++")))
	ts.Check(os.Symlink(filepath.Join(filepath.Dir(tool.Path), "lld"), filepath.Join(bin, "lld")))
	ts.Check(os.WriteFile(filepath.Join(bin, "says"), []byte(strings.Join(append([]string{args[1], tool.Path}, tool.Env...), "\n")), 0o644))
}

func isWayward() bool {
	exe, err := os.Executable()
	return err == nil && filepath.Base(exe) == waywardName
}

func waywardCompiler(args []string) int {
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(exe), "says"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	says := strings.Split(string(data), "\n")
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasSuffix(a, ".hip") }) {
		// Not as a path, which would be refused before the object is compared, and
		// without the part that is new in each run.
		where, _ := os.Getwd()
		where, _, _ = strings.Cut(where, "/cache/")
		where = strings.ReplaceAll(where, "/", "!")
		if says[0] == "time" {
			where = time.Now().Format("15:04:05 and .000000000")
		}
		args = append(args, fmt.Sprintf("-DWHERE=%q", where))
	}
	cmd := exec.Command(says[1], args...)
	cmd.Env = append(os.Environ(), says[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}
