package release

import (
	"io"
	"maps"
	"os"

	"kmx/cache"
)

// Object is one object that a set should hold.
type Object struct {
	Address, Name      string // cell address; kernel name
	Family, Library    string // library: name of its LibraryRule, or ""
	Licence            string
	Target             string
	Toolchain, Emitter string
	Recipe, Module     string // where it is made of a library's code
	WaveSize           int
	Argv               []string // symbolic tool first
	Action             cache.Digest
	Kernels            []Kernel
	Symbols            []Symbol
	DerivedFrom        *DerivedFrom // nil where it was compiled
	NoTwin             string       // why no accuracy twin is needed, or ""

	Digest cache.Digest // of the bytes
	Size   int64
	SHA256 string // checked where given, computed where not
	// Bytes writes the object into dst, an empty file open for reading and
	// writing, and all of it to also. It gives the digest of what it wrote, which
	// is compared with Digest. nil is a hole: the cell did not build.
	Bytes func(dst *os.File, also io.Writer) (cache.Digest, error)
}

// SetPlan is one set as it should become.
type SetPlan struct {
	Path               string
	Target, Generation string
	Axes               map[string]string
	Markers            map[string]string // file name to content, such as d4r-accuracy.txt
	Developer          string            // why the set is not for shipping, or ""
	Declared           []string          // addresses that the matrix promises for this set
	Objects            []Object
	LeftOut            []Missing // cells that a rule keeps out of this set
}

// LibraryRule is a library block of the matrix: files whose base name matches
// Match may stamp the objects of its families. Match is a name or a glob of
// path.Match, compared without case.
type LibraryRule struct{ Name, Match string }

// PlanVariable is a variable of the matrix; those at their default and those
// that are facts of a machine are kept out of manifests.
type PlanVariable struct {
	Variable
	Machine bool
}

// Plan is a release as it should become.
type Plan struct {
	Project, Version, Date, Licence string
	Suffix                          string // of the name, or "": what the release does not hold
	Sets                            []SetPlan
	Libraries                       []LibraryRule
	Matrix, Sources                 cache.Digest
	Toolchains                      []Toolchain
	Variables                       []PlanVariable
	LeftOut                         []LeftOut
	Runtime                         Runtime
}

// Name is the folder of the release below dist/.
func (p *Plan) Name() string { return name(p.Project, p.Version, p.Suffix) }

// Name is the folder of the release below dist/, and how its archives begin.
func (r *Release) Name() string { return name(r.Project, r.Version, r.Suffix) }

// Describe is what a manifest says of a file of that name and content.
func Describe(name string, data []byte) File { return describe(name, data) }

func name(project, version, suffix string) string {
	if suffix != "" {
		version += "-" + suffix
	}
	return project + "-" + version
}

// BytesOf is an Object.Bytes for bytes at hand.
func BytesOf(data []byte) func(dst *os.File, also io.Writer) (cache.Digest, error) {
	return func(dst *os.File, also io.Writer) (cache.Digest, error) {
		_, err := io.MultiWriter(dst, also).Write(data)
		return cache.Sum(data), err
	}
}

// manifest is the root manifest without what is known only after writing.
func (p *Plan) manifest() *Release {
	r := &Release{
		Project: p.Project, Version: p.Version, Suffix: p.Suffix, Date: p.Date, Licence: p.Licence,
		LeftOut: p.LeftOut, Runtime: p.Runtime, Matrix: p.Matrix, Sources: p.Sources, Toolchains: p.Toolchains,
	}
	for _, v := range p.Variables {
		if !v.Machine && v.Value != v.Default {
			r.Variables = append(r.Variables, v.Variable)
		}
	}
	used := map[string]int{}
	for _, s := range p.Sets {
		if r.Developer == "" {
			r.Developer = s.Developer
		}
		for _, o := range s.Objects {
			used[o.Library]++
		}
	}
	for _, l := range p.Libraries {
		r.Libraries = append(r.Libraries, StampLibrary{Name: l.Name, Match: l.Match, Objects: used[l.Name]})
	}
	return r
}

// manifest is the manifest of the set; entries and files come with the bytes.
func (s *SetPlan) manifest() *Set {
	return &Set{
		Path: s.Path, Target: s.Target, Generation: s.Generation, Numerics: s.Axes[NumericsAxis],
		Axes: maps.Clone(s.Axes), Developer: s.Developer, LeftOut: s.LeftOut,
	}
}

func (o *Object) entry(f File) Entry {
	return Entry{
		Address: o.Address, Name: o.Name, File: f, Target: o.Target, WaveSize: o.WaveSize,
		Family: o.Family, Library: o.Library, Licence: o.Licence,
		Toolchain: o.Toolchain, Emitter: o.Emitter, Recipe: o.Recipe, Module: o.Module, Action: o.Action, Argv: o.Argv,
		Kernels: o.Kernels, Symbols: o.Symbols, DerivedFrom: o.DerivedFrom, NoTwin: o.NoTwin,
	}
}
