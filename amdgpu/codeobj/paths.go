package codeobj

import (
	"bytes"
	"debug/elf"
	"fmt"
	"iter"
	"regexp"
	"strings"
)

// shortestRun is the least number of printable bytes in a row that is a string
// at all; maxPaths bounds what is said about one object.
const (
	shortestRun = 6
	maxPaths    = 20
)

// homes begin absolute paths of Unix machines on which code is built.
var homes = []string{
	"/home/", "/root/", "/tmp/", "/var/", "/usr/", "/opt/", "/mnt/", "/media/", "/srv/", "/run/", "/build/", "/builds/",
	"/data/", "/nix/", "/work/", "/workspace/", "/workspaces/", "/src/", "/Users/", "/private/", "/Volumes/", "/proc/",
}

// drive begins a Windows path with at least one folder.
var drive = regexp.MustCompile(`\b[A-Za-z]:[\\/][A-Za-z0-9_. ~-]{2,}[\\/]`)

// checkPaths looks for paths of the build machine in every string of the file.
func (o *Object) checkPaths(prefixes []string, ps *problems) {
	var own []string
	for _, p := range prefixes {
		if len(p) > 1 {
			own = append(own, p, strings.ReplaceAll(p, `\`, "/"), strings.ReplaceAll(p, "/", `\`))
		}
	}
	seen := map[string]bool{}
	for at, run := range runs(o.image.data) {
		if !bytes.ContainsAny(run, `/\`) {
			continue
		}
		start, ok := findPath(run, own, o.image.isCode(at))
		if !ok {
			continue
		}
		path := string(run[start:])
		if end := strings.IndexAny(path, " \"'<>|,;"); end > 0 {
			path = path[:end]
		}
		if seen[path] {
			continue
		}
		if seen[path] = true; len(seen) > maxPaths {
			ps.add("and more paths of the build machine")
			return
		}
		ps.add("a path of the build machine is in %s at offset 0x%x: %q", o.image.sectionAt(at), at+start, clip(path))
	}
}

// findPath returns where in a run of printable bytes a path begins.
func findPath(run []byte, own []string, code bool) (int, bool) {
	first := -1
	take := func(at int) {
		if at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	for _, p := range own {
		take(bytes.Index(run, []byte(p)))
	}
	for at, c := range run {
		if c == '/' && isHome(run[at:]) && absolute(run, at) {
			take(at)
			break
		}
	}
	if !code { // a pattern this loose would match instructions by chance
		if m := drive.FindIndex(run); m != nil {
			take(m[0])
		}
	}
	return first, first >= 0
}

// isHome says whether a path below one of the homes begins here.
func isHome(b []byte) bool {
	for _, home := range homes {
		if len(b) > len(home) && string(b[:len(home)]) == home {
			return true
		}
	}
	return false
}

// absolute tells "/tmp/x" from the middle of "kernels/tmp/x". Before an absolute
// path stands nothing of a path, another slash (a URL), a flag of one letter
// (-I), or one byte at the beginning of the run, which is a stray length.
func absolute(run []byte, at int) bool {
	word := at
	for word > 0 && inWord(run[word-1]) {
		word--
	}
	before := run[word:at]
	switch len(before) {
	case 0:
		return true
	case 1:
		return word == 0 || before[0] == '/'
	}
	return before[len(before)-1] == '/' || len(before) == 2 && before[0] == '-'
}

func inWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("_.-/+~", c) >= 0
}

// runs yields the printable ASCII strings of the file with their offsets.
func runs(data []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		start := 0
		for i := 0; i <= len(data); i++ {
			if i < len(data) && data[i] >= ' ' && data[i] <= '~' {
				continue
			}
			if i-start >= shortestRun && !yield(start, data[start:i]) {
				return
			}
			start = i + 1
		}
	}
}

// isCode says whether a file offset lies in an executable section.
func (m *image) isCode(at int) bool {
	s, ok := m.sectionOf(at)
	return ok && elf.SectionFlag(s.Flags)&elf.SHF_EXECINSTR != 0
}

func (m *image) sectionAt(at int) string {
	if s, ok := m.sectionOf(at); ok && s.name != "" {
		return s.name
	}
	return "the file"
}

// sectionOf finds the section that holds a file offset.
func (m *image) sectionOf(at int) (section, bool) {
	for _, s := range m.sections {
		if s.body != nil && uint64(at) >= s.Off && uint64(at)-s.Off < s.Size {
			return s, true
		}
	}
	return section{}, false
}

// clip keeps a message on one line.
func clip(s string) string {
	if len(s) > 120 {
		return fmt.Sprintf("%s... (%d bytes)", s[:120], len(s))
	}
	return s
}
