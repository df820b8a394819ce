package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tree makes a folder of two files that both say word.
func tree(t *testing.T, path, word string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(path, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"a", "sub/b"} {
		if err := os.WriteFile(filepath.Join(path, f), []byte(word), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// says returns the word of a tree, or what is wrong with it.
func says(path string) string {
	a, err := os.ReadFile(filepath.Join(path, "a"))
	if err != nil {
		return "gone"
	}
	b, err := os.ReadFile(filepath.Join(path, "sub", "b"))
	if err != nil || string(a) != string(b) {
		return "mixed"
	}
	return string(a)
}

func TestExchange(t *testing.T) {
	dir := t.TempDir()
	final := filepath.Join(dir, "final")
	for _, word := range []string{"one", "two", "three"} {
		if err := Exchange(tree(t, filepath.Join(dir, "fresh"), word), final+"/"); err != nil {
			t.Fatal(err)
		}
		if got := says(final); got != word {
			t.Fatalf("final says %q, want %q", got, word)
		}
		if got := names(t, dir); got != "final" {
			t.Fatalf("leftovers: %s", got)
		}
	}
	if err := Exchange(filepath.Join(dir, "none"), final); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no fresh tree: %v", err)
	}
	if got := says(final); got != "three" {
		t.Errorf("a failed exchange left %q", got)
	}
}

func TestFreshTree(t *testing.T) {
	dir := t.TempDir()
	final := filepath.Join(dir, "final")
	for _, word := range []string{"one", "two"} {
		f, err := Fresh(final)
		if err != nil {
			t.Fatal(err)
		}
		tree(t, f.Path, word)
		if err := Recover(final); err != nil { // must not sweep a live tree
			t.Fatal(err)
		}
		if err := f.Exchange(); err != nil {
			t.Fatal(err)
		}
		f.Discard()
		if got := says(final); got != word {
			t.Fatalf("final says %q, want %q", got, word)
		}
	}
	f, err := Fresh(final)
	if err != nil {
		t.Fatal(err)
	}
	tree(t, f.Path, "x")
	f.Discard()
	if got := names(t, dir); got != "final" {
		t.Errorf("leftovers: %s", got)
	}
}

func TestOldTreeWithReadOnlyFoldersGoes(t *testing.T) {
	dir := t.TempDir()
	final := tree(t, filepath.Join(dir, "final"), "old")
	if err := os.Chmod(filepath.Join(final, "sub"), 0o555); err != nil {
		t.Fatal(err)
	}
	if err := Exchange(tree(t, filepath.Join(dir, "fresh"), "new"), final); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != "final" || says(final) != "new" {
		t.Errorf("left: %s, says %s", got, says(final))
	}
}

func TestLeftoversOfDeadProcessesAreSwept(t *testing.T) {
	dir := t.TempDir()
	final := tree(t, filepath.Join(dir, "final"), "old")
	left := tree(t, filepath.Join(dir, treePrefix(final)+"1-2"), "left")
	other := tree(t, filepath.Join(dir, treePrefix(final+"s")+"1-2"), "another final's")
	past := time.Now().Add(-2 * leftoverAge) // where locks cannot tell
	os.Chtimes(left, past, past)
	if err := Recover(final); err != nil {
		t.Fatal(err)
	}
	if says(left) != "gone" || says(other) == "gone" || says(final) != "old" {
		t.Errorf("left: %s", names(t, dir))
	}
}

func TestJournalledMove(t *testing.T) {
	dir := t.TempDir()
	final := filepath.Join(dir, "final")
	for _, word := range []string{"one", "two"} {
		fresh := tree(t, besides(final), word)
		if err := journalledMove(fresh, final); err != nil {
			t.Fatal(err)
		}
		if got := names(t, dir); got != "final" || says(final) != word {
			t.Fatalf("left: %s, says %s", got, says(final))
		}
	}
}

// TestJournalledMoveInterrupted puts the disk into the state after each step
// of a journalled move, as a crash would leave it.
func TestJournalledMoveInterrupted(t *testing.T) {
	const fresh, old, final = ".final.kmx-tree-1-f", ".final.kmx-tree-1-o", "final"
	for _, c := range []struct {
		name  string
		trees map[string]string // name -> word
		want  string
	}{
		{"journal written", map[string]string{fresh: "new", final: "old"}, "old"},
		{"old moved away", map[string]string{fresh: "new", old: "old"}, "new"},
		{"fresh moved in", map[string]string{old: "old", final: "new"}, "new"},
		{"old being removed", map[string]string{final: "new"}, "new"},
		{"fresh lost", map[string]string{old: "old"}, "old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, word := range c.trees {
				tree(t, filepath.Join(dir, name), word)
				past := time.Now().Add(-2 * leftoverAge)
				os.Chtimes(filepath.Join(dir, name), past, past)
			}
			b, _ := json.Marshal(journal{journalFormat, fresh, old})
			path := filepath.Join(dir, final)
			if err := os.WriteFile(journalPath(path), b, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := Recover(path); err != nil {
				t.Fatal(err)
			}
			if got := names(t, dir); got != "final" || says(path) != c.want {
				t.Errorf("left: %s, says %s, want %s", got, says(path), c.want)
			}
		})
	}
}

func TestDamagedJournalMovesNothing(t *testing.T) {
	for _, text := range []string{"", "{", `{"format":"kmx.move/1","fresh":"../x","old":"../y"}`, `{"format":"kmx.move/2"}`} {
		dir := t.TempDir()
		final := tree(t, filepath.Join(dir, "final"), "old")
		if err := os.WriteFile(journalPath(final), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Recover(final); err != nil || says(final) != "old" || names(t, dir) != "final" {
			t.Errorf("%q: %v, says %s, left %s", text, err, says(final), names(t, dir))
		}
		os.RemoveAll(final)
		left := tree(t, besides(final), "old")
		if err := os.WriteFile(journalPath(final), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Recover(final); err == nil || !strings.Contains(err.Error(), "rename the newest") {
			t.Errorf("%q: %v", text, err)
		}
		if says(left) != "old" {
			t.Errorf("%q: the only tree left was removed", text)
		}
	}
}

// TestExchangingProcesses lets two processes replace one folder while this one
// reads it; one of the writers is killed in the middle.
func TestExchangingProcesses(t *testing.T) {
	if dir := os.Getenv("KMX_TEST_EXCHANGE"); dir != "" {
		exchangeForever(t, dir)
		return
	}
	dir := t.TempDir()
	final := tree(t, filepath.Join(dir, "final"), "start")
	var writers []*exec.Cmd
	for range 2 {
		w := exec.Command(os.Args[0], "-test.run=^TestExchangingProcesses$")
		w.Env = append(os.Environ(), "KMX_TEST_EXCHANGE="+dir)
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		writers = append(writers, w)
	}
	seen := map[string]bool{}
	// However slow the machine is: until enough exchanges were seen.
	for end := time.Now().Add(time.Minute); len(seen) < 50 && time.Now().Before(end); {
		// One open folder is one tree: what is read through it must agree.
		d, err := os.OpenRoot(final)
		if err != nil {
			t.Fatalf("nothing at final: %v", err)
		}
		a, err1 := d.ReadFile("a")
		b, err2 := d.ReadFile("sub/b")
		d.Close()
		if err1 != nil || err2 != nil {
			continue // replaced and removed meanwhile
		}
		if string(a) != string(b) {
			t.Fatalf("mixed tree: %s and %s", a, b)
		}
		seen[string(a)] = true
	}
	for _, w := range writers {
		w.Process.Kill()
		w.Wait()
	}
	if len(seen) < 50 {
		t.Errorf("saw only %d trees", len(seen))
	}
	if err := Recover(final); err != nil {
		t.Fatal(err)
	}
	if got := says(final); got == "gone" || got == "mixed" {
		t.Errorf("after the kill final is %s", got)
	}
	for _, n := range strings.Fields(names(t, dir)) {
		if n != "final" && !strings.HasPrefix(n, "fresh-") {
			t.Errorf("leftover %s", n)
		}
	}
}

func exchangeForever(t *testing.T, dir string) {
	for i := 0; ; i++ {
		word := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if err := Exchange(tree(t, filepath.Join(dir, "fresh-"+word), word), filepath.Join(dir, "final")); err != nil {
			t.Fatal(err)
		}
	}
}
