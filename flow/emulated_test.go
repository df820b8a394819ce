package flow

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/report"
)

// TestEmulatedWords: statistics are shown with the object that they are of, and
// with no other.
func TestEmulatedWords(t *testing.T) {
	store, err := cache.Open(t.TempDir(), func(msg string) { t.Error(msg) })
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	keys := map[string]cache.Digest{}
	for _, name := range []string{"known", "unknown"} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		digest, size, err := store.PutFile(file)
		if err != nil {
			t.Fatal(err)
		}
		keys[name] = cache.Sum([]byte("action " + name))
		if err := store.Store(&cache.Record{Key: keys[name], Label: name, Outputs: []cache.Output{{Path: "x.hsaco", Digest: digest, Size: size}}}); err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	p := &Project{Err: &said}
	state := t.TempDir()
	if words := p.emulated(store, state)("", keys["known"]); words != "" {
		t.Errorf("without statistics: %q", words)
	}
	data, err := (report.Emulations{cache.Sum([]byte("known")): {Kernel: "k", Instructions: map[string]int64{"valu": 5}}}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		if err := os.WriteFile(filepath.Join(state, emulatedName), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(data)
	words := p.emulated(store, state)
	if got := words("", keys["known"]); !strings.HasPrefix(got, "emulated: instructions 5 ") {
		t.Errorf("%q", got)
	}
	for _, key := range []cache.Digest{keys["unknown"], cache.Sum([]byte("absent"))} {
		if got := words("", key); got != "" {
			t.Errorf("%q for another object", got)
		}
	}
	if said.Len() > 0 {
		t.Error(said.String())
	}
	write([]byte("{"))
	if got := p.emulated(store, state)("", keys["known"]); got != "" || !strings.Contains(said.String(), "statistics of the emulator are not shown") {
		t.Errorf("%q, said %q", got, said.String())
	}
}
