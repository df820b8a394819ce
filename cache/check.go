package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"kmx/internal/durable"
)

// Checked says what a check of the whole cache found.
type Checked struct {
	Blobs, Records int
	Bytes          int64    // of both
	Incomplete     int      // sound records with an output that is not there: they are made again
	Foreign        int      // sound records of another version of kmx
	Damaged        []Damage // what was not as it was stored, by name
}

// A Damage is a file that was set aside.
type Damage struct {
	What string // "blob", "record", "pin", "file"
	Name string
	Why  string
}

func (d Damage) String() string { return fmt.Sprintf("%s %s: %s", d.What, d.Name, d.Why) }

// Check reads every blob, record and pin and quarantines what is damaged. It
// leaves the signs of use as they are. Builds may run meanwhile.
func (c *Cache) Check(ctx context.Context) (Checked, error) {
	k := audit{c: c}
	// Blobs first: a record whose blob was set aside is incomplete.
	for _, kind := range []string{"cas", "act"} {
		var g sync.WaitGroup
		files := make(chan [2]string)
		for range runtime.GOMAXPROCS(0) {
			g.Go(func() {
				for f := range files {
					k.file(kind, f[0], f[1])
				}
			})
		}
		err := c.each(kind, func(path, name string, _ fs.DirEntry) {
			if ctx.Err() == nil {
				files <- [2]string{path, name}
			}
		})
		close(files)
		g.Wait()
		if err != nil {
			return k.Checked, fmt.Errorf("check the cache: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return k.Checked, err
		}
	}
	k.pins()
	slices.SortFunc(k.Damaged, func(a, b Damage) int {
		return strings.Compare(a.What+" "+a.Name, b.What+" "+b.Name)
	})
	return k.Checked, nil
}

// An audit counts what a check finds, from several goroutines.
type audit struct {
	c  *Cache
	mu sync.Mutex
	Checked
}

func (k *audit) damaged(what, name, why string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Damaged = append(k.Damaged, Damage{what, name, why})
}

// file checks one file of a kind. One that is gone was collected.
func (k *audit) file(kind, path, name string) {
	what := map[string]string{"cas": "blob", "act": "record"}[kind]
	d, err := ParseDigest(name)
	if err != nil || path != k.c.file(kind, d) {
		k.foreign(path, "it does not belong here")
		return
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var why string
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		why = "not a file"
	case kind == "cas":
		why, err = checkBlob(path, d)
	default:
		why, err = k.record(path, d)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil: // it is not known to be damaged, so it stays
		k.damaged(what, name, "cannot be read: "+err.Error())
		return
	case why != "":
		k.c.quarantine(kind, d, info, why)
		k.damaged(what, name, why)
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Bytes += info.Size()
	if kind == "cas" {
		k.Blobs++
	} else {
		k.Records++
	}
}

func checkBlob(path string, d Digest) (why string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	got, _, err := digest(f)
	if err == nil && got != d {
		why = "its digest is " + got.short()
	}
	return why, err
}

func (k *audit) record(path string, key Digest) (why string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	r, err := decodeRecord(b, true)
	switch {
	case errors.Is(err, errRecordVersion):
		k.mu.Lock()
		defer k.mu.Unlock()
		k.Foreign++
		return "", nil
	case err != nil:
		return err.Error(), nil
	case r.Key != key:
		return "it is the record of " + r.Key.String(), nil
	}
	for _, o := range r.Outputs {
		info, err := os.Lstat(k.c.file("cas", o.Digest))
		if err != nil || info.Size() != o.Size {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.Incomplete++
			return "", nil
		}
	}
	return "", nil
}

// foreign sets aside what no kmx has put there.
func (k *audit) foreign(path, why string) {
	to := k.c.path("quarantine", "file-"+filepath.Base(path))
	if err := os.Rename(path, to); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		to = path
	}
	k.damaged("file", path, why)
	k.c.warn(fmt.Sprintf("cache: %s: %s; it is now %s", path, why, to))
}

// pins sets damaged pins aside: until then nothing is collected, as it is not
// known what they keep.
func (k *audit) pins() {
	entries, _ := os.ReadDir(k.c.path("pins"))
	for _, e := range entries {
		path := k.c.path("pins", e.Name())
		if durable.IsTemp(e.Name()) {
			continue
		}
		_, err := readPin(path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		to := k.c.path("quarantine", "pin-"+e.Name())
		if err := os.Rename(path, to); err != nil {
			to = "nowhere: " + err.Error()
		}
		k.damaged("pin", e.Name(), err.Error())
		k.c.warn(fmt.Sprintf("cache: pin %s is damaged (%v), moved to %s; the next release pins itself again", e.Name(), err, to))
	}
}
