package cache

import (
	"fmt"
	"os"
	"path/filepath"
)

// stateDir is the folder of one checkout in the cache at dir.
func stateDir(dir, root string) string {
	return filepath.Join(dir, "state", Sum([]byte(root)).String()[:16])
}

// SnapshotPath returns where the last answer lies that a program gave to a verb
// with these choices for the project at root, called in the working directory.
// Another program may answer otherwise, and relative paths in the environment
// mean something else elsewhere. Nothing is opened or made.
func SnapshotPath(root, program, verb, choices string) (string, error) {
	dir, err := DefaultDir()
	if err != nil {
		return "", err
	}
	if root, err = filepath.Abs(root); err != nil {
		return "", err
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	sum := Sum(fmt.Appendf(nil, "%q %q %q", choices, program, wd))
	return filepath.Join(stateDir(dir, root), verb+"-"+sum.String()[:12]+".snapshot"), nil
}
