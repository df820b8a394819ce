package flow

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/release"
)

// releasePlan describes the release that the built cells make.
func (p *Project) releasePlan(d *declared, m *made) (release.Plan, error) {
	r := release.Plan{
		Project: d.Project.Name, Version: d.Project.Version, Suffix: suffix(d), Date: d.Project.Date, Licence: d.Project.Licence,
		Libraries: libraryRules(d),
		Runtime:   release.Runtime{HookABI: 1, Settings: map[string]string{}},
	}
	r.Matrix = declarationDigest(d)
	r.Sources = sources(m)
	for _, v := range d.Variables {
		r.Variables = append(r.Variables, release.PlanVariable{
			Variable: release.Variable{Name: v.Name, Value: v.Value, Default: v.Default}, Machine: v.Machine,
		})
	}
	for _, l := range d.LeftOut {
		r.LeftOut = append(r.LeftOut, release.LeftOut{Rule: l.Rule, Reason: l.Reason, Cells: l.Cells, Issue: l.Issue, Until: l.Until})
	}
	lock, err := p.lock()
	if err != nil {
		return r, err
	}
	for _, t := range d.Toolchains {
		tc := m.toolchains[t.Name]
		if tc == nil {
			continue
		}
		state := release.LockAbsent
		if lock != nil {
			state = release.LockPinned
			if len(lock.Compare(tc)) > 0 {
				state = release.LockDiffers
			}
		}
		r.Toolchains = append(r.Toolchains, release.Toolchain{
			Name: tc.Name, Kind: tc.Kind, Version: tc.Version, Closure: tc.Digest, Lock: state,
		})
	}
	objects, err := p.objects(m)
	if err != nil {
		return r, err
	}
	for _, s := range d.Sets {
		r.Sets = append(r.Sets, setPlan(s, objects, d))
	}
	return r, nil
}

// declarationDigest is of every file of the matrix, by name and bytes.
func declarationDigest(d *declared) cache.Digest {
	h := cache.NewHasher()
	for _, f := range d.Files {
		fmt.Fprintf(h, "%d %s %d ", len(f.Name), f.Name, len(f.Bytes))
		h.Write(f.Bytes)
	}
	return h.Sum()
}

// suffix ends the name of a release in which families are left out for want of
// their library, by the word that the library's block has for that.
func suffix(d *declared) string {
	var words []string
	for _, f := range d.Families {
		for _, l := range d.Libraries {
			if l.Name == f.Lacks && l.Without != "" && !slices.Contains(words, l.Without) {
				words = append(words, l.Without)
			}
		}
	}
	return strings.Join(words, "-")
}

// sources digests every source that some action of the build could read, by
// path and bytes.
func sources(m *made) cache.Digest {
	digests := map[string]cache.Digest{}
	for _, in := range m.plan.Sources() {
		digests[in.Path] = in.Content()
	}
	h := cache.NewHasher()
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		fmt.Fprintf(h, "%d %s %s ", len(name), name, digests[name])
	}
	return h.Sum()
}

// setPlan describes one set, from the objects at hand.
func setPlan(s *matrix.Set, objects map[string]release.Object, d *declared) release.SetPlan {
	sp := release.SetPlan{
		Path: s.Path, Target: s.Target.Name, Generation: s.Target.Generation,
		Axes: map[string]string{}, Markers: s.Markers, Developer: developer(d),
	}
	for _, v := range s.Point {
		sp.Axes[v.Axis] = v.Text
	}
	rules := map[string]matrix.LeftOut{}
	for _, l := range d.LeftOut {
		for _, address := range l.Addresses {
			rules[address] = l
		}
	}
	for _, c := range s.LeftOut {
		l := rules[c.Address()]
		sp.LeftOut = append(sp.LeftOut, release.Missing{Address: c.Address(), Rule: l.Rule, Reason: l.Reason})
	}
	for _, c := range s.Cells {
		sp.Declared = append(sp.Declared, c.Address())
		if o, ok := objects[c.Address()]; ok {
			sp.Objects = append(sp.Objects, o)
		}
	}
	return sp
}

// developer says why what is built is not for shipping, "" if it is.
func developer(d *declared) string {
	for _, v := range d.Variables {
		if v.Developer && v.Differs {
			return fmt.Sprintf("built with %s = %s", v.Name, v.Value)
		}
	}
	return ""
}

// objects describes every built cell for its sets.
func (p *Project) objects(m *made) (map[string]release.Object, error) {
	store, err := p.Cache()
	if err != nil {
		return nil, err
	}
	all := map[string]release.Object{}
	for i, c := range m.plan.Cells {
		r := m.result(i)
		if r.Record == nil || len(r.Record.Outputs) != 1 {
			return nil, diag.Failf(diag.IO, "", "%s: the build left no object", c.Address())
		}
		out := r.Record.Outputs[0]
		o := release.Object{
			Address: c.Address(), Name: c.Kernel, Family: c.Family, Library: c.Library, Licence: c.Licence,
			Target: c.Target.Name, Toolchain: c.Toolchain, WaveSize: 32,
			Emitter: m.toolchains[c.Toolchain].Emitter,
			Argv:    append([]string{r.Node.Action.Tool}, r.Node.Action.Args...),
			Action:  r.Key, Digest: out.Digest, Size: out.Size,
			Bytes: func(dst *os.File, also io.Writer) (cache.Digest, error) {
				return out.Digest, store.CopyTo(out.Digest, dst, also)
			},
		}
		if o.DerivedFrom, err = m.derivedFrom(i); err != nil {
			return nil, err
		}
		if use := m.plan.Module[i]; use != nil {
			o.Recipe, o.Module = c.Recipe, use.Module.FNV
		}
		if c.Wave64 {
			o.WaveSize = 64
		}
		if c.NoTwin {
			o.NoTwin = cmp.Or(c.NoTwinReason, `its group says twin = "none"`)
		}
		if obj := m.opened[c.Address()]; obj != nil {
			o.Kernels, o.Symbols = release.KernelsOf(obj), release.SymbolsOf(obj)
		}
		all[c.Address()] = o
	}
	return all, nil
}
