package flow

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"kmx/cache"
)

// sourcesName is the list of what the front door was compiled from: for each
// file its stamp, the digest of its bytes and its name. Times alone would not
// tell a file that was put back or removed, and would refuse one that was only
// touched.
const sourcesName = "bin/kmx.sources"

// listSources writes the list for what is here now.
func (p *Project) listSources() ([]byte, error) {
	var list bytes.Buffer
	err := p.goFiles(func(name string, _ fs.FileInfo) error {
		stamp, err := cache.Stamp(p.path(name))
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p.path(name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s %s %s\n", stamp, cache.Sum(data), name)
		return nil
	})
	return list.Bytes(), err
}

// stale says why the front door is not what compiling it now would give, "" if
// it is. Only files whose stamp differs are read.
func (p *Project) stale() (why string, err error) {
	if _, err := os.Stat(p.path(doorName())); err != nil {
		return "it is not there", nil
	}
	list, err := os.ReadFile(p.path(sourcesName))
	if errors.Is(err, fs.ErrNotExist) {
		return sourcesName + " is not there", nil
	}
	if err != nil {
		return "", err
	}
	type source struct{ stamp, digest string }
	known := map[string]source{}
	for line := range strings.Lines(string(list)) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3); len(f) == 3 {
			known[f[2]] = source{f[0], f[1]}
		}
	}
	err = p.goFiles(func(name string, _ fs.FileInfo) error {
		was, ok := known[name]
		delete(known, name)
		if !ok {
			why = name + " is new"
			return fs.SkipAll
		}
		if stamp, err := cache.Stamp(p.path(name)); err == nil && stamp == was.stamp {
			return nil
		}
		data, err := os.ReadFile(p.path(name))
		if err != nil {
			return err
		}
		if cache.Sum(data).String() != was.digest {
			why = name + " has changed"
			return fs.SkipAll
		}
		return nil
	})
	for name := range known {
		if err == nil && why == "" {
			why = name + " is gone"
		}
	}
	return why, err
}
