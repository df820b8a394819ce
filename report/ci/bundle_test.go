package ci

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"kmx/cache"
)

// record is one of a made-up action with one output.
func record(key string, output []byte) *cache.Record {
	return &cache.Record{
		Format: cache.RecordFormat, Key: sum(key), Label: key, Fields: []cache.Field{{Tag: "kind", Value: "test"}},
		Outputs: []cache.Output{{Path: key + ".o", Digest: cache.Sum(output), Size: int64(len(output))}},
		Stderr:  []byte("a warning\n"), Wall: time.Second, PeakRSS: 1 << 20, Made: time.Unix(1, 0).UTC(),
	}
}

// sample is a bundle of two records with an output each.
func sample(t *testing.T, p *Plan, shard int) []byte {
	t.Helper()
	blobs := map[cache.Digest][]byte{}
	var records []*cache.Record
	for _, name := range []string{"one", "two"} {
		data := []byte(strings.Repeat("bytes of "+name+"\n", 50))
		records = append(records, record(fmt.Sprint(name, shard), data))
		blobs[cache.Sum(data)] = data
	}
	var b bytes.Buffer
	h := Head{Plan: p.Digest, Shard: shard, Of: len(p.Shards), Identity: p.Identity, Failed: []Failed{}}
	err := WriteBundle(&b, h, records, func(d cache.Digest) ([]byte, error) {
		if data, ok := blobs[d]; ok {
			return data, nil
		}
		return nil, errors.New("no such blob")
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBundle(t *testing.T) {
	p := planned()
	data := sample(t, p, 1)
	if again := sample(t, p, 1); !bytes.Equal(data, again) {
		t.Error("the same results make other bytes")
	}
	b, err := OpenBundle(write(t, "x.kmxb", data))
	if err != nil {
		t.Fatal(err)
	}
	if b.Name() != p.Name(0) || len(b.Records) != 2 || b.Size != int64(len(data)) || len(p.Identity.Unlike(&b.Identity)) > 0 {
		t.Errorf("got %+v", b)
	}
	i := slices.IndexFunc(b.Records, func(r *cache.Record) bool { return r.Label == "one1" })
	want := record("one1", []byte(strings.Repeat("bytes of one\n", 50)))
	if i < 0 || fmt.Sprintf("%+v", b.Records[i]) != fmt.Sprintf("%+v", want) {
		t.Errorf("a record does not come back: %+v", b.Records)
	}
	store, err := cache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	taken, left, err := Take(store, []*Bundle{b}, map[cache.Digest]bool{want.Key: true})
	if err != nil || taken != 1 || left != 1 {
		t.Fatalf("%d taken, %d left, %v", taken, left, err)
	}
	got, err := store.Lookup(want.Key)
	if err != nil || len(got.Fields) != 1 || got.Wall != time.Second || !got.Made.Equal(want.Made) {
		t.Errorf("%v %+v", err, got)
	}
	if _, err := store.Lookup(sum("two1")); err == nil {
		t.Error("a result that nobody asked for was taken")
	}
}

// Every byte of a bundle counts, and so does its length.
func TestBundleDamage(t *testing.T) {
	data := sample(t, planned(), 1)
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 0x10
		if err := read(bad); err == nil {
			t.Errorf("byte %d of %d may be another", i, len(data))
		}
		if err := read(data[:i]); err == nil {
			t.Errorf("%d of %d bytes are enough", i, len(data))
		}
	}
	for _, more := range [][]byte{{0}, data, []byte("more")} {
		if err := read(append(slices.Clone(data), more...)); err == nil {
			t.Errorf("%d bytes more are nothing", len(more))
		}
	}
}

func read(data []byte) error {
	b := &Bundle{}
	return b.readFrom(data, func(cache.Digest, []byte) error { return nil })
}

// raw is the inside of a bundle, packed again after a change.
func raw(t *testing.T, data []byte, change func(string) string) []byte {
	t.Helper()
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	inside, err := d.DecodeAll(data, nil) // the seal is skipped
	if err != nil {
		t.Fatal(err)
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return sealed(e.EncodeAll([]byte(change(string(inside))), nil))
}

// sealed puts a digest behind a frame.
func sealed(frame []byte) []byte {
	seal := cache.Sum(frame)
	return append(append(frame, sealHead...), seal[:]...)
}

// What is altered below the compression is found by its digests.
func TestBundleTampered(t *testing.T) {
	data := sample(t, planned(), 1)
	for _, c := range []struct {
		name   string
		change func(string) string
		want   string
	}{
		{"nothing", func(s string) string { return s }, ""},
		{"a blob", func(s string) string { return strings.Replace(s, "bytes of one", "bytes of 0ne", 1) }, "is altered, or no output of its records"},
		{"a record's output", func(s string) string {
			return strings.Replace(s, `"digest":"`+cache.Sum([]byte(strings.Repeat("bytes of one\n", 50))).String(), `"digest":"`+sum("x").String(), 1)
		}, "no output of its records"},
		{"more", func(s string) string { return s + "blob 0\n" }, "it goes on where it should end"},
		{"less", func(s string) string { return s[:len(s)-3] }, "it ends in the middle of a part"},
		{"the format", func(s string) string { return strings.Replace(s, BundleFormat, "kmx.bundle/9", 1) }, "no bundle that this kmx reads"},
		{"the count", func(s string) string { return strings.Replace(s, `"records":2`, `"records":3`, 1) }, "it says that it has 3 records and has 2"},
		{"a length", func(s string) string { return strings.Replace(s, "head ", "head 9999999999", 1) }, "begins no part"},
		{"a part", func(s string) string { return strings.Replace(s, "\nblob 650\n", "\nblub 650\n", 1) }, "it says that it has 2 blobs and has "},
	} {
		err := read(raw(t, data, c.change))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func FuzzBundle(f *testing.F) {
	f.Add([]byte("kmx.bundle/1 0\nhead 2\n{}"))
	f.Add([]byte("kmx.bundle/1 0\nhead 22\n{\"records\":1,\"blobs\":1}record 2\n{}blob 0\n"))
	e, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, inside []byte) {
		_ = read(inside)
		_ = read(sealed(e.EncodeAll(inside, nil)))
	})
}
