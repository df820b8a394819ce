package matrix

import (
	"io"
	"slices"
)

// ListFormat names the JSON form of a Description. It changes when a field is
// removed or changes its meaning; new fields may appear under one name.
const ListFormat = "kmx.list/1"

// Description is what a matrix holds, for people and programs: everything
// that a selector, a variable or a release can name, and how many cells it is
// about. Lists are in file order.
type Description struct {
	Format      string                  `json:"format"` // ListFormat
	Project     ProjectDescription      `json:"project"`
	Cells       int                     `json:"cells"`
	Developer   int                     `json:"developer_cells"` // of these, how many no set can hold
	Families    []FamilyDescription     `json:"families"`
	Generations []GenerationDescription `json:"generations"`
	Axes        []AxisDescription       `json:"axes"`
	Variables   []VariableDescription   `json:"variables"`
	Toolchains  []ToolchainDescription  `json:"toolchains"`
	Libraries   []LibraryDescription    `json:"libraries"`
	Sets        []SetDescription        `json:"sets"`
	Archives    []ArchiveDescription    `json:"archives"`
	LeftOut     []LeftOutDescription    `json:"left_out"`
}

// ProjectDescription names the release.
type ProjectDescription struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Licence string `json:"licence,omitempty"`
	Date    string `json:"date,omitempty"`
}

// FamilyDescription is a family with its kernels. A family that does not
// exist in this run has groups and no cells.
type FamilyDescription struct {
	Name      string             `json:"name"`
	Title     string             `json:"title,omitempty"`
	Exists    bool               `json:"exists"`
	Axes      []string           `json:"axes"`
	Toolchain string             `json:"toolchain,omitempty"` // none: it differs from cell to cell
	Library   string             `json:"library,omitempty"`
	Licence   string             `json:"licence,omitempty"`
	Extends   string             `json:"extends,omitempty"`
	Requires  []string           `json:"requires,omitempty"` // libraries
	Absent    string             `json:"absent,omitempty"`   // why it does not exist
	Cells     int                `json:"cells"`
	Groups    []GroupDescription `json:"groups"`
	Declared  string             `json:"declared,omitempty"` // file:line:column
}

// GroupDescription is a `kernel` or `kernels` block.
type GroupDescription struct {
	Name     string   `json:"name"`
	Kernels  []string `json:"kernels"`
	Cells    int      `json:"cells"`
	Declared string   `json:"declared,omitempty"`
}

// GenerationDescription is a generation with its targets.
type GenerationDescription struct {
	Name    string              `json:"name"`
	Waves   []int               `json:"waves"` // wave sizes
	FP8     bool                `json:"fp8"`
	Targets []TargetDescription `json:"targets"`
}

// TargetDescription is a GPU.
type TargetDescription struct {
	Name  string `json:"name"`
	Cells int    `json:"cells"`
}

// AxisDescription is an axis. Families are those that list it.
type AxisDescription struct {
	Name     string   `json:"name"`
	Values   []string `json:"values"`
	Default  string   `json:"default"`
	Bool     bool     `json:"bool"`
	Release  bool     `json:"release"` // false: what is not at the default joins no set
	Families []string `json:"families"`
	Declared string   `json:"declared,omitempty"`
}

// VariableDescription is a variable with its value in this run. Value and
// Default are as they would be written in the file.
type VariableDescription struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Value       string `json:"value"`
	Default     string `json:"default,omitempty"`
	Origin      string `json:"origin"` // default, env NAME or -var
	Env         string `json:"env,omitempty"`
	Description string `json:"description,omitempty"`
	Machine     bool   `json:"machine,omitempty"`
	Developer   bool   `json:"developer,omitempty"`
	Differs     bool   `json:"differs,omitempty"`
	Declared    string `json:"declared,omitempty"`
}

// ToolchainDescription is a toolchain with the number of cells it builds.
type ToolchainDescription struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Cells int    `json:"cells"`
}

// LibraryDescription is a library that users bring.
type LibraryDescription struct {
	Name     string   `json:"name"`
	Match    string   `json:"match"`
	Paths    []string `json:"paths"`
	Approved string   `json:"approved,omitempty"` // file of the modules that somebody has compared
	Families []string `json:"families"`           // whose kernels replace its
}

// SetDescription is a set of a release.
type SetDescription struct {
	Path    string            `json:"path"`
	Release string            `json:"release"`
	Target  string            `json:"target"`
	Axes    map[string]string `json:"axes"`
	Kernels int               `json:"kernels"`
	LeftOut int               `json:"left_out,omitempty"` // kernels that rules leave out of it
	Markers []string          `json:"markers"`            // file names, sorted
}

// ArchiveDescription is a file that is made of a release.
type ArchiveDescription struct {
	Release         string   `json:"release"`
	Name            string   `json:"name"`
	Families        []string `json:"families"` // all of them are listed
	Formats         []string `json:"formats"`
	Redistributable bool     `json:"redistributable"`
}

// LeftOutDescription is a rule that leaves cells out.
type LeftOutDescription struct {
	Rule      string   `json:"rule"`
	Reason    string   `json:"reason"`
	Cells     int      `json:"cells"`
	Issue     string   `json:"issue,omitempty"`
	Until     string   `json:"until,omitempty"` // YYYY-MM-DD, the last day
	Addresses []string `json:"addresses"`
	Declared  string   `json:"declared,omitempty"`
}

// Describe lists what the matrix holds. x is its expansion; with nil there are
// no counts and no sets.
func (m *Matrix) Describe(x *Expansion) *Description {
	if x == nil {
		x = &Expansion{}
	}
	p := m.Project
	d := &Description{
		Format:  ListFormat,
		Project: ProjectDescription{p.Name, p.Version, p.Licence, p.Date},
		Cells:   len(x.Cells), Families: []FamilyDescription{}, Generations: []GenerationDescription{},
		Axes: []AxisDescription{}, Variables: []VariableDescription{}, Toolchains: []ToolchainDescription{},
		Libraries: []LibraryDescription{}, Sets: []SetDescription{}, Archives: []ArchiveDescription{}, LeftOut: []LeftOutDescription{},
	}
	family, group := map[string]int{}, map[[2]string]int{}
	target, toolchain := map[string]int{}, map[string]int{}
	for _, c := range x.Cells {
		family[c.Family]++
		group[[2]string{c.Family, c.Group}]++
		target[c.Target.Name]++
		toolchain[c.Toolchain]++
		if c.DeveloperOnly {
			d.Developer++
		}
	}
	for _, f := range m.Families {
		fd := FamilyDescription{
			Name: f.Name, Title: f.Title, Exists: f.Exists, Axes: full(f.Axes), Toolchain: f.Toolchain,
			Extends: f.Extends, Requires: f.Requires, Absent: f.Absent,
			Library: f.Library, Licence: f.Licence, Cells: family[f.Name], Groups: []GroupDescription{}, Declared: f.Declared.String(),
		}
		for _, g := range f.Groups {
			fd.Groups = append(fd.Groups, GroupDescription{g.Name, full(g.Kernels), group[[2]string{f.Name, g.Name}], g.Declared.String()})
		}
		d.Families = append(d.Families, fd)
	}
	for _, t := range m.Targets {
		i := slices.IndexFunc(d.Generations, func(g GenerationDescription) bool { return g.Name == t.Generation })
		if i < 0 {
			i = len(d.Generations)
			d.Generations = append(d.Generations, GenerationDescription{Name: t.Generation, Waves: full(t.Waves), FP8: t.FP8})
		}
		g := &d.Generations[i]
		g.Targets = append(g.Targets, TargetDescription{t.Name, target[t.Name]})
	}
	for _, ax := range m.Axes {
		have := m.familiesWith(func(f *Family) bool { return slices.Contains(f.Axes, ax.Name) })
		d.Axes = append(d.Axes, AxisDescription{ax.Name, full(ax.Values), ax.Default, ax.Bool, ax.Release, have, ax.Declared.String()})
	}
	for _, v := range m.Variables {
		d.Variables = append(d.Variables, VariableDescription{
			v.Name, v.Type, v.Value, v.Default, v.Origin, v.EnvName, v.Description, v.Machine, v.Developer, v.Differs, v.Declared.String(),
		})
	}
	for _, t := range m.Toolchains {
		d.Toolchains = append(d.Toolchains, ToolchainDescription{t.Name, t.Kind, toolchain[t.Name]})
	}
	for _, l := range m.Libraries {
		of := m.familiesWith(func(f *Family) bool { return f.Library == l.Name })
		d.Libraries = append(d.Libraries, LibraryDescription{l.Name, l.Match, full(l.Paths), l.Approved, of})
	}
	for _, s := range x.Sets {
		sd := SetDescription{Path: s.Path, Release: s.Release, Target: s.Target.Name, Axes: map[string]string{}, Kernels: len(s.Cells), LeftOut: len(s.LeftOut), Markers: []string{}}
		for _, v := range s.Point {
			sd.Axes[v.Axis] = v.Text
		}
		for name := range s.Markers {
			sd.Markers = append(sd.Markers, name)
		}
		slices.Sort(sd.Markers)
		d.Sets = append(d.Sets, sd)
	}
	for _, r := range m.Releases {
		for _, a := range r.Archives {
			families := a.Families
			if families == nil {
				families = m.familiesWith(func(*Family) bool { return true })
			}
			d.Archives = append(d.Archives, ArchiveDescription{r.Name, a.Name, full(families), full(a.Formats), a.Redistributable})
		}
	}
	for _, l := range x.LeftOut {
		d.LeftOut = append(d.LeftOut, LeftOutDescription{l.Rule, l.Reason, l.Cells, l.Issue, l.Until, full(l.Addresses), l.Declared.String()})
	}
	return d
}

// WriteJSON writes the description as one JSON object of format kmx.list/1.
func (d *Description) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

func (m *Matrix) familiesWith(has func(*Family) bool) []string {
	names := []string{}
	for _, f := range m.Families {
		if has(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// full is a list that JSON writes as [] and not as null when it is empty.
func full[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
