package durable

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// A Lock excludes other processes, and other holders in this one, from what
// its file stands for.
type Lock struct{ f *os.File }

// lockPause bounds how long a waiter sleeps between two tries. A call that
// sleeps in the kernel could not be cancelled.
const lockPause = 50 * time.Millisecond

// Acquire takes the lock whose file is path, made when missing, in a folder
// that exists. note is one line about the holder for those who wait. When
// somebody else holds the lock, waiting (may be nil) is called once with the
// holder's note, then Acquire waits until the lock is free or ctx is done.
func Acquire(ctx context.Context, path, note string, waiting func(holder string)) (*Lock, error) {
	pause := time.Millisecond
	for {
		l, err := TryAcquire(path, note)
		if l != nil || err != nil {
			return l, err
		}
		if waiting != nil {
			waiting(holder(path))
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
			pause = min(2*pause, lockPause)
		}
	}
}

// TryAcquire is Acquire without waiting: it returns nil and no error when
// somebody else holds the lock.
func TryAcquire(path, note string) (*Lock, error) {
	for range 1000 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		ok, err := tryLock(f)
		if err != nil || !ok {
			f.Close()
			return nil, err
		}
		// The last holder removed the file while it held the lock. What was
		// locked here may be that removed file, which locks nobody out.
		here, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		named, err := os.Stat(path)
		if err != nil || !os.SameFile(here, named) {
			f.Close()
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			continue
		}
		// The note is only for people: a full disk must not stop a build here.
		// Truncating to nothing first would make ext4 write the file to the
		// disk when it is closed.
		f.WriteAt([]byte(note+"\n"), 0)
		if here.Size() > int64(len(note)+1) {
			f.Truncate(int64(len(note) + 1))
		}
		return &Lock{f}, nil
	}
	// Either others take and release it all the time, or this file system
	// gives a file another identity each time it is asked.
	return nil, &os.PathError{Op: "lock", Path: path, Err: errors.ErrUnsupported}
}

// Release ends the lock and removes its file: lock files do not pile up.
func (l *Lock) Release() error {
	if l == nil || l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	return removeLocked(f)
}

// holder returns the note in a lock's file.
func holder(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "another process"
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 200))
	note := strings.TrimSpace(string(b))
	if note == "" {
		return "another process"
	}
	return note
}
