package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cache"
)

// A tree is the project's source tree as the compiler of one run sees it. It
// answers which files an action may read and remembers which it looked for in
// vain, so that one that appears is noticed.
type tree struct {
	root   string
	memo   *cache.Memo
	isFile map[string]bool
	files  map[string]scanned
}

type scanned struct {
	digest     cache.Digest
	directives []directive
	tokens     tokens
	computed   []*computedError
	err        error
}

func newTree(root string, memo *cache.Memo) *tree {
	return &tree{root: root, memo: memo, isFile: map[string]bool{}, files: map[string]scanned{}}
}

// exists says whether the slash path name is a regular file of the tree.
func (t *tree) exists(name string) bool {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	is, known := t.isFile[name]
	if !known {
		info, err := os.Stat(t.path(name))
		is = err == nil && info.Mode().IsRegular()
		t.isFile[name] = is
	}
	return is
}

// absent lists what was looked for and is not there, sorted.
func (t *tree) absent() []string {
	var names []string
	for name, is := range t.isFile {
		if !is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (t *tree) path(name string) string { return filepath.Join(t.root, filepath.FromSlash(name)) }

// read digests a file and lists what it names, from the memo where its bytes
// were seen before.
func (t *tree) read(name string) scanned {
	if s, ok := t.files[name]; ok {
		return s
	}
	s := t.scanFile(name)
	t.files[name] = s
	return s
}

// scanKind versions the memoised lists: it changes with the scanner.
const scanKind = "includes/1"

func (t *tree) scanFile(name string) scanned {
	digest, _, err := t.memo.File(t.path(name))
	if err != nil {
		return scanned{err: err}
	}
	s := scanned{digest: digest}
	if text, ok := t.memo.Derived(scanKind, digest); ok && json.Unmarshal([]byte(text), &s.directives) == nil {
		text, _ := t.memo.Derived(tokensKind, digest)
		if s.tokens, ok = parseTokens(text); ok {
			return s
		}
	}
	src, err := os.ReadFile(t.path(name))
	if err != nil {
		return scanned{err: err}
	}
	if s.digest = cache.Sum(src); s.digest != digest {
		return scanned{err: fmt.Errorf("%s changed while it was read", name)}
	}
	s.tokens = tokenize(src)
	t.memo.PutDerived(tokensKind, digest, s.tokens.String())
	s.directives, s.computed = scan(src)
	if len(s.computed) == 0 {
		if text, err := json.Marshal(s.directives); err == nil {
			t.memo.PutDerived(scanKind, digest, string(text))
		}
	}
	return s
}

// An includeError is a problem in a source, at one of its lines.
type includeError struct {
	File string
	Line int
	What string
	Hint string
}

func (e *includeError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What) }

// inputs lists every file of the tree that compiling sources may read, with
// its digests, sorted by path: the sources themselves and, transitively,
// whatever they name that exists beside the including file or in one of the
// include directories, looked up in the compiler's order. A name found nowhere
// in the tree is left to the toolchain, whose headers are in its closure.
func (t *tree) inputs(sources, include []string) (reading, []error) {
	var problems []error
	seen := map[string]bool{}
	embedded := map[string]bool{}
	var found reading
	queue := slices.Clone(sources)
	for _, s := range sources {
		if !t.exists(s) {
			problems = append(problems, fmt.Errorf("%s: %w", s, fs.ErrNotExist))
		}
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if seen[name] || !t.exists(name) {
			continue
		}
		seen[name] = true
		file := t.read(name)
		if file.err != nil {
			problems = append(problems, file.err)
			continue
		}
		found.sources = append(found.sources, input{path: name, bytes: file.digest, tokens: file.tokens})
		found.traits |= file.tokens.Traits
		for _, c := range file.computed {
			problems = append(problems, &includeError{File: name, Line: c.Line,
				What: c.Text + " names its file by a macro, so the inputs cannot be known before the compiler runs",
				Hint: "name the file literally, under #if where there is a choice"})
		}
		if file.tokens.Traits&assembles != 0 {
			problems = append(problems, &includeError{File: name, Line: t.lineOf(name, assemblerReads),
				What: "the assembler would read a file here that is no input, so its changes would go unnoticed",
				Hint: "take it in with #embed, or as a header of numbers"})
		}
		for _, d := range file.directives {
			matches, err := t.resolve(name, d, include)
			if err != nil {
				problems = append(problems, err)
			}
			if !d.Embed {
				queue = append(queue, matches...)
				if len(matches) == 0 && !d.Probe && !slices.Contains(freestanding, d.Name) {
					found.traits |= positional
				}
				continue
			}
			for _, p := range matches {
				embedded[p] = true
			}
		}
	}
	for p := range embedded {
		if i := slices.IndexFunc(found.sources, func(s input) bool { return s.path == p }); i >= 0 {
			found.sources[i].embedded = true
			continue
		}
		digest, _, err := t.memo.File(t.path(p))
		if err != nil {
			problems = append(problems, err)
			continue
		}
		found.sources = append(found.sources, input{path: p, bytes: digest, embedded: true})
	}
	slices.SortFunc(found.sources, func(a, b input) int { return strings.Compare(a.path, b.path) })
	return found, problems
}

// lineOf is the first line of a file that has one of the words.
func (t *tree) lineOf(name string, words []string) int {
	src, _ := os.ReadFile(t.path(name)) // gone since: the first line will do
	line := 1
	for text := range bytes.Lines(src) {
		for _, w := range words {
			if bytes.Contains(text, []byte(w)) {
				return line
			}
		}
		line++
	}
	return 1
}

// resolve finds the files of the tree that directive d of file name may mean:
// the first on the path, all of them for #include_next, none where the name is
// the toolchain's.
func (t *tree) resolve(name string, d directive, include []string) ([]string, error) {
	if path.IsAbs(d.Name) || filepath.IsAbs(filepath.FromSlash(d.Name)) {
		return nil, &includeError{File: name, Line: d.Line, What: fmt.Sprintf("%q is an absolute path", d.Name),
			Hint: "include by a path relative to this file or to an include directory of the family"}
	}
	var places, matches []string
	if d.Quoted {
		places = append(places, path.Dir(name))
	}
	for _, dir := range append(places, include...) {
		p := path.Join(dir, d.Name)
		if t.exists(p) {
			matches = append(matches, p)
			if !d.Next {
				break
			}
			continue
		}
		if strings.HasPrefix(p, "../") && !d.Probe {
			if _, err := os.Stat(t.path(p)); !errors.Is(err, fs.ErrNotExist) {
				return nil, &includeError{File: name, Line: d.Line, What: fmt.Sprintf("%q leaves the project", d.Name),
					Hint: "copy the header into the project"}
			}
		}
	}
	return matches, nil
}
