package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// open returns a cache in its own folder and what it has warned of so far.
func open(t testing.TB) (*Cache, *[]string) {
	t.Helper()
	warnings := new([]string)
	c, err := Open(filepath.Join(t.TempDir(), "cache"), func(msg string) { *warnings = append(*warnings, msg) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, warnings
}

func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{byte(n)})
	b := make([]byte, n)
	r.Read(b)
	return b
}

// wantMiss checks that err is a *Miss for one of the reasons.
func wantMiss(t *testing.T, err error, reasons ...Reason) {
	t.Helper()
	var m *Miss
	if !errors.As(err, &m) {
		t.Fatalf("error %v (%T), want a *Miss", err, err)
	}
	for _, r := range reasons {
		if m.Reason == r {
			return
		}
	}
	t.Fatalf("reason %q, want one of %q", m.Reason, reasons)
}

func TestDigest(t *testing.T) {
	// The digest of no bytes, from the BLAKE3 paper's test vectors.
	const none = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
	if got := Sum(nil).String(); got != none {
		t.Errorf("Sum(nil) = %s", got)
	}
	h := NewHasher()
	h.Write([]byte("ab"))
	h.WriteString("c")
	if h.Sum() != Sum([]byte("abc")) {
		t.Error("Hasher and Sum differ")
	}
	d, err := ParseDigest(none)
	if err != nil || d != Sum(nil) || d.IsZero() {
		t.Errorf("ParseDigest: %v, %v", d, err)
	}
	for _, s := range []string{"", none[1:], none + "0", strings.ToUpper(none), "g" + none[1:]} {
		if _, err := ParseDigest(s); err == nil {
			t.Errorf("ParseDigest(%q) succeeds", s)
		}
	}
}

func TestOpenMakesTheFolder(t *testing.T) {
	c, _ := open(t)
	b, err := os.ReadFile(filepath.Join(c.Dir(), "CACHEDIR.TAG"))
	if err != nil || !bytes.HasPrefix(b, []byte("Signature: 8a477f597d28d172789f06886806bc55\n")) {
		t.Errorf("CACHEDIR.TAG: %q, %v", b, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o644)
	if _, err := Open(file, nil); err == nil || !strings.Contains(err.Error(), file) { // flow says what helps
		t.Errorf("a file as the cache: %v", err)
	}
	t.Setenv("KMX_CACHE", "relative")
	if dir, err := DefaultDir(); err != nil || !filepath.IsAbs(dir) || filepath.Base(dir) != "relative" {
		t.Errorf("DefaultDir: %s, %v", dir, err)
	}
}

func TestStateIsPerCheckout(t *testing.T) {
	c, _ := open(t)
	a, err := c.State(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.State(t.TempDir())
	if err != nil || a == b {
		t.Errorf("%s and %s, %v", a, b, err)
	}
	if again, err := c.State("."); err != nil {
		t.Error(err)
	} else if third, _ := c.State("."); third != again {
		t.Errorf("%s then %s", again, third)
	}
}

func TestBlobs(t *testing.T) {
	c, _ := open(t)
	dir := t.TempDir()
	for _, size := range []int{0, 1, 1000, chunk - 1, chunk, chunk + 1, 3*chunk + 5} {
		want := noise(size)
		path := filepath.Join(dir, "in")
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			d, n, err := c.PutFile(path)
			if err != nil || n != int64(size) || d != Sum(want) {
				t.Fatalf("PutFile of %d bytes: %s, %d, %v", size, d, n, err)
			}
		}
		d, err := c.PutBytes(want)
		if err != nil || d != Sum(want) {
			t.Fatalf("PutBytes: %s, %v", d, err)
		}
		got, err := c.Blob(d)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("Blob of %d bytes differs: %v", size, err)
		}
		dst := filepath.Join(dir, "out")
		for _, mode := range []fs.FileMode{0o644, 0o755, 0o600} {
			if err := c.Place(d, dst, mode); err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(dst)
			info, _ := os.Stat(dst)
			if !bytes.Equal(got, want) || runtime.GOOS != "windows" && info.Mode() != mode {
				t.Fatalf("placed %d bytes with %s", len(got), info.Mode())
			}
			blob, _ := os.Stat(c.file("cas", d))
			if os.SameFile(info, blob) {
				t.Fatal("a hard link left the cache")
			}
		}
		// Writing to what was placed leaves the blob as it is.
		if err := os.WriteFile(dst, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Blob(d); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("the blob changed with its copy: %v", err)
		}
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none")} {
		if _, _, err := c.PutFile(bad); err == nil {
			t.Errorf("PutFile(%s) succeeds", bad)
		}
	}
	_, err := c.Blob(Sum([]byte("never put")))
	wantMiss(t, err, Absent)
	wantMiss(t, c.Place(Sum([]byte("never put")), filepath.Join(dir, "y"), 0o644), Absent)
	d, _ := c.PutBytes([]byte("x"))
	var m *Miss
	if err := c.Place(d, filepath.Join(dir, "no", "y"), 0o644); err == nil || errors.As(err, &m) {
		t.Errorf("a missing target folder: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".kmx*")); len(left) != 0 {
		t.Errorf("leftovers: %s", left)
	}
}

// sample stores a record with two outputs.
func sample(t testing.TB, c *Cache, word string) *Record {
	t.Helper()
	r := &Record{
		Key: Sum([]byte("key of " + word)), Label: "k/enc1@gfx1100",
		Fields: []Field{{"arg", "0", "-O3"}, {"input", "k.hip", word}},
		Stderr: []byte("warning: <&>\n"), Wall: time.Second, User: 2, System: 3, PeakRSS: 4,
		Made: time.Unix(1700000000, 5).UTC(),
	}
	for i := range 2 {
		b := []byte(fmt.Sprint(word, i))
		d, err := c.PutBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		r.Outputs = append(r.Outputs, Output{fmt.Sprintf("out%d", i), d, int64(len(b))})
	}
	if err := c.Store(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecords(t *testing.T) {
	c, warnings := open(t)
	_, err := c.Lookup(Sum(nil))
	wantMiss(t, err, Absent)
	want := sample(t, c, "one")
	got, err := c.Lookup(want.Key)
	if err != nil {
		t.Fatal(err)
	}
	want.Format = RecordFormat
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	brief, err := c.Find(want.Key)
	if err != nil || brief.Fields != nil || !reflect.DeepEqual(brief.Outputs, want.Outputs) {
		t.Errorf("Find: %+v, %v", brief, err)
	}
	if err := c.Store(&Record{}); err == nil {
		t.Error("a record without a key was stored")
	}
	os.Remove(c.file("cas", want.Outputs[1].Digest))
	_, err = c.Lookup(want.Key)
	wantMiss(t, err, OutputGone)
	if len(*warnings) != 0 {
		t.Errorf("warnings: %s", *warnings)
	}
}

func TestLongOutputIsCutInTheMiddle(t *testing.T) {
	c, _ := open(t)
	long := append([]byte("first"), bytes.Repeat([]byte("x"), 2*OutputLimit)...)
	long = append(long, "last"...)
	r := &Record{Key: Sum(nil), Stdout: long}
	if err := c.Store(r); err != nil {
		t.Fatal(err)
	}
	got, err := c.Lookup(r.Key)
	if err != nil {
		t.Fatal(err)
	}
	out := string(got.Stdout)
	if len(out) > OutputLimit || !strings.HasPrefix(out, "first") || !strings.HasSuffix(out, "last") || !strings.Contains(out, "bytes left out") {
		t.Errorf("%d bytes kept", len(out))
	}
	if len(r.Stdout) != len(long) || got.Made.IsZero() {
		t.Error("Store changed the caller's record, or set no time")
	}
}

func TestAnotherVersionIsAMissWithoutAlarm(t *testing.T) {
	c, warnings := open(t)
	for _, body := range []string{`{"format":"kmx.record/2"}`, `{"format":"kmx.record/2","key":7}`} {
		key := Sum([]byte(body))
		path := c.file("act", key)
		os.MkdirAll(filepath.Dir(path), 0o777)
		if err := os.WriteFile(path, fmt.Appendf([]byte(body), "%s\n", Sum([]byte(body))), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := c.Lookup(key)
		wantMiss(t, err, WrongVersion)
		if _, err := os.Stat(path); err != nil {
			t.Error("it was quarantined")
		}
	}
	if len(*warnings) != 0 {
		t.Errorf("warnings: %s", *warnings)
	}
}

func TestUseIsMarked(t *testing.T) {
	c, _ := open(t)
	r := sample(t, c, "one")
	old := time.Now().Add(-48 * time.Hour)
	files := []string{c.file("act", r.Key), c.file("cas", r.Outputs[0].Digest), c.file("cas", r.Outputs[1].Digest)}
	for _, f := range files {
		os.Chtimes(f, old, old)
	}
	if _, err := c.Lookup(r.Key); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if info, _ := os.Stat(f); time.Since(info.ModTime()) > time.Hour {
			t.Errorf("%s is not marked as used", f)
		}
	}
}

func TestStats(t *testing.T) {
	c, _ := open(t)
	r := sample(t, c, "one")
	os.WriteFile(c.file("cas", r.Outputs[0].Digest), []byte("damaged"), 0o644)
	c.Lookup(r.Key)
	s, err := c.Stats()
	if err != nil || s.Blobs != 1 || s.Records != 1 || s.Quarantined != 1 || s.Bytes == 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if !strings.Contains(s.String(), "quarantined  1") {
		t.Error(s.String())
	}
}

func TestSandboxesOfDeadProcessesAreSwept(t *testing.T) {
	c, _ := open(t)
	root := c.SandboxRoot()
	if c.SandboxRoot() != root {
		t.Error("two roots in one process")
	}
	mine := filepath.Join(root, "box", "sub")
	if err := os.MkdirAll(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	dead := c.path("tmp", "p1-7")
	os.MkdirAll(filepath.Join(dead, "box"), 0o755)
	os.WriteFile(dead+".lock", nil, 0o644)
	half := c.path("tmp", "p1-8") // killed before or after the lock file was there
	os.MkdirAll(half, 0o755)
	young, old := c.path("tmp", ".kmx-tmp-1-a"), c.path("tmp", ".kmx-tmp-1-b")
	oldRoot, lock := c.path(".kmx-tmp-1-c"), c.path("lock", Sum(nil).String())
	for _, f := range []string{young, old, oldRoot, lock} {
		os.WriteFile(f, nil, 0o644)
	}
	past := time.Now().Add(-2 * sweepAge)
	os.Chtimes(old, past, past)
	os.Chtimes(oldRoot, past, past)

	again, err := Open(c.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{mine: true, young: true, dead: false, dead + ".lock": false,
		half: false, half + ".lock": false, old: false, oldRoot: false, lock: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
	if other := again.SandboxRoot(); other == root {
		t.Error("two open caches share a sandbox root")
	}
	again.Close()
	c.Close()
	if left, _ := os.ReadDir(c.path("tmp")); len(left) != 1 {
		t.Errorf("left in tmp: %v", left)
	}
}
