package plan

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"kmx/cuda/ptx"
	"kmx/matrix"
	"kmx/tex"
)

// What became of a kernel from one library to another.
const (
	KernelSame    = "same"    // the same statements with the same names
	KernelRenamed = "renamed" // the same but for names of registers, labels and the like
	KernelChanged = "changed" // statements, parameters or attributes differ
	KernelGone    = "gone"    // the new library does not define it
	KernelNew     = "new"     // the old library did not define it
	KernelAbsent  = "absent"  // neither defines it
	KernelUnclear = "unclear" // a module cannot be read, or several define it differently
)

// KernelChange is one kernel of the matrix in two libraries.
type KernelChange struct {
	Kernel, Library string
	Status          string
	Error           string // when unclear
	Old, New        *ModuleUse
	// Parameters are the parameters that differ, as "- .param ..." and "+ .param
	// ..."; Diff is the statements that do, for people.
	Parameters []string
	Diff       string
	Recipes    []RecipeTrial
}

// RecipeTrial says whether a recipe of the kernel's cells applies to the new
// library.
type RecipeTrial struct {
	Recipe string
	Cell   string // address of the first cell that has it
	Error  string // "" where it applies
	Edits  string // KIND=N,KIND=N where it does
}

// CompareLibraries compares the kernels of cells in two libraries, each given by
// its files, in the order of the cells. Modules are parsed one after the other.
func CompareLibraries(ctx context.Context, cells []*matrix.Cell, library string, before, after []*Library, s Source) ([]KernelChange, error) {
	c := &comparer{s: s, library: library, before: before, after: after}
	var out []KernelChange
	at := map[string]int{}
	for _, cell := range cells {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if cell.Library != library {
			continue
		}
		i, known := at[cell.Kernel]
		if !known {
			i = len(out)
			at[cell.Kernel] = i
			out = append(out, c.kernel(cell.Kernel))
		}
		if k := &out[i]; isRecipe(cell) && k.New != nil {
			c.recipe(k, cell)
		}
	}
	return out, nil
}

type comparer struct {
	s             Source
	library       string
	before, after []*Library
	old, new, ref parsed
	tried         map[string]bool
}

func (c *comparer) kernel(name string) KernelChange {
	k := KernelChange{Kernel: name, Library: c.library}
	var errOld, errNew error
	k.Old, errOld = Defining(c.before, c.library, name)
	k.New, errNew = Defining(c.after, c.library, name)
	switch {
	case k.Old == nil && ambiguous(c.before, name), k.New == nil && ambiguous(c.after, name):
		k.Status = KernelUnclear
		for _, err := range []error{errOld, errNew} {
			if err != nil && k.Error == "" {
				k.Error = err.Error()
			}
		}
	case k.Old == nil && k.New == nil:
		k.Status = KernelAbsent
	case k.New == nil:
		k.Status = KernelGone
	case k.Old == nil:
		k.Status = KernelNew
	case k.Old.Module.BLAKE3 == k.New.Module.BLAKE3:
		k.Status = KernelSame
	default:
		c.compare(&k)
	}
	return k
}

// ambiguous tells whether several modules define a kernel.
func ambiguous(files []*Library, name string) bool {
	n := 0
	for _, l := range files {
		for _, m := range l.Modules {
			if slices.Contains(m.Entries, name) {
				n++
			}
		}
	}
	return n > 1
}

func (c *comparer) compare(k *KernelChange) {
	fail := func(err error) { k.Status, k.Error = KernelUnclear, err.Error() }
	a, err := c.old.get(k.Old.Module.BLAKE3, "old/"+k.Old.fileName(), k.Old.Text)
	if err != nil {
		fail(err)
		return
	}
	b, err := c.new.get(k.New.Module.BLAKE3, "new/"+k.New.fileName(), k.New.Text)
	if err != nil {
		fail(err)
		return
	}
	d := ptx.Diff(a, a.Function(k.Kernel), b, b.Function(k.Kernel))
	k.Status = map[ptx.Verdict]string{ptx.Same: KernelSame, ptx.Renamed: KernelRenamed, ptx.Changed: KernelChanged}[d.Verdict]
	if d.Verdict != ptx.Changed {
		return
	}
	for _, row := range d.Changes {
		_, wasParam := row.A.(*ptx.Param)
		_, isParam := row.B.(*ptx.Param)
		if row.Kind != ptx.Kept && (wasParam || isParam) {
			k.Parameters = append(k.Parameters, string(row.Kind)+" "+row.Text)
		}
	}
	var b2 bytes.Buffer
	if err := d.Write(&b2, 2); err != nil {
		fail(err)
		return
	}
	k.Diff = b2.String()
}

// recipe tries the recipe of a cell on the new library, unless it was tried for
// another cell.
func (c *comparer) recipe(k *KernelChange, cell *matrix.Cell) {
	t := RecipeTrial{Recipe: cell.Recipe, Cell: cell.Address()}
	told, err := options(cell)
	if err != nil {
		t.Error = err.Error()
		k.Recipes = append(k.Recipes, t)
		return
	}
	e := &edited{use: k.New, request: tex.Request{
		Kernel: cell.Kernel, Recipe: cell.Recipe, ReferenceKernel: cell.Reference, Options: told, Counts: counts(cell),
	}}
	if cell.Reference != "" {
		if e.reference, err = Defining(c.after, c.library, cell.Reference); err != nil {
			t.Error = "the reference: " + err.Error()
			k.Recipes = append(k.Recipes, t)
			return
		}
	}
	w := &workshop{s: c.s}
	id := cell.Kernel + " " + w.editKey(e).String()
	if c.tried == nil {
		c.tried = map[string]bool{}
	}
	if c.tried[id] {
		return
	}
	c.tried[id] = true
	request, err := w.request(e, &c.new, &c.ref)
	var done *tex.Result
	if err == nil {
		done, err = c.s.editor()(request)
	}
	if err != nil {
		t.Error = strings.TrimSpace(err.Error())
	} else {
		t.Edits = countsOf(done.Counts)
	}
	k.Recipes = append(k.Recipes, t)
}
