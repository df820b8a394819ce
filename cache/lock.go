package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"kmx/internal/durable"
)

// Lock keeps other processes, and other goroutines of this one, from key until
// unlock is called. When somebody else has it, waiting (may be nil) is called
// once with words about the holder, then Lock waits; ctx ends the wait.
// Where the file system has no locks nobody is kept out, and work may be done
// twice; the results are right all the same.
func (c *Cache) Lock(ctx context.Context, key Digest, waiting func(holder string)) (unlock func(), err error) {
	l, err := durable.Acquire(ctx, c.path("lock", key.String()), c.holder(), waiting)
	switch {
	case err == nil:
		return func() { l.Release() }, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errors.ErrUnsupported):
		return func() {}, nil
	}
	return nil, fmt.Errorf("lock %s in the cache: %w", key, err)
}

// holder says who this process is, for those who wait for it.
func (c *Cache) holder() string {
	return fmt.Sprintf("pid %d (%s), since %s", os.Getpid(), filepath.Base(os.Args[0]), c.now().Format("15:04:05"))
}
