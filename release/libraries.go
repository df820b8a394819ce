package release

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kmx/internal/diag"
)

// Library is a library rule with the files that stand for it and what they
// define.
type Library struct {
	LibraryRule
	Files   []File // base names and digests
	Kernels KernelHashes
}

// Libraries are the libraries of a stamp, one for every rule, in the order of
// the rules; nil means that nothing is to be stamped.
type Libraries []Library

// ReadLibraries matches the given files, and the files of given folders, to
// the rules and reads their modules. No path given means no stamp: the result
// is nil. Every path that matches nothing is an error that lists the rules.
func ReadLibraries(ctx context.Context, rules []LibraryRule, given []string) (Libraries, error) {
	return readLibraries(ctx, rules, given, readModules)
}

// ReadLibrariesBy is ReadLibraries for a caller that knows what files define:
// read gives the hashes of the kernels of a file.
func ReadLibrariesBy(ctx context.Context, rules []LibraryRule, given []string, read func(file string) (KernelHashes, error)) (Libraries, error) {
	return readLibraries(ctx, rules, given, read)
}

func readLibraries(ctx context.Context, rules []LibraryRule, given []string, read func(string) (KernelHashes, error)) (Libraries, error) {
	if len(given) == 0 {
		return nil, nil
	}
	libs := make(Libraries, len(rules))
	for i, r := range rules {
		libs[i] = Library{LibraryRule: r, Kernels: KernelHashes{}}
	}
	files := make([][]string, len(rules))
	var problems diag.List
	say := func(hint, format string, args ...any) {
		problems = append(problems, diag.Message{Summary: fmt.Sprintf(format, args...), Hint: hint})
	}
	for _, p := range given {
		names, folder, err := candidates(p)
		if err != nil {
			say("name the DLSS libraries, or the folders that hold them", "library %s cannot be read: %v", p, err)
			continue
		}
		found := false
		for _, name := range names {
			for i, r := range rules {
				if r.matches(filepath.Base(name)) {
					found = true
					if !slices.Contains(files[i], name) {
						files[i] = append(files[i], name)
					}
				}
			}
		}
		switch {
		case found:
		case folder:
			say(ruleHint(rules), "folder %s holds no library of the matrix", p)
		default:
			say(ruleHint(rules), "%s is no library of the matrix", p)
		}
	}
	if len(problems) > 0 {
		return nil, &diag.Failure{Class: diag.Usage, Messages: problems}
	}
	for i := range libs {
		for _, name := range files[i] {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if what := noLibrary(name); what != "" {
				return nil, diag.Failf(diag.Usage, "is it a DLSS library as NVIDIA ships it?", "library %s %s", name, what)
			}
			f, err := digest(name)
			if err != nil {
				return nil, diag.Failf(diag.IO, "", "library %s cannot be read: %w", name, err)
			}
			if slices.Contains(libs[i].Files, f) {
				continue // a second copy of one file
			}
			kernels, err := read(name)
			if err != nil {
				return nil, diag.Failf(diag.Usage, "is it a DLSS library as NVIDIA ships it?", "library %s: %w", name, err)
			}
			libs[i].Files = append(libs[i].Files, f)
			for k, hashes := range kernels {
				libs[i].Kernels[k] = append(libs[i].Kernels[k], hashes...)
			}
		}
	}
	return libs, nil
}

// maxLibrary is far above the size of any DLSS library, in bytes.
const maxLibrary = 2 << 30

// noLibrary says why a file is not even worth reading: a pipe would be waited
// for, a device may have no end.
func noLibrary(name string) string {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return "" // reading it says why
	case !info.Mode().IsRegular():
		return "is not a plain file"
	case info.Size() > maxLibrary:
		return fmt.Sprintf("has %d bytes, more than a library has", info.Size())
	}
	return ""
}

// candidates are the files that a path stands for: itself, or what a folder
// holds directly.
func candidates(p string) (names []string, folder bool, err error) {
	info, err := os.Stat(p)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		return []string{p}, false, nil
	}
	list, err := os.ReadDir(p)
	if err != nil {
		return nil, true, err
	}
	for _, e := range list {
		if name := filepath.Join(p, e.Name()); !e.IsDir() {
			names = append(names, name)
		}
	}
	return names, true, nil
}

func (r LibraryRule) matches(base string) bool {
	base, match := strings.ToLower(base), strings.ToLower(r.Match)
	ok, err := path.Match(match, base)
	return base == match || err == nil && ok
}

func ruleHint(rules []LibraryRule) string {
	if len(rules) == 0 {
		return "the matrix declares no library"
	}
	parts := make([]string, len(rules))
	for i, r := range rules {
		parts[i] = fmt.Sprintf("%s (%s)", r.Match, r.Name)
	}
	return "a library is known by its file's name: " + strings.Join(parts, ", ")
}

// hashes gives the hashes for the objects of a set. Each takes them from the
// library of its family and from no other.
func (l Libraries) hashes(objects []Entry) (KernelHashes, diag.List) {
	out := KernelHashes{}
	var problems diag.List
	say := func(hint, format string, args ...any) {
		problems = append(problems, diag.Message{Summary: fmt.Sprintf(format, args...), Hint: hint})
	}
	for _, o := range objects {
		i := slices.IndexFunc(l, func(lib Library) bool { return lib.Name == o.Library })
		switch {
		case o.Library == "":
			say("say library = library.NAME in family "+o.Family, "kernel %s belongs to no library, so no module can vouch for it", o.Name)
		case i < 0:
			say("", "kernel %s is of library %s, which the release does not declare", o.Name, o.Library)
		case len(l[i].Files) == 0:
			say("give "+l[i].Match+" too", "kernel %s is of library %s, and no file given is that library", o.Name, o.Library)
		case len(l[i].Kernels[o.Name]) == 0:
			var searched, elsewhere []string
			for _, f := range l[i].Files {
				searched = append(searched, f.Name)
			}
			for j, other := range l {
				if j != i && len(other.Kernels[o.Name]) > 0 {
					elsewhere = append(elsewhere, other.Name)
				}
			}
			hint := "is it another version of the library?"
			if len(elsewhere) > 0 {
				hint = fmt.Sprintf("library %s defines it, but family %s takes hashes from %s only", strings.Join(elsewhere, ", "), o.Family, o.Library)
			}
			say(hint, "kernel %s is defined by no module of %s (library %s)", o.Name, strings.Join(searched, ", "), o.Library)
		default:
			out[o.Name] = l[i].Kernels[o.Name]
		}
	}
	return out, problems
}

// check says of every kernel once, whatever the number of its sets, why it
// cannot be stamped.
func (l Libraries) check(sets [][]Entry) error {
	var all diag.List
	for _, objects := range sets {
		_, problems := l.hashes(objects)
		for _, m := range problems {
			if !slices.ContainsFunc(all, func(o diag.Message) bool { return o.Summary == m.Summary }) {
				all = append(all, m)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &diag.Failure{Class: diag.Usage, Messages: all}
}

// sign writes into the manifest what it is stamped from. A library that no
// object takes hashes from leaves no trace: the release is the same without.
func (l Libraries) sign(r *Release) {
	r.Stamped = true
	for i := range r.Libraries {
		s := &r.Libraries[i]
		s.Stamped = nil
		if j := slices.IndexFunc(l, func(lib Library) bool { return lib.Name == s.Name }); j >= 0 && s.Objects > 0 {
			s.Stamped = l[j].Files
		}
	}
}
