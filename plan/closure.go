package plan

import (
	"fmt"
	"strings"

	"kmx/cache"
	"kmx/toolchains"
)

// ClosureFormat is the version of a stored Closure.
const ClosureFormat = "kmx.closure/1"

// A Closure is what is remembered of a toolchain under its digest, so that one
// that differs can be told by the files that do. No path of this machine is in
// it.
type Closure struct {
	Format  string        `json:"format"`
	Name    string        `json:"name"`
	Kind    string        `json:"kind"`
	Version string        `json:"version"`
	Digest  cache.Digest  `json:"digest"`
	Files   []ClosureFile `json:"files"` // by name
}

// ClosureFile is one member.
type ClosureFile struct {
	Name   string       `json:"name"`
	Digest cache.Digest `json:"digest"`
}

// ClosureOf is what to remember of a toolchain.
func ClosureOf(tc *toolchains.Toolchain) Closure {
	c := Closure{Format: ClosureFormat, Name: tc.Name, Kind: tc.Kind, Version: tc.Version, Digest: tc.Digest}
	for _, f := range tc.Files {
		c.Files = append(c.Files, ClosureFile{f.Name, f.Digest})
	}
	return c
}

// Since lists how the files differ from those of an earlier closure, each as
// "bin/lld changed", "lib/libx.so added" or "include/y.h removed".
func (c Closure) Since(earlier Closure) []string {
	old := map[string]cache.Digest{}
	for _, f := range earlier.Files {
		old[f.Name] = f.Digest
	}
	var out []string
	for _, f := range c.Files {
		switch d, ok := old[f.Name]; {
		case !ok:
			out = append(out, f.Name+" added")
		case d != f.Digest:
			out = append(out, f.Name+" changed")
		}
		delete(old, f.Name)
	}
	for _, f := range earlier.Files {
		if _, left := old[f.Name]; left {
			out = append(out, f.Name+" removed")
		}
	}
	return out
}

// toolchainCause says how the toolchain differs, from the digests of the two
// closures and what is remembered of them.
func toolchainCause(name, before, after string, known func(digest string) (Closure, bool)) Cause {
	c := Cause{Kind: "toolchain", Before: "closure " + before, After: "closure " + after}
	parts := "closure " + brief(before) + " -> " + brief(after)
	old, haveOld := lookUp(known, before)
	now, haveNow := lookUp(known, after)
	switch {
	case haveOld && haveNow && old.Version == now.Version:
		parts = now.Version + ", " + parts
	case haveOld && haveNow:
		parts = old.Version + " -> " + now.Version + ", " + parts
	case haveNow:
		parts = "now " + now.Version + ", " + parts
	}
	if haveOld && haveNow {
		c.Follows = now.Since(old)
		parts += "; " + atMost(c.Follows, 3)
	}
	c.Text = fmt.Sprintf("toolchain %s differs (%s)", name, parts)
	return c
}

func lookUp(known func(string) (Closure, bool), digest string) (Closure, bool) {
	if known == nil {
		return Closure{}, false
	}
	return known(digest)
}

// atMost lists the first n of some texts and how many more there are.
func atMost(texts []string, n int) string {
	if len(texts) <= n {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:n], ", "), len(texts)-n)
}

// brief is a digest as people compare it.
func brief(digest string) string {
	if len(digest) > 12 {
		return digest[:12]
	}
	return digest
}
