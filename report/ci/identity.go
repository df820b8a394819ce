package ci

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/plan"
)

// Identity is everything that the results of a plan depend on. Two machines
// with the same identity make the same bytes.
type Identity struct {
	Matrix     []File       `json:"matrix"`  // matrix.hcl and what it includes
	Sources    []File       `json:"sources"` // every file that an action reads, by path
	Toolchains []Toolchain  `json:"toolchains"`
	Variables  []Variable   `json:"variables"` // those that are not at their defaults, facts of a machine left out
	LeftOut    []string     `json:"left_out"`  // rules that keep cells from existing here
	Actions    cache.Digest `json:"actions"`   // of all actions: what the lists above do not name, such as a library
}

// File is one file by its slash path in the project.
type File struct {
	Name   string       `json:"name"`
	Digest cache.Digest `json:"digest"` // of its bytes
}

// Toolchain is a compiler or emitter with its whole closure. Core leaves the
// libraries of the host out.
type Toolchain struct {
	plan.Closure
	Core cache.Digest `json:"core"`
}

// Variable is a matrix variable as the matrix would write it.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Digest names the identity.
func (i *Identity) Digest() cache.Digest {
	text, _ := json.Marshal(i) // it holds nothing that JSON cannot say
	return cache.Sum(text)
}

// Unlike says in what another identity differs, a line each; none where it is
// the same.
func (i *Identity) Unlike(other *Identity) []string {
	var out []string
	out = append(out, filesUnlike("matrix", i.Matrix, other.Matrix)...)
	out = append(out, filesUnlike("source", i.Sources, other.Sources)...)
	out = append(out, toolchainsUnlike(i.Toolchains, other.Toolchains)...)
	out = append(out, namesUnlike("variable", variables(i.Variables), variables(other.Variables))...)
	out = append(out, namesUnlike("left out by", i.LeftOut, other.LeftOut)...)
	if len(out) == 0 && i.Actions != other.Actions {
		out = append(out, fmt.Sprintf("the actions that the matrix asks for (%s, not %s): an edited module of a library, or another version of kmx",
			short(other.Actions), short(i.Actions)))
	}
	return out
}

// shownFiles of a kind that differ are named, the others are counted.
const shownFiles = 5

func filesUnlike(kind string, here, there []File) []string {
	was := map[string]cache.Digest{}
	for _, f := range here {
		was[f.Name] = f.Digest
	}
	var out []string
	for _, f := range there {
		d, known := was[f.Name]
		switch {
		case !known:
			out = append(out, kind+" "+f.Name+" is read as well")
		case d != f.Digest:
			out = append(out, kind+" "+f.Name+" has other bytes")
		}
		delete(was, f.Name)
	}
	for _, f := range here {
		if _, left := was[f.Name]; left {
			out = append(out, kind+" "+f.Name+" is not read")
		}
	}
	return few(out)
}

// few cuts a list of differences.
func few(list []string) []string {
	if n := len(list) - shownFiles; n > 0 {
		list = append(list[:shownFiles:shownFiles], fmt.Sprintf("and %d more", n))
	}
	return list
}

func toolchainsUnlike(here, there []Toolchain) []string {
	var out []string
	for _, b := range there {
		n := slices.IndexFunc(here, func(a Toolchain) bool { return a.Name == b.Name })
		if n < 0 {
			out = append(out, "toolchain "+b.Name+" is used as well")
			continue
		}
		a := here[n]
		if a.Closure.Digest == b.Closure.Digest && a.Kind == b.Kind && a.Core == b.Core {
			continue
		}
		what := fmt.Sprintf("toolchain %s is %s %s (core %s)", b.Name, b.Kind, b.Version, short(b.Core))
		if a.Core == b.Core {
			what += ", the same compiler on other host libraries"
		} else {
			what += fmt.Sprintf(", not %s %s (core %s)", a.Kind, a.Version, short(a.Core))
		}
		if since := few(b.Since(a.Closure)); len(since) > 0 {
			what += ": " + strings.Join(since, ", ")
		}
		out = append(out, what)
	}
	for _, a := range here {
		if !slices.ContainsFunc(there, func(b Toolchain) bool { return a.Name == b.Name }) {
			out = append(out, "toolchain "+a.Name+" is not used")
		}
	}
	return out
}

func variables(list []Variable) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Name+" = "+v.Value)
	}
	return out
}

func namesUnlike(kind string, here, there []string) []string {
	var out []string
	for _, name := range there {
		if !slices.Contains(here, name) {
			out = append(out, kind+" "+name)
		}
	}
	for _, name := range here {
		if !slices.Contains(there, name) {
			out = append(out, kind+" "+name+" only here")
		}
	}
	return few(out)
}

// short is enough of a digest for people.
func short(d cache.Digest) string { return d.String()[:12] }
