package cache

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// CheckSnapshot reads the snapshot at path and compares everything in it with
// what is there now. ok means that all of it holds and answer is that of the
// last run; otherwise why names the first difference, or what is wrong with
// the snapshot.
func CheckSnapshot(path string) (answer []byte, why string, ok bool) {
	f, err := readSnapshot(path)
	if gone(err) {
		return nil, "there is no snapshot of an earlier run", false
	}
	if err != nil {
		return nil, fmt.Sprintf("the snapshot of the last run %v", err), false
	}
	if f.doubt != "" {
		return nil, "everything is looked at again: " + f.doubt, false
	}
	for _, name := range slices.Sorted(maps.Keys(f.env)) {
		was, is := f.env[name], lookEnv(name)
		switch {
		case was.set && !is.set:
			return nil, fmt.Sprintf("the environment variable %s is no longer set", name), false
		case !was.set && is.set:
			return nil, fmt.Sprintf("the environment variable %s is now set", name), false
		case was != is:
			return nil, fmt.Sprintf("the environment variable %s has another value", name), false
		}
	}
	if why := f.check(); why != "" {
		return nil, why, false
	}
	return append([]byte(nil), f.answer...), "", true
}

// SnapshotAnswer returns the answer in the snapshot at path, whether or not
// anything in it still holds.
func SnapshotAnswer(path string) ([]byte, error) {
	f, err := readSnapshot(path)
	if err != nil {
		return nil, err
	}
	return append([]byte(nil), f.answer...), nil
}

// readSnapshot reads and verifies a snapshot. Its error goes on from "the
// snapshot".
func readSnapshot(path string) (*snapshotFile, error) {
	b, err := readOnce(path)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	var f *snapshotFile
	if b, err = cutDigest(b); err == nil {
		f, err = decodeSnapshot(b)
	}
	if err != nil {
		return nil, fmt.Errorf("is not usable (%w): %s", err, path)
	}
	return f, nil
}

// check compares all groups and returns the first difference in their order.
func (f *snapshotFile) check() string {
	var (
		next  atomic.Int64 // group to take
		first atomic.Int64 // lowest group with a difference so far
		mu    sync.Mutex
		why   string
		wg    sync.WaitGroup
	)
	first.Store(int64(len(f.groups)))
	work := func() {
		var c checker
		for {
			i := next.Add(1) - 1
			if i >= first.Load() {
				return
			}
			if diff := c.group(f.groups[i]); diff != "" {
				mu.Lock()
				if i < first.Load() {
					first.Store(i)
					why = diff
				}
				mu.Unlock()
			}
		}
	}
	// A thread is worth starting for a few groups, not for one.
	for range min(runtime.GOMAXPROCS(0), len(f.groups)/4+1) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return why
}

// differs says how is differs from want, or nothing.
func differs(path string, want stat, absent bool, is stat, err error) string {
	switch {
	case absent && err == nil:
		return path + " has appeared"
	case absent && gone(err):
		return ""
	case gone(err):
		return path + " is gone"
	case err != nil:
		return err.Error()
	}
	is.dev = 0 // devices get new numbers at each start of the machine
	want.dev = 0
	if is == want {
		return ""
	}
	what := "inode"
	switch {
	case is.size != want.size:
		what = "size"
	case is.mtime != want.mtime:
		what = "time of modification"
	case is.mode != want.mode:
		what = "mode"
	case is.ctime != want.ctime:
		what = "time of change"
	}
	return fmt.Sprintf("%s has changed (%s)", path, what)
}

// text returns a name without the 0 at its end.
func text(b []byte) string { return string(bytes.TrimSuffix(b, []byte{0})) }

// maxRead bounds what is read of a file of the cache other than a blob: damage
// can make a file look as long as it likes. A snapshot of 100,000 cells takes
// about 20 MiB.
const maxRead = 1 << 30

// readOnce reads a file in one read where the file system allows.
func readOnce(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	if info.Size() > maxRead {
		return nil, fmt.Errorf("%s: %d bytes are too many", path, info.Size())
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(f, b)
	return b, err
}
