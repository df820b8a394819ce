package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"kmx/cache"
)

// What a tool may write at most, in bytes. Far above any object or list of inputs;
// below it, reading what a tool that ran wild has written takes no time that matters.
const (
	maxOutput  = 1 << 30
	maxDepfile = 64 << 20
)

// collect puts the outputs into the cache.
func (l *local) collect(box *sandbox, j *Job, out *Outcome) error {
	for _, name := range j.Action.Outputs {
		missing := func(why string) error {
			return &MissingOutput{Label: j.Label, Path: name, Tool: j.Action.Tool, Why: why, Stderr: string(out.Stderr)}
		}
		info, err := os.Lstat(box.path(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return missing("does not exist")
		case err != nil:
			return &MachineError{Label: j.Label, Doing: "cannot read the output " + name, Err: err}
		case !info.Mode().IsRegular():
			return missing("is not a regular file")
		case info.Size() > maxOutput:
			return missing(fmt.Sprintf("has %d bytes, more than an output may have", info.Size()))
		}
		digest, size, err := l.cache.PutFile(box.path(name))
		if err != nil {
			return &MachineError{Label: j.Label, Doing: "cannot put " + name + " into the cache", Err: err}
		}
		out.Outputs = append(out.Outputs, cache.Output{Path: name, Digest: digest, Size: size})
	}
	return nil
}

// readDepfile reads a file that a tool has made. Opening a pipe would wait for ever, and a link can lead anywhere.
func readDepfile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxDepfile:
		return nil, fmt.Errorf("it has %d bytes", info.Size())
	}
	return os.ReadFile(path)
}

// checkDepfile compares what the tool read, by its own account, with what the action declares. owned are the files of the
// toolchain among that.
func checkDepfile(box *sandbox, j *Job) (owned []string, _ error) {
	name := j.Action.Depfile
	if name == "" {
		return nil, nil
	}
	bad := &DepfileError{Label: j.Label, Path: name, Tool: j.Action.Tool}
	data, err := readDepfile(box.path(name))
	if err != nil {
		bad.Missing, bad.Err = errors.Is(err, fs.ErrNotExist), err
		return nil, bad
	}
	read, err := parseDepfile(data)
	if err != nil {
		bad.Err = err
		return nil, bad
	}
	declared := make(map[string]bool, len(j.Action.Inputs))
	for _, in := range j.Action.Inputs {
		declared[in.Path] = true
	}
	var undeclared []string
	for _, file := range read {
		abs := file
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(box.dir, file)
		}
		inside, isInside := strings.CutPrefix(filepath.Clean(abs), box.dir+string(filepath.Separator))
		switch {
		case isInside && declared[path.Clean(filepath.ToSlash(inside))]:
		case !isInside && j.Tool.Owns != nil && j.Tool.Owns(filepath.Clean(abs)):
			owned = append(owned, filepath.Clean(abs))
		default:
			if isInside {
				file = filepath.ToSlash(inside)
			}
			undeclared = append(undeclared, file)
		}
	}
	if len(undeclared) > 0 {
		return nil, &UndeclaredInput{Label: j.Label, Tool: j.Action.Tool, Paths: undeclared}
	}
	return owned, nil
}
