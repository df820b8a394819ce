package pack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/release"
)

// The lists of digests, as sha256sum -c and b3sum --check read them.
const (
	SHA256File = "SHA256SUMS"
	B3File     = "B3SUMS"
)

// sums is such a list of files: digest, two spaces, name, sorted by name.
func sums(files map[string][]byte, digest func([]byte) string) []byte {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var b bytes.Buffer
	for _, name := range names {
		fmt.Fprintf(&b, "%s  %s\n", digest(files[name]), name)
	}
	return b.Bytes()
}

func sha256Of(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

func blake3Of(data []byte) string { return cache.Sum(data).String() }

// ParseSums reads such a list: digests by name. Lines are exactly as sums writes
// them; a name with a folder, a doubled or an unsorted one is an error.
func ParseSums(data []byte) (map[string]string, error) {
	all := map[string]string{}
	last := ""
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		digest, name, ok := strings.Cut(line, "  ")
		if raw, err := hex.DecodeString(digest); !ok || err != nil || len(raw) != 32 || digest != strings.ToLower(digest) {
			return nil, fmt.Errorf("line %d is no digest of 64 hex digits, two spaces and a name", n+1)
		}
		if name <= last || filepath.Base(name) != name || strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
			return nil, fmt.Errorf("line %d: the name %q is out of order, doubled or leads elsewhere", n+1, name)
		}
		all[name], last = digest, name
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		return nil, fmt.Errorf("the last line is cut off")
	}
	return all, nil
}

// CheckSums compares the files of a folder of archives with both lists in it:
// what they name is there and as they say, both name the same, and there is
// nothing else but the lists and signatures of what they name.
func CheckSums(dir string) []release.Problem {
	var problems []release.Problem
	say := func(file, format string, args ...any) {
		problems = append(problems, release.Problem{File: file, What: fmt.Sprintf(format, args...)})
	}
	lists := map[string]map[string]string{}
	for _, list := range []string{SHA256File, B3File} {
		data, err := durable.ReadFile(filepath.Join(dir, list), MaxText)
		if err == nil {
			lists[list], err = ParseSums(data)
		}
		if err != nil {
			say(list, "%v", err)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	for _, pair := range [][2]string{{SHA256File, B3File}, {B3File, SHA256File}} {
		for name := range lists[pair[0]] {
			if lists[pair[1]][name] == "" {
				say(name, "%s names it, %s does not", pair[0], pair[1])
			}
		}
	}
	for name, want := range lists[SHA256File] {
		data, err := durable.ReadFile(filepath.Join(dir, name), maxArchive)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			say(name, "missing: %s names it", SHA256File)
		case err != nil:
			say(name, "%v", err)
		case sha256Of(data) != want:
			say(name, "altered: SHA-256 %s, %s says %s", sha256Of(data), SHA256File, want)
		case lists[B3File][name] != "" && blake3Of(data) != lists[B3File][name]:
			say(name, "altered: BLAKE3 %s, %s says %s", blake3Of(data), B3File, lists[B3File][name])
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		say(".", "%v", err)
	}
	for _, e := range entries {
		of := strings.TrimSuffix(e.Name(), SignatureSuffix)
		if of != SHA256File && of != B3File && lists[SHA256File][of] == "" {
			say(e.Name(), "extra: no list speaks of it")
		}
	}
	slices.SortFunc(problems, func(a, b release.Problem) int { return strings.Compare(a.String(), b.String()) })
	return problems
}

// sumsError is a failure of class Verify that lists the problems, or nil.
func sumsError(dir string, problems []release.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	f := &diag.Failure{Class: diag.Verify}
	for _, p := range problems {
		f.Messages = append(f.Messages, diag.Message{Summary: p.String()})
	}
	f.Messages[len(f.Messages)-1].Hint = dir + " is not what its lists say"
	return f
}
