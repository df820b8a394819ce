package flow

import (
	"context"
	"fmt"
	"slices"

	"kmx/amdgpu/codeobj"
	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
	"kmx/release"
)

// foldEnv folds every release and every build of kernels that does not say
// otherwise.
const foldEnv = "KMX_FOLD"

// folds says whether proven equal objects are derived; asked is the choice on the
// command line, nil where there is none.
func folds(asked *bool, getenv func(string) string) (bool, error) {
	if asked != nil {
		return *asked, nil
	}
	switch value := getenv(foldEnv); value {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	default:
		return false, diag.Failf(diag.Usage, "", "%s is 1 or nothing, not %q", foldEnv, value)
	}
}

// never is a choice of -fold.
func never() *bool { return new(bool) }

// proofs reads the map of equal objects.
func (p *Project) proofs() (*plan.Proofs, error) {
	proofs, list := plan.ReadProofs(p.path(plan.ProofsName))
	if list.HasErrors() {
		return nil, &diag.Failure{Class: diag.Matrix, Messages: list}
	}
	return proofs, nil
}

// foldPlan is how a plan folds: not at all, or by the map, for a release with a
// sample.
func (p *Project) foldPlan(d *declared, fold, release bool) (*plan.Fold, error) {
	if !fold {
		return nil, nil
	}
	proofs, err := p.proofs()
	if err != nil {
		return nil, err
	}
	f := &plan.Fold{Proofs: proofs}
	if release {
		f.Sample = d.Project.Name + " " + d.Project.Version
	}
	return f, nil
}

// folded ends a folded build: the sample is compared, and people hear what was
// derived and what could be if it were proven.
func (p *Project) folded(ctx context.Context, m *made) error {
	if m.plan.Derived == nil {
		return nil
	}
	store, err := p.Cache()
	if err != nil {
		return err
	}
	f := &folding{p: p, store: store, made: m}
	sampled, err := f.compareSample(ctx)
	if err != nil {
		return err
	}
	if n := len(m.plan.Derived); n > 0 {
		text := fmt.Sprintf("folded: %d of %s derived from proven equal ones", n, count(f.objects(), "object"))
		if sampled > 0 {
			text += fmt.Sprintf("; %d of these compiled as well, with the same bytes", sampled)
		}
		p.Say("%s", text)
	} else {
		p.Say("folded: nothing, no proof in %s is about two of these objects", plan.ProofsName)
	}
	n, err := f.derivable()
	if err == nil && n > 0 {
		p.Say("  %s compiled that could be derived, once it is proven again: mage fold:prove", count(n, "object"))
	}
	return err
}

// A folding looks at the objects of a build.
type folding struct {
	p     *Project
	store *cache.Cache
	made  *made
}

// object reads what a node has made, which is one object.
func (f *folding) object(node int) ([]byte, cache.Digest, error) {
	r := f.made.results[node]
	if r.Record == nil || len(r.Record.Outputs) != 1 {
		return nil, cache.Digest{}, diag.Failf(diag.IO, "run the command again", "%s: the build left no object", r.Node.Label)
	}
	d := r.Record.Outputs[0].Digest
	data, err := f.store.Blob(d)
	if err != nil {
		return nil, d, diag.Failf(diag.IO, "run the command again", "%s: its object is gone: %w", r.Node.Label, err)
	}
	return data, d, nil
}

// compareSample holds derived objects against what the compiler made of the same
// cells. The error names every one that is not the same.
func (f *folding) compareSample(ctx context.Context) (sampled int, err error) {
	var list diag.List
	for i, c := range f.made.plan.Cells {
		d, leader := f.made.plan.DerivedFrom(i)
		node := f.made.plan.Node[i]
		if d == nil || d.Sampled < 0 || slices.Contains(f.made.plan.Node[:i], node) {
			continue
		}
		sampled++
		derived, was, err := f.object(node)
		if err != nil {
			return sampled, err
		}
		compiled, is, err := f.object(d.Sampled)
		if err != nil {
			return sampled, err
		}
		if was == is {
			continue
		}
		where, err := f.difference(ctx, i, derived, compiled)
		if err != nil {
			return sampled, err
		}
		list = append(list, diag.Message{
			Summary: fmt.Sprintf("%s, derived from %s, is not what the compiler makes", c.Address(), leader),
			Detail:  where.text("derived", "compiled"), Where: c.Declared,
			Values: []diag.Value{{Name: "proof", Text: d.Proven.Version + " in " + plan.ProofsName}},
			Hint:   fmt.Sprintf("the proof does not hold: prove again with mage fold:prove -selectors=%s/%s+%%, or build without -fold", c.Family, c.Kernel),
		})
	}
	if len(list) > 0 {
		return sampled, &diag.Failure{Class: diag.Verify, Messages: list}
	}
	return sampled, nil
}

// objects counts the actions whose objects cells are.
func (f *folding) objects() int {
	nodes := map[int]bool{}
	for _, n := range f.made.plan.Node {
		nodes[n] = true
	}
	return len(nodes)
}

// derivable counts the objects that were compiled and could be derived from
// others of this build.
func (f *folding) derivable() (int, error) {
	pl := f.made.plan
	lapsed := map[int]bool{}
	kernels := map[string]bool{}
	for _, n := range pl.Unproven {
		lapsed[n] = true
	}
	for i, c := range pl.Cells {
		if lapsed[pl.Node[i]] {
			kernels[c.Family+"/"+c.Kernel] = true
		}
	}
	seen := map[int]bool{}
	first := map[string]bool{}
	n := 0
	for i, c := range pl.Cells {
		kernel := c.Family + "/" + c.Kernel
		if seen[pl.Node[i]] || !kernels[kernel] {
			continue
		}
		seen[pl.Node[i]] = true
		if derived, _ := pl.DerivedFrom(i); derived != nil {
			continue
		}
		bare, err := f.bare(pl.Node[i])
		if err != nil {
			return 0, err
		}
		if bare.IsZero() {
			continue
		}
		class := kernel + " " + bare.String()
		if first[class] {
			n++
		}
		first[class] = true
	}
	return n, nil
}

// bare is the digest of a node's object without its GPU; zero where the object
// is none that could be derived.
func (f *folding) bare(node int) (cache.Digest, error) {
	if f.made.results[node].State != engine.Done {
		return cache.Digest{}, nil
	}
	data, _, err := f.object(node)
	if err != nil {
		return cache.Digest{}, err
	}
	bare, err := codeobj.Untargeted(data)
	if err != nil {
		return cache.Digest{}, nil
	}
	return cache.Sum(bare), nil
}

// foldChoices is the part of a command's choices in the name of its snapshot.
func foldChoices(vars string, fold bool) string {
	if fold {
		return vars + " folded"
	}
	return vars
}

// derivedFrom is what the object of the cell at index i is derived from, nil
// where it is compiled.
func (m *made) derivedFrom(i int) (*release.DerivedFrom, error) {
	d, leader := m.plan.DerivedFrom(i)
	if d == nil {
		return nil, nil
	}
	r := m.results[d.Leader]
	if r.Record == nil || len(r.Record.Outputs) != 1 {
		return nil, diag.Failf(diag.IO, "", "%s: the build left no object", leader)
	}
	return &release.DerivedFrom{Address: leader, BLAKE3: r.Record.Outputs[0].Digest}, nil
}

// withSameKernel lists a cell and those of the release that it could be derived
// from, in the order in which a release has them.
func withSameKernel(d *declared, cell *matrix.Cell) []*matrix.Cell {
	cells := slices.DeleteFunc(cellsOf(d.Sets), func(c *matrix.Cell) bool { return c.Family != cell.Family || c.Kernel != cell.Kernel })
	if !slices.Contains(cells, cell) {
		cells = append(cells, cell)
	}
	return cells
}
