package cache

import (
	"os"

	"kmx/internal/durable"
)

// writeFile puts data at a path in the cache. No file can take the place of a
// folder, so one that stands there, by damage or by mistake, is removed first.
func writeFile(path string, data []byte) error {
	err := durable.WriteFile(path, data, 0o644)
	if err == nil {
		return nil
	}
	if info, gone := os.Lstat(path); gone == nil && info.IsDir() && durable.RemoveTree(path) == nil {
		return durable.WriteFile(path, data, 0o644)
	}
	return err
}
