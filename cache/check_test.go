package cache

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	c, warnings := open(t)
	keys, blobs := fill(t, c, 8, 1000)
	rewrite := func(kind string, d Digest, change func([]byte) []byte) {
		t.Helper()
		b, err := os.ReadFile(c.file(kind, d))
		if err == nil {
			err = os.WriteFile(c.file(kind, d), change(b), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		age(t, c, kind, d, time.Now().Add(-100*time.Hour))
	}
	if k, err := c.Check(t.Context()); err != nil || k.Blobs != 8 || k.Records != 8 || k.Incomplete+k.Foreign+len(k.Damaged) != 0 {
		t.Fatalf("a sound cache: %+v, %v", k, err)
	}
	rewrite("cas", blobs[0], func(b []byte) []byte { b[500] ^= 1; return b })
	rewrite("cas", blobs[1], func(b []byte) []byte { return b[:10] })
	rewrite("act", keys[2], func(b []byte) []byte { b[20] ^= 1; return b })
	rewrite("act", keys[3], func(b []byte) []byte { return nil })
	other, err := os.ReadFile(c.file("act", keys[5]))
	if err != nil {
		t.Fatal(err)
	}
	rewrite("act", keys[4], func([]byte) []byte { return other }) // sound, in the wrong place
	os.Remove(c.file("cas", blobs[6]))
	if err := os.WriteFile(c.path("cas", "stray"), []byte("?"), 0o644); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Lstat(c.file("cas", blobs[7]))

	k, err := c.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The records of three blobs are incomplete.
	if k.Blobs != 5 || k.Records != 5 || k.Incomplete != 3 || len(k.Damaged) != 6 || len(*warnings) != 6 {
		t.Errorf("%+v\n%s", k, strings.Join(*warnings, "\n"))
	}
	for _, d := range []struct {
		kind string
		list []Digest
		want string
	}{{"cas", blobs, "..xxxx.x"}, {"act", keys, "xx...xxx"}} {
		if got := there(c, d.kind, d.list); got != d.want {
			t.Errorf("%s: left %s, want %s", d.kind, got, d.want)
		}
	}
	if after, _ := os.Lstat(c.file("cas", blobs[7])); !after.ModTime().Equal(before.ModTime()) {
		t.Error("checking is not using, but the sign of use changed")
	}
	if k, err := c.Check(t.Context()); err != nil || len(k.Damaged) != 0 {
		t.Errorf("again: %+v, %v", k, err)
	}
	if s, _ := c.Stats(); s.Quarantined != 6 {
		t.Errorf("%d in quarantine", s.Quarantined)
	}
}
