package verify

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"kmx/amdgpu/codeobj"
	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/release"
	"kmx/release/pack"
)

// DiffFormat is what `release:diff -json` prints. Fields are added as time goes
// by; one that changes its meaning makes a new format.
const DiffFormat = "kmx.diff/1"

// Diff is how two releases differ, object by object.
type Diff struct {
	Format       string         `json:"format"`
	A            string         `json:"a"` // names of the releases
	B            string         `json:"b"`
	Compared     int            `json:"compared"` // objects that both have
	Identical    int            `json:"identical"`
	MetadataOnly int            `json:"metadata_only"`
	Constants    int            `json:"constants_changed"`
	Code         int            `json:"isa_changed"`
	Objects      []ObjectChange `json:"objects"` // that are not identical, worst first
	Added        []string       `json:"added"`   // SET/NAME that only B has
	Removed      []string       `json:"removed"` // SET/NAME that only A has
	Notes        []string       `json:"notes"`   // what differs about the releases as such
}

// ObjectChange is an object of both releases whose bytes differ.
type ObjectChange struct {
	Object   string `json:"object"`  // SET/NAME
	Address  string `json:"address"` // of the cell in B
	Likeness string `json:"likeness"`
	// Where they differ first: a symbol or, where none covers it, a section, and
	// the offset in it; or what only one of the two has.
	Symbol  string         `json:"symbol,omitempty"`
	Section string         `json:"section,omitempty"`
	Offset  uint64         `json:"offset"`
	Missing bool           `json:"missing,omitempty"`
	Size    [2]int64       `json:"size"`    // bytes of the files
	Kernels []KernelChange `json:"kernels"` // whose resources differ, the object's own first
	cost    [6]int
	rank    codeobj.Likeness
}

// KernelChange is a kernel with what it took and takes. A kernel that only one of
// the objects has has no facts in the other.
type KernelChange struct {
	Name   string          `json:"name"`
	Before *release.Kernel `json:"before"`
	After  *release.Kernel `json:"after"`
}

// Same says whether both releases hold the same objects with the same code and
// constants; other metadata does not count.
func (d *Diff) Same() bool {
	return d.Constants+d.Code+len(d.Added)+len(d.Removed) == 0
}

// Compare compares two releases, sets or archives. Objects are paired by set and
// kernel; two sets alone are paired whatever their paths. An object that is not
// what its manifest says, or cannot be read, is a failure of class Verify.
func Compare(ctx context.Context, a, b *Opened) (*Diff, error) {
	d := &Diff{
		Format: DiffFormat, A: a.title(), B: b.title(),
		Objects: []ObjectChange{}, Added: []string{}, Removed: []string{}, Notes: []string{},
	}
	if d.A == d.B {
		d.A, d.B = a.Name, b.Name
	}
	d.release(a.Release, b.Release)
	was, is := placed(a, b), placed(b, a)
	var pairs [][2]place
	for _, name := range sortedKeys(was) {
		if _, both := is[name]; both {
			pairs = append(pairs, [2]place{was[name], is[name]})
		} else {
			d.Removed = append(d.Removed, name)
		}
	}
	for _, name := range sortedKeys(is) {
		if _, both := was[name]; !both {
			d.Added = append(d.Added, name)
		}
	}
	d.Compared = len(pairs)
	changes, err := compareAll(ctx, pairs)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if c == nil {
			d.Identical++
			continue
		}
		switch c.rank {
		case codeobj.MetadataOnly:
			d.MetadataOnly++
		case codeobj.Constants:
			d.Constants++
		default:
			d.Code++
		}
		d.Objects = append(d.Objects, *c)
	}
	slices.SortStableFunc(d.Objects, func(a, b ObjectChange) int {
		return cmp.Or(slices.Compare(b.cost[:], a.cost[:]), cmp.Compare(b.rank, a.rank), cmp.Compare(a.Object, b.Object))
	})
	return d, nil
}

// place is an object in its release.
type place struct {
	object string // SET/NAME
	file   string
	entry  release.Entry
}

func placed(o, other *Opened) map[string]place {
	m := map[string]place{}
	for _, s := range o.Sets {
		set := s.Path
		if o.Release == nil && other.Release == nil {
			set = ""
		}
		for _, e := range s.Objects {
			object := path.Join(set, e.Name)
			m[object] = place{object, o.path(path.Join(s.At, e.File.Name)), e}
		}
	}
	return m
}

func sortedKeys(m map[string]place) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// compareAll compares pairs of objects; nil is an identical pair. All that cannot
// be compared is told together.
func compareAll(ctx context.Context, pairs [][2]place) ([]*ObjectChange, error) {
	changes := make([]*ObjectChange, len(pairs))
	wrong := make([]error, len(pairs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range pairs {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			changes[i], wrong[i] = comparePair(p[0], p[1])
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	f := &diag.Failure{Class: diag.Verify}
	for _, err := range wrong {
		if err != nil {
			f.Messages = append(f.Messages, diag.Message{Summary: err.Error()})
		}
	}
	if len(f.Messages) > 0 {
		f.Messages[len(f.Messages)-1].Hint = "mage release:verify says what else is wrong"
		return nil, f
	}
	return changes, nil
}

func comparePair(a, b place) (*ObjectChange, error) {
	was, err := a.read()
	if err != nil {
		return nil, err
	}
	is, err := b.read()
	if err != nil {
		return nil, err
	}
	if a.entry.BLAKE3 == b.entry.BLAKE3 {
		return nil, nil
	}
	diff := codeobj.Compare(was, is)
	c := &ObjectChange{
		Object: b.object, Address: b.entry.Address, Likeness: diff.Likeness.String(), rank: diff.Likeness,
		Symbol: diff.Symbol, Section: diff.Section, Offset: diff.Offset, Missing: diff.Missing,
		Size: [2]int64{a.entry.Size, b.entry.Size}, Kernels: []KernelChange{},
	}
	c.kernels(b.entry.Name, release.KernelsOf(was), release.KernelsOf(is))
	return c, nil
}

func (p place) read() (*codeobj.Object, error) {
	data, err := durable.ReadFile(p.file, pack.MaxText)
	if err != nil {
		return nil, err
	}
	if got := release.Describe(p.entry.File.Name, data); got != p.entry.File {
		return nil, fmt.Errorf("%s is not what its manifest says", p.file)
	}
	obj, err := codeobj.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.file, err)
	}
	return obj, nil
}

// kernels pairs the kernels of both objects and sums up what the change costs.
func (c *ObjectChange) kernels(own string, was, is []release.Kernel) {
	before, after := map[string]*release.Kernel{}, map[string]*release.Kernel{}
	var names []string
	for i := range was {
		before[was[i].Name] = &was[i]
		names = append(names, was[i].Name)
	}
	for i := range is {
		after[is[i].Name] = &is[i]
		names = append(names, is[i].Name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(btoi(b == own), btoi(a == own)), cmp.Compare(a, b))
	})
	for _, name := range slices.Compact(names) {
		x, y := before[name], after[name]
		if x != nil && y != nil {
			if *x == *y {
				continue
			}
			for i, n := range []int{
				x.Waves - y.Waves, y.Scratch - x.Scratch, y.VGPRSpills + y.SGPRSpills - x.VGPRSpills - x.SGPRSpills,
				y.VGPRs - x.VGPRs, y.LDS - x.LDS, y.CodeBytes - x.CodeBytes,
			} {
				c.cost[i] += n
			}
		}
		c.Kernels = append(c.Kernels, KernelChange{name, x, y})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// release notes what differs about the releases as such.
func (d *Diff) release(a, b *release.Release) {
	if a == nil || b == nil {
		return
	}
	note := func(what, was, is string) {
		if was != is {
			d.Notes = append(d.Notes, fmt.Sprintf("%s: %s -> %s", what, cmp.Or(was, "none"), cmp.Or(is, "none")))
		}
	}
	note("version", a.Version, b.Version)
	note("date", a.Date, b.Date)
	note("matrix", short(a.Matrix.String()), short(b.Matrix.String()))
	note("sources", short(a.Sources.String()), short(b.Sources.String()))
	was, is := map[string]string{}, map[string]string{}
	var names []string
	for _, t := range a.Toolchains {
		was[t.Name] = t.Version + " (" + short(t.Closure.String()) + ")"
		names = append(names, t.Name)
	}
	for _, t := range b.Toolchains {
		is[t.Name] = t.Version + " (" + short(t.Closure.String()) + ")"
		names = append(names, t.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		note("toolchain "+name, was[name], is[name])
	}
	note("stamped", fmt.Sprint(a.Stamped), fmt.Sprint(b.Stamped))
}

// short is enough of a digest for people.
func short(digest string) string { return digest[:min(12, len(digest))] }
