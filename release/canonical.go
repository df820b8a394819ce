package release

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"kmx/internal/durable"
)

// largest is the most a manifest may hold. A set of a thousand kernels with
// long command lines is under four megabytes.
const largest = 64 << 20

// Encode is the canonical form: fields in the order of the type, lists sorted
// as their comments say, maps by key, no null, indented by two spaces, one
// newline at the end. The receiver is left as it is.
func (s *Set) Encode() ([]byte, error) {
	c := *s
	c.Format = SetFormat
	c.Axes = filled(s.Axes)
	c.Files = sorted(s.Files, func(f File) string { return f.Name })
	c.LeftOut = sorted(s.LeftOut, func(m Missing) string { return m.Address })
	c.Objects = sorted(s.Objects, func(e Entry) string { return e.Name })
	for i := range c.Objects {
		e := &c.Objects[i]
		e.Argv = sorted[string](e.Argv, nil)
		e.Kernels = sorted(e.Kernels, func(k Kernel) string { return k.Name })
		e.Symbols = sorted(e.Symbols, func(s Symbol) string { return s.Name })
	}
	return encode(&c)
}

// Encode is the canonical form, as for a Set.
func (r *Release) Encode() ([]byte, error) {
	c := *r
	c.Format = ReleaseFormat
	c.Variables = sorted(r.Variables, func(v Variable) string { return v.Name })
	c.LeftOut = sorted(r.LeftOut, func(l LeftOut) string { return l.Rule })
	c.Libraries = sorted(r.Libraries, func(l StampLibrary) string { return l.Name })
	for i := range c.Libraries {
		c.Libraries[i].Stamped = sorted(c.Libraries[i].Stamped, func(f File) string { return f.Name + "/" + f.BLAKE3.String() })
	}
	c.Runtime.Settings = filled(r.Runtime.Settings)
	c.Toolchains = sorted(r.Toolchains, func(t Toolchain) string { return t.Name })
	c.Restricted = sorted(r.Restricted, func(s string) string { return s })
	c.Files = sorted(r.Files, func(f File) string { return f.Name })
	c.Sets = sorted(r.Sets, func(s SetRef) string { return s.Path })
	for i := range c.Sets {
		c.Sets[i].Axes = filled(c.Sets[i].Axes)
	}
	return encode(&c)
}

// sorted is a copy in the order of key (as given where key is nil), never nil.
func sorted[T any](list []T, key func(T) string) []T {
	c := append([]T{}, list...)
	if key != nil {
		slices.SortStableFunc(c, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
	}
	return c
}

func filled(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// ParseSet reads a set manifest. It accepts exactly what Encode writes.
func ParseSet(data []byte) (*Set, error) {
	var s Set
	if err := decode(data, SetFormat, &s); err != nil {
		return nil, err
	}
	if err := together(s.faults()); err != nil {
		return nil, err
	}
	return &s, canonical(data, &s)
}

// ParseRelease reads the manifest of a release. It accepts exactly what Encode
// writes.
func ParseRelease(data []byte) (*Release, error) {
	var r Release
	if err := decode(data, ReleaseFormat, &r); err != nil {
		return nil, err
	}
	if err := together(r.faults()); err != nil {
		return nil, err
	}
	return &r, canonical(data, &r)
}

// together is all of the errors in a line, nil where there is none.
func together(errs []error) error {
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, "; "))
}

// ReadSet reads the manifest in the folder of a set.
func ReadSet(dir string) (*Set, error) {
	data, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	s, err := ParseSet(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ManifestFile), err)
	}
	return s, nil
}

// ReadRelease reads the manifest in the folder of a release.
func ReadRelease(dir string) (*Release, error) {
	data, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	r, err := ParseRelease(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ManifestFile), err)
	}
	return r, nil
}

func readManifest(dir string) ([]byte, error) {
	return durable.ReadFile(filepath.Join(dir, ManifestFile), largest)
}

// formatOf is what a manifest says it is, "" when it says nothing readable.
func formatOf(data []byte) string {
	var head struct {
		Format string `json:"format"`
	}
	if json.Unmarshal(data, &head) != nil {
		return ""
	}
	return head.Format
}

func decode(data []byte, format string, into any) error {
	if got := formatOf(data); got != format {
		if !json.Valid(data) {
			return fmt.Errorf("not a manifest: not JSON")
		}
		kind, _, _ := strings.Cut(format, "/")
		if k, version, _ := strings.Cut(got, "/"); k == kind {
			return fmt.Errorf("manifest is of version %s of %s, this kmx reads %s", version, kind, format)
		}
		return fmt.Errorf("manifest has format %q, expected %q", got, format)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("not a manifest: %w", err)
	}
	return nil
}

// canonical proves that data is what the value is written as. Fields that
// nobody knows, doubled keys, other orders and text after the end all show as
// a difference, with no rule for each.
func canonical(data []byte, v interface{ Encode() ([]byte, error) }) error {
	want, err := v.Encode()
	if err != nil {
		return err
	}
	if bytes.Equal(data, want) {
		return nil
	}
	got, wants := strings.Split(string(data), "\n"), strings.Split(string(want), "\n")
	for i, line := range wants {
		if i >= len(got) {
			return fmt.Errorf("manifest was edited, or is of a newer kmx: it ends before line %d", i+1)
		}
		if got[i] != line {
			return fmt.Errorf("manifest was edited, or is of a newer kmx: line %d is %s where %s is expected", i+1, quote(got[i]), quote(line))
		}
	}
	return fmt.Errorf("manifest was edited, or is of a newer kmx: text after line %d", len(wants)-1)
}

// quote shows a line of a file that nobody vouches for.
func quote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 80 {
		s = s[:80] + "..."
	}
	return fmt.Sprintf("%q", s)
}
