package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fill stores n actions with one output of a size each, the first used n days
// ago, the last one day, and returns their keys and blobs.
func fill(t *testing.T, c *Cache, n, size int) (keys, blobs []Digest) {
	t.Helper()
	for i := range n {
		b := noise(size + i)
		d, err := c.PutBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		key := Sum(fmt.Appendf(nil, "key %d", i))
		if err := c.Store(&Record{Key: key, Outputs: []Output{{"o", d, int64(len(b))}}}); err != nil {
			t.Fatal(err)
		}
		used := c.now().Add(-time.Duration(n-i) * 24 * time.Hour)
		age(t, c, "cas", d, used)
		age(t, c, "act", key, used)
		keys, blobs = append(keys, key), append(blobs, d)
	}
	return keys, blobs
}

func age(t *testing.T, c *Cache, kind string, d Digest, used time.Time) {
	t.Helper()
	if err := os.Chtimes(c.file(kind, d), used, used); err != nil {
		t.Fatal(err)
	}
}

// there tells which of the things are in the cache, without using them: "x.x"
// has a hole in the middle.
func there(c *Cache, kind string, list []Digest) string {
	var s strings.Builder
	for _, d := range list {
		if _, err := os.Lstat(c.file(kind, d)); err == nil {
			s.WriteByte('x')
		} else {
			s.WriteByte('.')
		}
	}
	return s.String()
}

func mustCollect(t *testing.T, c *Cache, o Collection) Collected {
	t.Helper()
	done, err := c.Collect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestCollect(t *testing.T) {
	const days = 24 * time.Hour
	for _, tt := range []struct {
		name string
		o    Collection
		want string // of six, used 6, 5, 4, 3, 2 and 1 days ago
	}{
		{"no reason", Collection{Size: -1}, "xxxxxx"},
		{"by age", Collection{Size: -1, Age: 3*days + time.Hour}, "...xxx"},
		{"below the mark", Collection{Size: 1 << 30}, "xxxxxx"},
		{"above it, to the low one", Collection{Size: 600_000}, "..xxxx"},
		{"not what was used within a day", Collection{Size: 0}, ".....x"},
		{"nor by age", Collection{Size: -1, Age: time.Minute}, ".....x"},
		{"both", Collection{Size: 450_000, Age: 5*days + time.Hour}, "...xxx"},
		{"age is enough", Collection{Size: 450_000, Age: 4*days + time.Hour}, "..xxxx"},
		{"only looking", Collection{Size: 0, Look: true}, "xxxxxx"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, warnings := open(t)
			keys, blobs := fill(t, c, 6, 100_000)
			done := mustCollect(t, c, tt.o)
			if got := there(c, "act", keys) + there(c, "cas", blobs); got != tt.want+tt.want {
				t.Errorf("%s left, want %s twice", got, tt.want)
			}
			gone := strings.Count(tt.want, ".")
			if tt.o.Look {
				gone = 5
			}
			if done.Blobs != gone || done.Records != gone || done.Failed != 0 || len(*warnings) != 0 {
				t.Errorf("%+v, %s", done, *warnings)
			}
			if s, _ := c.Stats(); !tt.o.Look && s.Bytes != done.Left || s.Ever == tt.o.Look {
				t.Errorf("%d bytes are left, told %d; told at all: %v", s.Bytes, done.Left, s.Ever)
			}
			if left, _ := filepath.Glob(c.path("tmp", "collected")); len(left) != 0 {
				t.Errorf("left over: %s", left)
			}
		})
	}
}

func TestUseKeepsFromCollection(t *testing.T) {
	c, _ := open(t)
	keys, blobs := fill(t, c, 4, 1000)
	if _, err := c.Lookup(keys[0]); err != nil { // marks the record and its blob
		t.Fatal(err)
	}
	if _, err := c.Blob(blobs[1]); err != nil {
		t.Fatal(err)
	}
	if err := c.Place(blobs[2], filepath.Join(t.TempDir(), "f"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustCollect(t, c, Collection{Size: 0})
	if got := there(c, "act", keys) + " " + there(c, "cas", blobs); got != "x..x xxxx" {
		t.Errorf("left: %s", got)
	}
	// Two days later nothing of it is recent.
	c.now = func() time.Time { return time.Now().Add(49 * time.Hour) }
	mustCollect(t, c, Collection{Size: 0})
	if got := there(c, "act", keys) + " " + there(c, "cas", blobs); got != ".... ...." {
		t.Errorf("left two days later: %s", got)
	}
}

func TestClockSetBack(t *testing.T) {
	c, _ := open(t)
	keys, _ := fill(t, c, 2, 1000)
	c.now = func() time.Time { return time.Now().Add(-365 * 24 * time.Hour) }
	mustCollect(t, c, Collection{Size: 0, Age: time.Hour})
	if got := there(c, "act", keys); got != "xx" {
		t.Errorf("left: %s", got)
	}
	c.now = time.Now
	if !c.CollectionDue() {
		t.Error("a collection in the future puts the next one off")
	}
}

func TestPinsKeep(t *testing.T) {
	c, _ := open(t)
	keys, blobs := fill(t, c, 5, 1000)
	dist := t.TempDir()
	gone := filepath.Join(dist, "gone")
	for _, p := range []Pin{
		{Dir: dist, Keys: keys[:1], Blobs: blobs[:1]},
		{Dir: gone, Keys: keys[1:2], Blobs: blobs[1:2]},
		{Dir: filepath.Join(dist, "elsewhere"), Held: true, Keys: keys[2:3], Blobs: blobs[2:3]},
	} {
		if err := c.Pin(p); err != nil {
			t.Fatal(err)
		}
	}
	done := mustCollect(t, c, Collection{Size: 0, Age: time.Hour})
	if got := there(c, "act", keys) + there(c, "cas", blobs); got != "x.x.xx.x.x" {
		t.Errorf("left: %s", got)
	}
	if done.Pinned == 0 {
		t.Errorf("%+v", done)
	}
	pins, err := c.Pins()
	if err != nil || len(pins) != 2 {
		t.Errorf("pins %v, %v", pins, err)
	}
	// Written anew by a release, it is still held.
	if err := c.Pin(Pin{Dir: filepath.Join(dist, "elsewhere"), Keys: keys[2:3]}); err != nil {
		t.Fatal(err)
	}
	if pins, _ := c.Pins(); len(pins) != 2 || !pins[1].Held {
		t.Errorf("pins %v", pins)
	}
	if was, err := c.Unpin(filepath.Join(dist, "elsewhere")); !was || err != nil {
		t.Errorf("unpin: %v, %v", was, err)
	}
	if was, err := c.Unpin(gone); was || err != nil {
		t.Errorf("unpin again: %v, %v", was, err)
	}
}

// While it is not known what a pin keeps, nothing goes.
func TestDamagedPin(t *testing.T) {
	c, warnings := open(t)
	keys, _ := fill(t, c, 3, 1000)
	dir := t.TempDir()
	if err := c.Pin(Pin{Dir: dir, Keys: keys[:1]}); err != nil {
		t.Fatal(err)
	}
	path, _, _ := c.pinFile(dir)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(b) {
		if err := os.WriteFile(path, b[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Collect(t.Context(), Collection{Size: 0}); err == nil || !strings.Contains(err.Error(), path) {
			t.Fatalf("cut to %d bytes: %v", cut, err)
		}
	}
	if got := there(c, "act", keys); got != "xxx" {
		t.Errorf("left: %s", got)
	}
	k, err := c.Check(t.Context())
	if err != nil || len(k.Damaged) != 1 || k.Damaged[0].What != "pin" || len(*warnings) != 1 {
		t.Errorf("%+v, %v, %s", k, err, *warnings)
	}
	mustCollect(t, c, Collection{Size: 0})
	if got := there(c, "act", keys); got != "..x" {
		t.Errorf("left after the pin was set aside: %s", got)
	}
}

func TestOneCollector(t *testing.T) {
	c, _ := open(t)
	_, blobs := fill(t, c, 1, 1000)
	other, err := Open(c.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	age(t, c, "cas", blobs[0], time.Now().Add(-48*time.Hour))
	if _, err := c.Collect(ctx, Collection{Size: 0}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	lock := holdCollector(t, c)
	if _, err := other.Collect(t.Context(), Collection{Size: 0}); !errors.Is(err, ErrCollecting) {
		t.Errorf("beside another: %v", err)
	}
	lock()
	mustCollect(t, other, Collection{Size: 0})
}

func TestBounds(t *testing.T) {
	c, _ := open(t)
	now := time.Now()
	put := func(dir, name string, old time.Duration) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-old), now.Add(-old)); err != nil {
			t.Fatal(err)
		}
	}
	root := t.TempDir()
	state, err := c.State(root)
	if err != nil {
		t.Fatal(err)
	}
	for i := range logFiles + 10 { // ten too many, all of the last day
		put(filepath.Join(state, "log"), fmt.Sprintf("new%d", i), time.Duration(i)*time.Minute)
	}
	put(filepath.Join(state, "log"), "old", 48*time.Hour) // one more
	put(c.path("quarantine"), "blob-1", 24*time.Hour)
	put(c.path("quarantine"), "blob-2", quarantineAge+time.Hour)
	lost, err := c.State(filepath.Join(root, "lost"))
	if err != nil {
		t.Fatal(err)
	}
	put(lost, "history.jsonl", time.Hour)

	done := mustCollect(t, c, Collection{Size: -1})
	if done.Logs != 1 || done.Quarantined != 1 || done.States != 0 {
		t.Errorf("%+v", done)
	}
	c.now = func() time.Time { return now.Add(logAge + 48*time.Hour) }
	done = mustCollect(t, c, Collection{Size: -1})
	if done.Logs != logFiles+10 || done.Quarantined != 1 || done.States != 1 {
		t.Errorf("much later: %+v", done)
	}
	if _, err := os.Lstat(state); err != nil {
		t.Error("the state of a checkout that is there is gone")
	}
}

func TestParseSizeAndAge(t *testing.T) {
	for s, want := range map[string]int64{
		"10GiB": 10 << 30, "1.5 GiB": 3 << 29, "512MiB": 512 << 20, "64KiB": 64 << 10, "20GB": 20e9, "1TB": 1e12,
		"2 MB": 2e6, "4096": 4096, "7B": 7, "0": 0, " 1KiB ": 1024, "1TiB": 1 << 40,
		"8G": 8 << 30, "300M": 300 << 20, "1.5k": 1536,
	} {
		if got, err := ParseSize(s); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "GiB", "-1GiB", "ten", "1XB", "NaN", "Inf", "9e99GiB", "1GiB2"} {
		if n, err := ParseSize(s); err == nil {
			t.Errorf("ParseSize(%q) = %d", s, n)
		}
	}
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{"30d": 30 * day, "2w": 14 * day, "36h": 36 * time.Hour, "0.5d": 12 * time.Hour, "0": 0, "90m": 90 * time.Minute} {
		if got, err := ParseAge(s); err != nil || got != want {
			t.Errorf("ParseAge(%q) = %s, %v; want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "d", "30", "-1d", "-1h", "1y", "9e99d", "NaNd"} {
		if d, err := ParseAge(s); err == nil {
			t.Errorf("ParseAge(%q) = %s", s, d)
		}
	}
	for _, n := range []Size{0, 1, 1023, 1 << 10, 5 << 20, 3 << 30} {
		if got, err := ParseSize(n.String()); err != nil || got != int64(n) {
			t.Errorf("%s is read as %d, %v", n, got, err)
		}
	}
}
