package release

import "path/filepath"

// Present reports whether one of the given files, or one of the files of given
// folders, is a library of the rule. Nothing is read but names.
func (r LibraryRule) Present(given []string) bool {
	for _, p := range given {
		names, _, err := candidates(p)
		if err != nil {
			continue
		}
		for _, name := range names {
			if r.matches(filepath.Base(name)) {
				return true
			}
		}
	}
	return false
}
