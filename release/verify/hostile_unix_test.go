//go:build unix

package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What a machine says of itself is read within bounds, whatever it says.
func TestHostileTopology(t *testing.T) {
	dir := t.TempDir()
	node := func(n string) string {
		to := filepath.Join(dir, n)
		if err := os.Mkdir(to, 0o755); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(to, "properties")
	}
	for _, err := range []error{
		syscall.Mkfifo(node("0"), 0o600), os.Symlink("/dev/zero", node("1")), os.Symlink("properties", node("2")), os.Mkdir(node("3"), 0o755),
		os.WriteFile(node("4"), []byte("simd_count 99999999999999999999\ngfx_target_version -1\n"), 0o644),
		os.WriteFile(node("5"), []byte("simd_count 18446744073709551615\ngfx_target_version 18446744073709551615\n"), 0o644),
		os.WriteFile(node("6"), bytes.Repeat([]byte("simd_count 1\n"), 1<<17), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	nodes, err := ReadTopology(dir)
	if err != nil || len(nodes) != 7 {
		t.Fatalf("%v, %v", nodes, err)
	}
	for i, want := range []string{"no plain file", "no plain file", "too many levels", "no plain file", "no number", "the version of no GPU", "has more than"} {
		if !strings.Contains(nodes[i].Odd, want) {
			t.Errorf("node %d: %q, want %q", i, nodes[i].Odd, want)
		}
	}
	if _, err := ReadSettings("/dev/zero"); err == nil || !strings.Contains(err.Error(), "has more than") {
		t.Errorf("settings without end: %v", err)
	}
	s, err := Select(t.Context(), t.TempDir(), Machine{Nodes: nodes[:1], Settings: Settings{archSetting: "gfx\x1b[2J\u0085x"}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.WriteText(&out); err != nil || strings.ContainsAny(out.String(), "\x1b\u0085") {
		t.Errorf("%v, a terminal would be driven by %q", err, out.String())
	}
}

// A release with pipes in place of files is told, and nothing waits for them.
func TestPipesInARelease(t *testing.T) {
	for _, name := range []string{"manifest.json", "gfx1201/manifest.json", "gfx1201/rrlite_enc1_4x4.hsaco", "accuracy/gfx1100/d4r-accuracy.txt"} {
		dir := sample(t, true)
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Fatal(err)
		}
		if said := problems(t, dir, Options{}); !strings.Contains(said, name+": ") || !strings.Contains(said, "plain file") {
			t.Errorf("%s: %s", name, said)
		}
		o, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compare(t.Context(), o, o); strings.HasSuffix(name, ".hsaco") && (err == nil || !strings.Contains(err.Error(), "plain file")) {
			t.Errorf("%s: %v", name, err)
		}
		o.Close()
		if _, err := Select(t.Context(), filepath.Join(dir, "gfx1201"), Machine{Settings: Settings{archSetting: "gfx1201"}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
