package pack

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/release"
)

// Notice is a file at the root of every archive, such as the licence.
type Notice struct {
	Name string
	Data []byte
}

// Subset is the release that an archive holds, or that one set of it is when
// the path of one is given: the objects of the archive's families, with
// manifests and hashes that speak of them alone. What is not in it is left out
// by a rule that the manifests name.
func (t *Tree) Subset(a *Archive, set string, notices []Notice) (*Tree, error) {
	r := *t.Release
	r.Suffix = a.suffix(t.Release)
	r.Sets, r.Files = nil, nil
	r.LeftOut = slices.Clone(t.Release.LeftOut)
	sub := &Tree{Release: &r}

	gone, elsewhere := map[string]bool{}, map[string]bool{}
	used, restricted := map[string]int{}, map[string]bool{}
	for i, s := range t.Sets {
		if set != "" && s.Path != set {
			for _, e := range s.Objects {
				if a.holds(e.Family) {
					elsewhere[e.Address] = true
				}
			}
			continue
		}
		for _, e := range s.Objects {
			if !a.holds(e.Family) {
				gone[e.Address] = true
				continue
			}
			used[e.Library]++
			if why := Restricted(e); why != "" {
				restricted[e.Licence] = true
			}
		}
		if err := sub.take(t, t.Release.Sets[i], s, a); err != nil {
			return nil, err
		}
	}
	if len(r.Sets) == 0 {
		return nil, diag.Failf(diag.Matrix, "name families that the release has in the archive's families", "%s would hold no object", a.rule())
	}
	for _, s := range sub.Sets {
		for _, e := range s.Objects {
			delete(elsewhere, e.Address) // one cell may be in several sets
		}
	}
	if len(gone) > 0 {
		r.LeftOut = append(r.LeftOut, release.LeftOut{Rule: a.rule(), Reason: familiesOnly(a), Cells: len(gone)})
	}
	if len(elsewhere) > 0 {
		r.LeftOut = append(r.LeftOut, release.LeftOut{Rule: "set " + set, Reason: "holds this set only", Cells: len(elsewhere)})
	}
	r.Libraries = slices.Clone(t.Release.Libraries)
	for i := range r.Libraries {
		l := &r.Libraries[i]
		if l.Objects = used[l.Name]; l.Objects == 0 {
			l.Stamped = nil
		}
	}
	r.Restricted = slices.Sorted(maps.Keys(restricted))
	if len(r.Restricted) > 0 {
		notices = append(slices.Clone(notices), restrictedNotice(r.Restricted))
	}
	for _, n := range notices {
		r.Files = append(r.Files, release.Describe(n.Name, n.Data))
		sub.Items = append(sub.Items, Item{n.Name, n.Data})
	}
	data, err := r.Encode()
	if err != nil {
		return nil, err
	}
	if sub.Release, err = release.ParseRelease(data); err != nil {
		return nil, fmt.Errorf("%s: the manifest would not be readable: %w", a.rule(), err)
	}
	sub.Items = append(sub.Items, Item{release.ManifestFile, data})
	sub.sort()
	return sub, nil
}

func familiesOnly(a *Archive) string {
	if len(a.Families) == 1 {
		return "holds family " + a.Families[0] + " only"
	}
	return "holds families " + strings.Join(a.Families[:len(a.Families)-1], ", ") + " and " + a.Families[len(a.Families)-1] + " only"
}

// take adds what the archive holds of a set of the tree from; nothing where that
// is no object.
func (t *Tree) take(from *Tree, ref release.SetRef, s *release.Set, a *Archive) error {
	c := *s
	c.Objects, c.Files, c.LeftOut = nil, nil, slices.Clone(s.LeftOut)
	var items []Item
	names := map[string]bool{}
	for _, e := range s.Objects {
		if !a.holds(e.Family) {
			c.LeftOut = append(c.LeftOut, release.Missing{Address: e.Address, Rule: a.rule(), Reason: familiesOnly(a)})
			continue
		}
		c.Objects = append(c.Objects, e)
		names[e.Name] = true
		items = append(items, *from.item(path.Join(s.Path, e.File.Name)))
	}
	if len(c.Objects) == 0 {
		return nil
	}
	for _, f := range s.Files {
		item := *from.item(path.Join(s.Path, f.Name))
		if f.Name == release.KernelsFile && len(c.Objects) < len(s.Objects) {
			hashes, err := release.ParseKernels(item.Data)
			if err != nil {
				return diag.Failf(diag.Verify, "", "%s: %w", s.Path, err)
			}
			maps.DeleteFunc(hashes, func(name string, _ []uint64) bool { return !names[name] })
			item.Data = hashes.Text()
		}
		c.Files = append(c.Files, release.Describe(f.Name, item.Data))
		items = append(items, item)
	}
	data, err := c.Encode()
	if err != nil {
		return err
	}
	parsed, err := release.ParseSet(data)
	if err != nil {
		return fmt.Errorf("set %s: the manifest would not be readable: %w", s.Path, err)
	}
	t.Sets = append(t.Sets, parsed)
	t.Items = append(append(t.Items, items...), Item{path.Join(s.Path, release.ManifestFile), data})
	ref.Objects, ref.Manifest = len(c.Objects), release.Describe(release.ManifestFile, data)
	t.Release.Sets = append(t.Release.Sets, ref)
	return nil
}
