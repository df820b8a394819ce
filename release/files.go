package release

import (
	"path/filepath"
	"slices"
)

// Present reports whether one of the given files, or one of the files of given
// folders, is a library of the rule. Nothing is read but names.
func (r LibraryRule) Present(given []string) bool { return len(r.FilesOf(given)) > 0 }

// Matches reports whether a file of that base name is a library of the rule.
func (r LibraryRule) Matches(base string) bool { return r.matches(base) }

// FilesOf lists the given files, and the files of given folders, that are
// libraries of the rule, in the order given. Nothing is read but names, and what
// cannot be read is passed over.
func (r LibraryRule) FilesOf(given []string) []string {
	var found []string
	for _, p := range given {
		names, _, err := candidates(p)
		if err != nil {
			continue
		}
		for _, name := range names {
			if r.matches(filepath.Base(name)) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	return found
}
