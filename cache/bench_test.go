package cache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func BenchmarkOpen(b *testing.B) {
	c, _ := open(b)
	for b.Loop() {
		if _, err := Open(c.Dir(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLookup is a hit on a record of a usual size: 120 fields, 1 output.
func BenchmarkLookup(b *testing.B) {
	c, _ := open(b)
	d := must(c.PutBytes(noise(64 << 10)))
	r := &Record{Key: Sum(nil), Outputs: []Output{{"out.hsaco", d, 64 << 10}}}
	for i := range 120 {
		r.Fields = append(r.Fields, Field{"input", fmt.Sprintf("kernels/common/file%d.h", i), d.String()})
	}
	if err := c.Store(r); err != nil {
		b.Fatal(err)
	}
	for name, get := range map[string]func(Digest) (*Record, error){"all": c.Lookup, "brief": c.Find} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := get(r.Key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStore(b *testing.B) {
	c, _ := open(b)
	r := &Record{Key: Sum(nil), Fields: make([]Field, 120)}
	for b.Loop() {
		if err := c.Store(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlace64KiB(b *testing.B) {
	c, _ := open(b)
	d := must(c.PutBytes(noise(64 << 10)))
	dir := b.TempDir()
	b.SetBytes(64 << 10)
	i := 0
	for b.Loop() {
		i++
		if err := c.Place(d, filepath.Join(dir, fmt.Sprint(i)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPutFileNew64KiB(b *testing.B) {
	c, _ := open(b)
	data := noise(64 << 10)
	path := filepath.Join(b.TempDir(), "f")
	b.SetBytes(64 << 10)
	i := 0
	for b.Loop() {
		i++
		copy(data, fmt.Sprint(i))
		if err := os.WriteFile(path, data, 0o644); err != nil {
			b.Fatal(err)
		}
		if _, _, err := c.PutFile(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBlob64KiB(b *testing.B) {
	c, _ := open(b)
	d := must(c.PutBytes(noise(64 << 10)))
	b.SetBytes(64 << 10)
	for b.Loop() {
		if _, err := c.Blob(d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLock(b *testing.B) {
	c, _ := open(b)
	for b.Loop() {
		unlock, err := c.Lock(context.Background(), Sum(nil), nil)
		if err != nil {
			b.Fatal(err)
		}
		unlock()
	}
}

func BenchmarkMemoHit(b *testing.B) {
	c, _ := open(b)
	c.now = later
	m := c.Memo()
	path := newFile(b, "content")
	for b.Loop() {
		if _, _, err := m.File(path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemoMiss64KiB reads and digests; the file is young all the time.
func BenchmarkMemoMiss64KiB(b *testing.B) {
	var m *Memo
	path := newFile(b, string(noise(64<<10)))
	b.SetBytes(64 << 10)
	for b.Loop() {
		if _, _, err := m.File(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMemoLoad10000(b *testing.B) {
	c, _ := open(b)
	c.now = later
	m := c.Memo()
	for i := range uint64(10000) {
		m.put(stat{dev: 1, ino: i * 7919}, Sum(nil))
	}
	for i := range 500 {
		m.PutDerived("includes/1", Sum([]byte(fmt.Sprint(i))), "common/wmma.h\x00common/f16.h")
	}
	if err := m.Save(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if t, _ := m.read(); t.len() != 10000 {
			b.Fatal(t.len())
		}
	}
}

func BenchmarkHistoryOpen1000(b *testing.B) {
	dir := b.TempDir()
	h := must(OpenHistory(dir))
	for i := range 1000 {
		if err := h.Append(Past{Label: fmt.Sprintf("k/kernel%d@gfx1201", i), Facts: []byte(`{"vgprs":128,"sgprs":40,"lds":32768,"spills":0,"scratch":0}`)}); err != nil {
			b.Fatal(err)
		}
	}
	h.Close()
	for b.Loop() {
		must(OpenHistory(dir))
	}
}

func BenchmarkHistoryAppend(b *testing.B) {
	h := must(OpenHistory(b.TempDir()))
	p := Past{Label: "k/kernel@gfx1201", Facts: []byte(`{"vgprs":128,"sgprs":40}`)}
	for b.Loop() {
		if err := h.Append(p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckSnapshot(b *testing.B) {
	for _, n := range []int{100, 2000, 20000, 200000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if n > 20000 && testing.Short() {
				b.Skip("makes many files")
			}
			dir := b.TempDir()
			var paths []string
			s := newSnapshot(later)
			for i := range n {
				sub := filepath.Join(dir, fmt.Sprintf("set%02d", i/2000))
				if i%2000 == 0 {
					os.Mkdir(sub, 0o755)
				}
				path := filepath.Join(sub, fmt.Sprintf("dltss_pwin_enc%06d.hsaco", i))
				if err := os.WriteFile(path, nil, 0o644); err != nil {
					b.Fatal(err)
				}
				s.AddFile(path)
				paths = append(paths, path)
			}
			s.SetAnswer(noise(1000))
			path := filepath.Join(b.TempDir(), "snapshot")
			if err := s.Save(path); err != nil {
				b.Fatal(err)
			}
			info, _ := os.Stat(path)
			b.ReportMetric(float64(info.Size())/float64(n), "bytes/file")
			// The floor of the obvious way, round by round on the same machine.
			var lstat time.Duration
			for b.Loop() {
				if _, why, ok := CheckSnapshot(path); !ok {
					b.Fatal(why)
				}
				b.StopTimer()
				begin := time.Now()
				for _, p := range paths {
					os.Lstat(p)
				}
				lstat += time.Since(begin)
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "us/file")
			b.ReportMetric(float64(b.Elapsed())/float64(lstat), "x/lstat")
		})
	}
}
