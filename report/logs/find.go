package logs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kmx/internal/diag"
)

// suffix of the files of logs.
const suffix = ".jsonl"

// List gives the paths of the logs in a folder, the oldest first: their names are
// the times at which they began. A folder that is not there has none.
func List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortFunc(paths, compareNames)
	return paths, nil
}

// compareNames compares the names of files. It orders TIME before TIME-2: the
// second build of one moment has a number before the ending.
func compareNames(a, b string) int {
	return strings.Compare(strings.TrimSuffix(filepath.Base(a), suffix), strings.TrimSuffix(filepath.Base(b), suffix))
}

// Find gives the path of the log that a word means: "last" (or ""), "last~N" the
// Nth before it, the name of a log in dir, or a path.
func Find(dir, word string) (string, error) {
	if word == "" {
		word = "last"
	}
	back := 0
	if rest, ok := strings.CutPrefix(word, "last"); ok && (rest == "" || rest[0] == '~') {
		if rest != "" {
			n, err := strconv.Atoi(rest[1:])
			if err != nil || n < 0 {
				return "", diag.Failf(diag.Usage, "last~1 is the build before the last", "%q is no log", word)
			}
			back = n
		}
		paths, err := List(dir)
		if err != nil {
			return "", diag.Failf(diag.IO, "", "%w", err)
		}
		switch {
		case len(paths) == 0:
			return "", diag.Failf(diag.Usage, "build something first, or name a log", "there is no log of a build in %s", dir)
		case back >= len(paths):
			return "", diag.Failf(diag.Usage, "", "%s: there are only %d logs in %s", word, len(paths), dir)
		}
		return paths[len(paths)-1-back], nil
	}
	for _, path := range []string{word, filepath.Join(dir, word), filepath.Join(dir, word+suffix)} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", diag.Failf(diag.Usage, "last, last~1, the name of a file in "+dir+", or a path", "there is no log %q", word)
}

// Limits of Before.
const (
	beforeBuilds = 10
	beforeBytes  = 64 << 20
)

// Before reads the builds in the folder of a log that were before it, the oldest
// first: at most ten, and 64 MiB of logs. Logs that cannot be read are left out
// and told.
func Before(path string) (builds []*Build, unread []error, err error) {
	paths, err := List(filepath.Dir(path))
	if err != nil {
		return nil, nil, err
	}
	i, _ := slices.BinarySearchFunc(paths, path, compareNames)
	left := int64(beforeBytes)
	for i--; i >= 0 && len(builds) < beforeBuilds; i-- {
		info, err := os.Stat(paths[i])
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed just now
		}
		if err != nil {
			return nil, nil, err
		}
		if left -= info.Size(); left < 0 {
			break
		}
		b, err := Read(paths[i])
		if err != nil {
			unread = append(unread, fmt.Errorf("an earlier log is left out: %w", err))
			continue
		}
		builds = append(builds, b)
	}
	slices.Reverse(builds)
	return builds, unread, nil
}
