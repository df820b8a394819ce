package pack

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"kmx/release"
)

// The kinds of archives.
const (
	TarZst = "tar.zst"
	Zip    = "zip"
)

// ZipRoot is where an installed d4r has its kernels.
const ZipRoot = "d4r/kernels"

// Archive is an archive block of the matrix.
type Archive struct {
	Name            string   `json:"name"`
	Families        []string `json:"families,omitempty"` // none: all
	Formats         []string `json:"formats"`            // TarZst, Zip
	Redistributable bool     `json:"redistributable"`
	Without         []string `json:"without,omitempty"` // words for its name: what is missing with the families that it leaves out
}

// holds says whether objects of the family are for this archive.
func (a *Archive) holds(family string) bool {
	return len(a.Families) == 0 || slices.Contains(a.Families, family)
}

// rule is the archive as a rule that leaves things out.
func (a *Archive) rule() string { return "archive " + a.Name }

// suffix ends the version in the names of the archive: that of the release, and
// the words for what only the archive does not hold.
func (a *Archive) suffix(of *release.Release) string {
	var words []string
	if of.Suffix != "" {
		words = append(words, of.Suffix)
	}
	for _, w := range a.Without {
		if !strings.Contains("-"+of.Suffix+"-", "-"+w+"-") {
			words = append(words, w)
		}
	}
	return strings.Join(words, "-")
}

// base is the name of an archive file without the ending of its format; set is
// the path of its only set, or "".
func (a *Archive) base(r *release.Release, set string) string {
	b := r.Name() + "-" + a.Name
	if set != "" {
		b += "-" + strings.ReplaceAll(set, "/", "-")
	}
	return b
}

// root is the folder in an archive that holds the release.
func root(format, base string) string {
	if format == Zip {
		return ZipRoot
	}
	return base
}

// formatOf tells the format by the name of a file, "" if it is none.
func formatOf(name string) string {
	for _, f := range []string{TarZst, Zip} {
		if strings.HasSuffix(name, "."+f) {
			return f
		}
	}
	return ""
}

// clash says which two archives would have one name, or "".
func clash(archives []Archive, sets []release.SetRef) string {
	seen := map[string]string{}
	for _, a := range archives {
		names := []string{a.Name}
		for _, s := range sets {
			names = append(names, a.Name+"-"+strings.ReplaceAll(s.Path, "/", "-"))
		}
		for i, n := range names {
			what := "archive " + a.Name
			if i > 0 {
				what = "set " + sets[i-1].Path + " of archive " + a.Name
			}
			if other, ok := seen[strings.ToLower(n)]; ok {
				return fmt.Sprintf("%s and %s would have one name", other, what)
			}
			seen[strings.ToLower(n)] = what
		}
	}
	return ""
}

// parents are the folders above a slash path, outermost first.
func parents(p string) []string {
	var dirs []string
	for d := path.Dir(p); d != "." && d != "/"; d = path.Dir(d) {
		dirs = append(dirs, d)
	}
	slices.Reverse(dirs)
	return dirs
}

// IsArchive says whether a file of that name is an archive by its ending.
func IsArchive(name string) bool { return formatOf(name) != "" }
