package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/door"
)

// The test program stands for both programs of the front door.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "kmx-mage", "kmx-mage.exe":
		fmt.Printf("targets: %s\n", strings.Join(os.Args[1:], " "))
		os.Exit(7)
	case "kmx", "kmx.exe":
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

// An installed kmx answers from a snapshot while all of it holds, and becomes
// the program beside it otherwise, with its arguments and its exit code.
func TestDoor(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Links in the way to the temporary folder would give it two names.
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	fast := filepath.Join(dir, "kmx"+suffix)
	copyFile(t, self, fast)
	project := filepath.Join(dir, "project")
	below := filepath.Join(project, "deep", "er")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	input := filepath.Join(project, "matrix.hcl")
	if err := os.WriteFile(input, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KMX_CACHE", filepath.Join(dir, "cache"))
	call := func(wd string, args ...string) string {
		t.Helper()
		cmd := exec.Command(fast, args...)
		cmd.Dir = wd
		out, _ := cmd.CombinedOutput()
		return fmt.Sprintf("%d %s", cmd.ProcessState.ExitCode(), out)
	}
	expect := func(what, got, want string) {
		t.Helper()
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	if got := call(project, "release"); !strings.Contains(got, "go tool mage setup") || !strings.HasPrefix(got, "5 ") {
		t.Errorf("without the other program: %q", got)
	}
	copyFile(t, self, door.Beside(fast))
	expect("no snapshot", call(project, "release"), "7 targets: release\n")

	t.Chdir(below)
	name, err := cache.SnapshotPath(project, door.Beside(fast), "release", "a=b")
	if err != nil {
		t.Fatal(err)
	}
	s := cache.NewSnapshot()
	s.AddOutput(input)
	s.AddAbsent(filepath.Join(project, "none"))
	s.AddEnv("KMX_TEST_DOOR")
	s.SetAnswer([]byte("as it was\n"))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(name); err != nil {
		t.Fatal(err)
	}
	const args = "-vars=a=b"
	expect("all holds", call(below, "release", args), "0 as it was\n")
	expect("other choices", call(below, "release"), "7 targets: release\n")
	expect("elsewhere", call(project, "release", args), "7 ")
	expect("another target", call(below, "plan", "a b", "-c"), "7 targets: plan a b -c\n")
	t.Setenv("KMX_TEST_DOOR", "1")
	expect("another environment", call(below, "release", args), "7 ")
	os.Unsetenv("KMX_TEST_DOOR")
	if err := os.WriteFile(filepath.Join(project, "none"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	expect("something has appeared", call(below, "release", args), "7 ")
	os.Remove(filepath.Join(project, "none"))
	expect("all holds again", call(below, "release", args), "0 as it was\n")
	if err := os.WriteFile(filepath.Join(below, "matrix.hcl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	expect("a project in the project", call(below, "release", args), "7 ")
	os.Remove(filepath.Join(below, "matrix.hcl"))
	if err := os.WriteFile(input, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect("another matrix", call(below, "release", args), "7 ")
}
