package capture_test

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"kmx/validate/capture"
)

// The GPU's runner compiles, and against a stand-in for the HIP runtime it does
// what a replay does: prep, replaced shapes, addresses, results.
func TestDumpRunner(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in for the HIP runtime is made for Linux")
	}
	cxx := ""
	for _, name := range []string{"c++", "g++", "clang++", "clang++-19"} {
		if path, err := exec.LookPath(name); err == nil {
			cxx = path
			break
		}
	}
	if cxx == "" {
		t.Skip("needs a C++ compiler: none of c++, g++, clang++ is on PATH")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-o", at("dump_runner"), "../runner/dump_runner.cpp", "-ldl"},
		{"-std=c++17", "-O1", "-shared", "-fPIC", "-o", at("libfakehip.so"), "testdata/fakehip.cpp"},
	} {
		if out, err := exec.Command(cxx, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", cxx, strings.Join(args, " "), err, out)
		}
	}
	writeFile(t, at("object"), []byte("object"))
	writeFile(t, at("broken"), []byte("broken"))

	c := &capture.Capture{Kernel: "add", Grid: [3]uint32{2, 5, 1}, Block: [3]uint32{32, 1, 1}, Args: make([]byte, 24),
		Allocations: []capture.Allocation{{Number: 0, Base: 0x7000_0000_0000, Data: []byte("..abcdefghijabcdefghijabcdefghijabcdefghij")}, {Number: 4, Base: 0x7100_0000_0000, Data: make([]byte, 40)}}}
	binary.LittleEndian.PutUint64(c.Args, 0x7000_0000_0002)
	binary.LittleEndian.PutUint64(c.Args[8:], 0x7100_0000_0000)
	c.FindPointers()
	if err := c.Write(at("capture")); err != nil {
		t.Fatal(err)
	}
	run := func(env []string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(at("dump_runner"), args...)
		cmd.Env = append(os.Environ(), append([]string{"HIP_LIBRARY=" + at("libfakehip.so"), "FAKEHIP_LOG=" + at("log")}, env...)...)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}

	out, code := run(nil, at("object"), at("capture"), at("out"), "3")
	if code != 0 || !strings.Contains(out, "add: median 0.2500 ms, min 0.2500 ms over 3 launches, prep included") {
		t.Errorf("exit code %d: %s", code, out)
	}
	log, err := os.ReadFile(at("log"))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("prep 3 1 1 128 1 1\nmain 2 5 1 32 1 2\n", 4); string(log) != want {
		t.Errorf("it launched\n%s\nwant\n%s", log, want)
	}
	got, err := capture.Read(at("out"))
	if err != nil {
		t.Fatal(err)
	}
	if b := got.Allocations[1].Data; string(b) != "ccdefghijkbcdefghijkbcdefghijkbcdefghijk" {
		t.Errorf("after the first launch: %q", b)
	}

	if out, code := run([]string{"PREP_ONCE=1", "GRID_X=7", "PREP_GRID=9"}, at("object"), at("capture"), at("out"), "1"); code != 0 || strings.Contains(out, "prep included") {
		t.Errorf("exit code %d: %s", code, out)
	}
	log, _ = os.ReadFile(at("log"))
	if want := "prep 9 1 1 128 1 1\nmain 7 5 1 32 1 2\nmain 7 5 1 32 1 2\n"; !strings.HasSuffix(string(log), want) {
		t.Errorf("it launched\n%s\nwhich should end in\n%s", log, want)
	}

	textured := c.Clone()
	textured.Textures = []int{16}
	if err := textured.Write(at("textured")); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct {
		args []string
		env  []string
		code int
		want string
	}{
		{args: []string{at("object"), at("textured"), at("o")}, code: 3, want: "uses a texture"},
		{args: []string{at("object")}, code: 2, want: "usage"},
		{args: []string{at("nothing"), at("capture"), at("o")}, code: 2, want: "cannot be read"},
		{args: []string{at("broken"), at("capture"), at("o")}, code: 1, want: "loading the object"},
		{args: []string{at("object"), at("capture"), at("o")}, env: []string{"HIP_LIBRARY=" + at("none.so")}, code: 2, want: "there is no HIP runtime"},
	} {
		if out, code := run(bad.env, bad.args...); code != bad.code || !strings.Contains(out, bad.want) {
			t.Errorf("%v: exit code %d, %s; want %d, %s", bad.args, code, out, bad.code, bad.want)
		}
	}
}
