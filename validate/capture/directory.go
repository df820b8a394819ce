package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	manifestName = "manifest.txt"
	argsName     = "args.bin"
)

func allocationName(number int) string { return fmt.Sprintf("alloc-%d.bin", number) }

// DirectoryName is how the bridge names the capture of a launch by its number in
// the run.
func DirectoryName(sequence int, kernel string) string {
	return fmt.Sprintf("replay-%06d-%s", sequence, kernel)
}

// BadCapture is an error that lists everything wrong with a capture.
type BadCapture struct {
	Dir      string
	Problems []string
}

func (e *BadCapture) Error() string {
	return fmt.Sprintf("%s is no sound capture:\n  %s", e.Dir, strings.Join(e.Problems, "\n  "))
}

// Read reads a capture directory. The error is a *BadCapture where the contents
// are wrong.
func Read(dir string) (*Capture, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: a capture is a directory that D4R_CUDA_REPLAY_DUMP_DIR made, or mage validate:generate", dir, manifestName)
	}
	if err != nil {
		return nil, err
	}
	m, problems := parseManifest(text)
	c := &m.Capture
	if c.Args, err = os.ReadFile(filepath.Join(dir, argsName)); err != nil {
		problems = append(problems, err.Error())
	} else if m.seen["args"] && len(c.Args) != m.args {
		problems = append(problems, fmt.Sprintf("%s has %d bytes, the manifest says %d", argsName, len(c.Args), m.args))
	}
	for i := range c.Allocations {
		a := &c.Allocations[i]
		if problem := a.load(dir, m.sizes[a.Number]); problem != "" {
			problems = append(problems, problem)
		}
	}
	if problem := c.overlap(); problem != "" {
		problems = append(problems, problem)
	}
	if len(problems) > 0 {
		return nil, &BadCapture{dir, problems}
	}
	return c, nil
}

func (a *Allocation) load(dir string, size int64) string {
	path := filepath.Join(dir, allocationName(a.Number))
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	if info.Size() != size {
		return fmt.Sprintf("%s has %d bytes, the manifest says %d", allocationName(a.Number), info.Size(), size)
	}
	if a.Data, err = os.ReadFile(path); err != nil {
		return err.Error()
	}
	if int64(len(a.Data)) != size {
		return fmt.Sprintf("%s changed while it was read", path)
	}
	return ""
}

// Write writes a capture directory, which must be new or empty: what another
// capture left would be taken for part of this one.
func (c *Capture) Write(dir string) error {
	if err := checkName(c.Kernel); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: a capture gets a directory of its own", dir)
	}
	files := map[string][]byte{argsName: c.Args, manifestName: formatManifest(c)}
	for _, a := range c.Allocations {
		files[allocationName(a.Number)] = a.Data
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names) // manifest.txt after what it lists
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ReadResults reads the memory that a replay left: a whole capture, or bare
// alloc-N.bin files as dump_runner writes them, which take their places in the
// capture they were made from.
func ReadResults(dir string, from *Capture) (*Capture, error) {
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil || from == nil {
		return Read(dir)
	}
	c := from.Clone()
	var problems []string
	for i := range c.Allocations {
		a := &c.Allocations[i]
		if problem := a.load(dir, int64(len(a.Data))); problem != "" {
			problems = append(problems, problem)
		}
	}
	if len(problems) > 0 {
		return nil, &BadCapture{dir, problems}
	}
	return c, nil
}
