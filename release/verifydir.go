package release

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"kmx/cache"
	"kmx/internal/diag"
)

// Problem is one way in which a folder differs from its manifests.
type Problem struct {
	Set  string // path of the set, "" for the root of a release
	File string // base name; for a stray folder its path below the root
	What string // "missing", "extra", "altered: ..." and so on
}

func (p Problem) String() string {
	return path.Join(p.Set, p.File) + ": " + p.What
}

// VerifyDir compares a release, or one set, with its manifests: every file is
// there, is what the manifest says byte by byte, and nothing else is there.
// The result is sorted by set and file; none means that all holds. It needs no
// compiler, no matrix and no network.
//
// The root manifest is the trust anchor: it has no digest above it, so a
// consistent forgery of the whole tree is for signatures to find.
func VerifyDir(dir string) []Problem { return verify(dir, true, nil) }

// ProblemsError is a failure of class Verify that lists the problems, or nil.
func ProblemsError(dir string, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	f := &diag.Failure{Class: diag.Verify}
	for _, p := range problems {
		f.Messages = append(f.Messages, diag.Message{Summary: p.String()})
	}
	f.Messages[len(f.Messages)-1].Hint = dir + " is not what its manifests say; build or unpack it again"
	return f
}

type verifier struct {
	dir      string
	content  bool                  // read every file; otherwise compare sizes
	known    map[cache.Digest]*Set // what manifests of sets say, by their digest
	problems []Problem
	expected map[string]bool // slash paths below dir
	unknown  map[string]bool // sets whose manifest says nothing reliable
}

// verify is VerifyDir, without reading what is no manifest unless content is set.
func verify(dir string, content bool, known map[cache.Digest]*Set) []Problem {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // a folder may be named by a link, but holds none
	}
	v := &verifier{dir: dir, content: content, known: known, expected: map[string]bool{ManifestFile: true}, unknown: map[string]bool{}}
	data, err := readManifest(dir)
	if err != nil {
		v.say("", ManifestFile, "%s", reason(err))
		return v.problems
	}
	if formatOf(data) == SetFormat {
		s, err := ParseSet(data)
		if err != nil {
			v.say("", ManifestFile, "%v", err)
			return v.problems
		}
		v.set("", s)
	} else {
		r, err := ParseRelease(data)
		if err != nil {
			v.say("", ManifestFile, "%v", err)
			return v.problems
		}
		v.release(r)
	}
	v.extras()
	slices.SortFunc(v.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.File, b.File), cmp.Compare(a.What, b.What))
	})
	return v.problems
}

func (v *verifier) say(set, file, format string, args ...any) {
	v.problems = append(v.problems, Problem{set, file, fmt.Sprintf(format, args...)})
}

// gone is what is said of a file that is not there.
const gone = "missing"

func reason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return gone
	}
	return err.Error()
}

func (v *verifier) release(r *Release) {
	v.files("", r.Files, v.content)
	for _, ref := range r.Sets {
		v.expected[path.Join(ref.Path, ManifestFile)] = true
		if !v.files(ref.Path, []File{ref.Manifest}, true) {
			v.unknown[ref.Path] = true
			continue
		}
		s, err := v.known[ref.Manifest.BLAKE3], error(nil) // which the file has, as was just seen
		if s == nil {
			s, err = ReadSet(filepath.Join(v.dir, filepath.FromSlash(ref.Path)))
		}
		if err != nil {
			v.unknown[ref.Path] = true
			v.say(ref.Path, ManifestFile, "%v", err)
			continue
		}
		if s.Path != ref.Path || s.Target != ref.Target || !maps.Equal(s.Axes, ref.Axes) || len(s.Objects) != ref.Objects {
			v.say(ref.Path, ManifestFile, "is of set %s for %s with %d objects and axes %v, the release says %s for %s with %d and %v",
				s.Path, s.Target, len(s.Objects), s.Axes, ref.Path, ref.Target, ref.Objects, ref.Axes)
		}
		if s.Partial {
			v.say(ref.Path, ManifestFile, "is of a partial build")
		}
		if v.set(ref.Path, s) {
			v.stamp(ref.Path, s, r.Stamped)
		}
	}
}

func (v *verifier) set(at string, s *Set) bool {
	var list []File
	for _, e := range s.Objects {
		list = append(list, e.File)
	}
	return v.files(at, append(list, s.Files...), v.content)
}

// stamp checks that d4r-kernels.txt is there exactly where the release says
// so, and speaks of exactly the kernels of the set: a kernel without a hash is
// never served, a hash without a kernel is of another build.
func (v *verifier) stamp(at string, s *Set, stamped bool) {
	has := slices.ContainsFunc(s.Files, func(f File) bool { return f.Name == KernelsFile })
	if has != stamped {
		v.say(at, KernelsFile, "the release says stamped = %t, the set disagrees", stamped)
	}
	if !has {
		return
	}
	data, err := os.ReadFile(filepath.Join(v.dir, filepath.FromSlash(at), KernelsFile))
	if err != nil {
		return // said already
	}
	k, err := ParseKernels(data)
	if err != nil {
		v.say(at, KernelsFile, "%v", err)
		return
	}
	for _, e := range s.Objects {
		if len(k[e.Name]) == 0 {
			v.say(at, KernelsFile, "has no hash for %s", e.Name)
		}
		delete(k, e.Name)
	}
	for name := range k {
		v.say(at, KernelsFile, "has a hash for %s, which the set does not hold", name)
	}
}

// files checks the files of one folder and reports whether all are as listed.
func (v *verifier) files(at string, list []File, content bool) bool {
	what := make([]string, len(list))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range list {
		v.expected[path.Join(at, f.Name)] = true
		g.Go(func() error {
			what[i] = compare(filepath.Join(v.dir, filepath.FromSlash(at), f.Name), f, content)
			return nil
		})
	}
	g.Wait()
	ok := true
	for i, w := range what {
		if w != "" {
			ok = false
			v.say(at, list[i].Name, "%s", w)
		}
	}
	return ok
}

// compare says how the file differs from what is listed, or "".
func compare(name string, want File, content bool) string {
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return reason(err)
	case !info.Mode().IsRegular():
		return "not a plain file"
	case info.Size() != want.Size:
		return fmt.Sprintf("altered: %d bytes, the manifest says %d", info.Size(), want.Size)
	case !content:
		return ""
	}
	got, err := digest(name)
	switch {
	case err != nil:
		return reason(err)
	case got.BLAKE3 != want.BLAKE3:
		return fmt.Sprintf("altered: BLAKE3 %s, the manifest says %s", got.BLAKE3, want.BLAKE3)
	case got.SHA256 != want.SHA256:
		return fmt.Sprintf("altered: SHA-256 %s, the manifest says %s", got.SHA256, want.SHA256)
	}
	return ""
}

// extras finds what no manifest speaks of, empty folders included.
func (v *verifier) extras() {
	wanted := map[string]bool{".": true}
	for name := range v.expected {
		for d := path.Dir(name); !wanted[d]; d = path.Dir(d) {
			wanted[d] = true
		}
	}
	err := filepath.WalkDir(v.dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(v.dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case e.IsDir() && !wanted[rel]:
			v.say("", rel, "extra folder")
			return filepath.SkipDir
		case !e.IsDir() && !v.expected[rel]:
			set := path.Dir(rel)
			if set == "." {
				set = ""
			}
			if !v.unknown[set] {
				v.say(set, path.Base(rel), "extra: no manifest speaks of it")
			}
		}
		return nil
	})
	if err != nil {
		v.say("", ".", "%v", err)
	}
}
