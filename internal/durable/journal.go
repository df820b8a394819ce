package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A journal says what a journalled move is about to do. Names are without
// folder: everything lies beside final. The move is
//
//	write the journal
//	rename final to Old
//	rename Fresh to final
//	remove the journal, then Old
//
// so whoever finds a journal knows from what exists how far it came.
type journal struct {
	Format string `json:"format"`
	Fresh  string `json:"fresh"`
	Old    string `json:"old"`
}

const journalFormat = "kmx.move/1"

func journalPath(final string) string {
	return filepath.Join(filepath.Dir(final), "."+filepath.Base(final)+".kmx-journal")
}

func moveLockPath(final string) string {
	return filepath.Join(filepath.Dir(final), "."+filepath.Base(final)+".kmx-lock")
}

// moveLock keeps two journalled moves of one final apart.
func moveLock(final string) (*Lock, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	path := moveLockPath(final)
	l, err := Acquire(ctx, path, fmt.Sprintf("pid %d", os.Getpid()), nil)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s is being replaced by another process (see %s) for more than a minute", final, path)
	}
	return l, err
}

// journalledMove makes path, a tree beside final, the tree at final. Between
// two renames there is nothing at final.
func journalledMove(path, final string) error {
	l, err := moveLock(final)
	if err != nil {
		return err
	}
	defer l.Release()
	if err := finish(final); err != nil {
		return err
	}
	if _, err := os.Lstat(final); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(path, final)
	} else if err != nil {
		return err
	}
	old := besides(final)
	b, err := json.Marshal(journal{journalFormat, filepath.Base(path), filepath.Base(old)})
	if err != nil {
		return err
	}
	if err := WriteFile(journalPath(final), b, 0o644); err != nil {
		return err
	}
	if err := os.Rename(final, old); err != nil {
		os.Remove(journalPath(final))
		return err
	}
	if err := os.Rename(path, final); err != nil {
		if back := os.Rename(old, final); back != nil {
			return errors.Join(err, back) // the journal stays for Recover
		}
		os.Remove(journalPath(final))
		return err
	}
	if err := os.Remove(journalPath(final)); err != nil {
		return err
	}
	RemoveTree(old)
	return nil
}

// finish ends an interrupted move, if there is one. The caller holds the lock.
func finish(final string) error {
	b, err := os.ReadFile(journalPath(final))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var j journal
	bad := json.Unmarshal(b, &j) != nil || j.Format != journalFormat ||
		!beside(final, j.Fresh) || !beside(final, j.Old)
	dir := filepath.Dir(final)
	_, missing := os.Lstat(final)
	switch {
	case missing == nil:
		// Not begun or already done; the sweep takes the other tree.
	case bad:
		return fmt.Errorf("%s: damaged journal, and nothing is at %s: rename the newest .%s.kmx-tree-* there, or remove them all, then remove the journal",
			journalPath(final), final, filepath.Base(final))
	default:
		// The fresh tree was whole before the journal was written.
		if err := os.Rename(filepath.Join(dir, j.Fresh), final); err == nil {
			break
		}
		if err := os.Rename(filepath.Join(dir, j.Old), final); err != nil {
			return fmt.Errorf("finish an interrupted move: %w", err)
		}
	}
	return os.Remove(journalPath(final))
}

// beside reports whether name is one that besides(final) makes, so that a
// damaged journal moves nothing else.
func beside(final, name string) bool {
	p := treePrefix(final)
	return len(name) > len(p) && name[:len(p)] == p && filepath.Base(name) == name
}
