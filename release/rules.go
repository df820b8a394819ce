package release

import (
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// faults lists what makes a set manifest unfit to be followed: names that
// leave the folder, doubles, impossible numbers.
func (s *Set) faults() []error {
	var errs []error
	say := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if why := badPath(s.Path); why != "" {
		say("set path %q %s", s.Path, why)
	}
	seen := map[string]string{strings.ToLower(ManifestFile): ManifestFile}
	file := func(f File) {
		if why := badName(f.Name); why != "" {
			say("file name %q %s", f.Name, why)
		}
		// Two names that differ in case only are one file on some systems.
		if other, ok := seen[strings.ToLower(f.Name)]; ok {
			say("file %s is listed beside %s", f.Name, other)
		}
		seen[strings.ToLower(f.Name)] = f.Name
		if why := f.fault(); why != "" {
			say("file %s: %s", f.Name, why)
		}
	}
	for _, e := range s.Objects {
		if e.File.Name != e.Name+ObjectSuffix {
			say("object %s is in file %q, expected %q", e.Name, e.File.Name, e.Name+ObjectSuffix)
		}
		if e.Target != s.Target {
			say("object %s is for %s in a set for %s", e.Name, e.Target, s.Target)
		}
		if d := e.DerivedFrom; d != nil && (d.Address == "" || d.Address == e.Address || d.BLAKE3.IsZero()) {
			say("object %s is derived from %q with BLAKE3 %s, which is no other object", e.Name, d.Address, d.BLAKE3)
		}
		file(e.File)
	}
	for _, f := range s.Files {
		file(f)
	}
	return errs
}

func (r *Release) faults() []error {
	var errs []error
	say := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, part := range []struct{ what, text string }{{"project", r.Project}, {"version", r.Version}} {
		if why := badName(part.text); why != "" {
			say("%s %q %s", part.what, part.text, why)
		}
	}
	if r.Suffix != "" && badName(r.Suffix) != "" {
		say("suffix %q %s", r.Suffix, badName(r.Suffix))
	}
	seen := map[string]string{}
	for _, s := range r.Sets {
		if why := badPath(s.Path); why != "" {
			say("set path %q %s", s.Path, why)
		}
		if other, ok := seen[strings.ToLower(s.Path)]; ok {
			say("set %s is listed beside %s", s.Path, other)
		}
		seen[strings.ToLower(s.Path)] = s.Path
		if s.Manifest.Name != ManifestFile {
			say("set %s: manifest file is %q, expected %q", s.Path, s.Manifest.Name, ManifestFile)
		}
		if why := s.Manifest.fault(); why != "" {
			say("set %s: manifest: %s", s.Path, why)
		}
	}
	files := map[string]string{strings.ToLower(ManifestFile): ManifestFile}
	for _, f := range r.Files {
		if why := badName(f.Name); why != "" {
			say("file name %q %s", f.Name, why)
		}
		if other, ok := files[strings.ToLower(f.Name)]; ok {
			say("file %s is listed beside %s", f.Name, other)
		}
		if other, ok := seen[strings.ToLower(f.Name)]; ok {
			say("file %s is also set %s", f.Name, other)
		}
		files[strings.ToLower(f.Name)] = f.Name
		if why := f.fault(); why != "" {
			say("file %s: %s", f.Name, why)
		}
	}
	for _, l := range r.Libraries {
		for _, f := range l.Stamped {
			if why := f.fault(); why != "" {
				say("library %s: %s: %s", l.Name, f.Name, why)
			}
		}
	}
	return errs
}

func (f File) fault() string {
	if f.Size < 0 {
		return fmt.Sprintf("size %d", f.Size)
	}
	if b, err := hex.DecodeString(f.SHA256); err != nil || len(b) != 32 || strings.ToLower(f.SHA256) != f.SHA256 {
		return fmt.Sprintf("sha256 %q is not 64 lower-case hex digits", f.SHA256)
	}
	return ""
}

// badName says why a name may not be a file in a folder of a release. The
// rules are those of the strictest system a release is unpacked on.
func badName(s string) string {
	switch {
	case s == "":
		return "is empty"
	case !utf8.ValidString(s):
		return "is not UTF-8"
	case len(s) > 200:
		return "is longer than 200 bytes"
	case strings.HasPrefix(s, "."), strings.HasSuffix(s, "."), strings.HasSuffix(s, " "):
		return "begins or ends with a dot, or ends with a space"
	}
	for _, c := range s {
		if c < ' ' || c == 0x7f || strings.ContainsRune(`/\:*?"<>|`, c) {
			return fmt.Sprintf("holds %q", c)
		}
	}
	return ""
}

// badPath is badName for every part of a slash-separated path.
func badPath(s string) string {
	if s == "" || path.Clean(s) != s {
		return "is not a clean relative path"
	}
	for part := range strings.SplitSeq(s, "/") {
		if why := badName(part); why != "" {
			return why
		}
	}
	return ""
}
