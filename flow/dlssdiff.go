package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
	"kmx/release"
)

// DLSSDiff are the choices of dlss:diff.
type DLSSDiff struct {
	Old, New string // library files, or folders that hold them
	JSON     bool
	All      bool // every line of every difference
	Check    bool // differences are an exit code
	Vars     string
}

// libraryDiff is what dlss:diff finds, format kmx.dlss-diff/1.
type libraryDiff struct {
	Format  string         `json:"format"`
	Old     []diffedFile   `json:"old"`
	New     []diffedFile   `json:"new"`
	Kernels []diffedKernel `json:"kernels"`
	// Of the entries that only one side has, those that the matrix does not
	// name; the others are gone or new kernels.
	OnlyOld []string `json:"only_old"`
	OnlyNew []string `json:"only_new"`
	Approve int      `json:"approve"` // kernels whose new module is not approved
	Differs bool     `json:"differs"` // some kernel is not the same, or a recipe does not apply
}

type diffedFile struct {
	File   string       `json:"file"`
	BLAKE3 cache.Digest `json:"blake3"`
}

type diffedKernel struct {
	Kernel     string         `json:"kernel"`
	Library    string         `json:"library"`
	Status     string         `json:"status"` // same, renamed, changed, gone, new, absent, unclear
	Error      string         `json:"error,omitempty"`
	Old        *diffedModule  `json:"old,omitempty"`
	New        *diffedModule  `json:"new,omitempty"`
	Parameters []string       `json:"parameters,omitempty"`
	Diff       []string       `json:"diff,omitempty"`
	Recipes    []diffedRecipe `json:"recipes"`
	Approved   bool           `json:"approved"` // the new module, or no approval is asked for
}

type diffedModule struct {
	File   string       `json:"file"`
	Number int          `json:"module"`
	FNV    string       `json:"fnv1a64"`
	BLAKE3 cache.Digest `json:"blake3"`
}

type diffedRecipe struct {
	Recipe  string `json:"recipe"`
	Cell    string `json:"cell"`
	Applies bool   `json:"applies"`
	Edits   string `json:"edits,omitempty"` // by kind: KIND=N,KIND=N
	Error   string `json:"error,omitempty"`
}

// DLSSDiff compares the kernels of the matrix in two libraries: what became of
// each, whether its recipe still applies, and what has to be approved.
func (p *Project) DLSSDiff(ctx context.Context, v DLSSDiff) error {
	store, err := p.Cache()
	if err != nil {
		return err
	}
	d, err := p.loadWhole(v.Vars)
	if err != nil {
		return err
	}
	before, err := openAll(ctx, store, libraryFiles(d.Libraries, v.Old), v.Old)
	if err != nil {
		return err
	}
	after, err := openAll(ctx, store, libraryFiles(d.Libraries, v.New), v.New)
	if err != nil {
		return err
	}
	out := libraryDiff{Format: "kmx.dlss-diff/1", Kernels: []diffedKernel{}, Old: filesOf(before), New: filesOf(after)}
	for _, l := range d.Libraries {
		olds, news := filesFor(before, d.Libraries, l), filesFor(after, d.Libraries, l)
		if len(olds)+len(news) == 0 {
			continue
		}
		var approvals *release.Approvals
		if file := p.approvedFile(l); file != "" {
			if approvals, err = release.ReadApprovals(file); err != nil {
				return err
			}
		}
		changes, err := plan.CompareLibraries(ctx, d.Cells, l.Name, olds, news, plan.Source{Root: p.Root, Memo: store.Memo(), Store: store})
		if err != nil {
			return err
		}
		for _, c := range changes {
			out.add(c, approvals)
		}
	}
	out.only(before, after)
	if v.JSON {
		e := json.NewEncoder(p.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err = e.Encode(out)
	} else {
		err = out.print(p.Out, v.All)
		p.Say("%s", out.summary())
	}
	if err == nil && v.Check && out.Differs {
		err = &diag.Failure{Class: toDo, Err: fmt.Errorf("the libraries differ (-check, exit code %d)", toDo)}
	}
	return err
}

func openAll(ctx context.Context, store *cache.Cache, files []string, path string) ([]*plan.Library, error) {
	var libs []*plan.Library
	for _, file := range files {
		lib, err := plan.OpenLibrary(ctx, file, store)
		if err != nil {
			return nil, noLibrary(err)
		}
		libs = append(libs, lib)
	}
	if len(libs) == 0 {
		return nil, diag.Failf(diag.Usage, "name the file itself", "no library lies in %s", path)
	}
	return libs, nil
}

// filesFor are the files of one library of the matrix: those of its name, or any
// where the matrix has one library only.
func filesFor(libs []*plan.Library, libraries []matrix.Library, l matrix.Library) []*plan.Library {
	if len(libraries) == 1 {
		return libs
	}
	var out []*plan.Library
	for _, lib := range libs {
		if ruleOf(l).Matches(lib.File) {
			out = append(out, lib)
		}
	}
	return out
}

func filesOf(libs []*plan.Library) []diffedFile {
	var out []diffedFile
	for _, l := range libs {
		out = append(out, diffedFile{l.File, l.Digest})
	}
	return out
}

// add enters a kernel; approvals may be nil: then none are asked for.
func (o *libraryDiff) add(c plan.KernelChange, approvals *release.Approvals) {
	k := diffedKernel{
		Kernel: c.Kernel, Library: c.Library, Status: c.Status, Error: c.Error, Parameters: c.Parameters,
		Recipes: []diffedRecipe{}, Approved: true, Old: moduleOf(c.Old), New: moduleOf(c.New),
	}
	if c.Diff != "" {
		k.Diff = strings.Split(strings.TrimRight(c.Diff, "\n"), "\n")
	}
	applies := true
	for _, r := range c.Recipes {
		k.Recipes = append(k.Recipes, diffedRecipe{r.Recipe, r.Cell, r.Error == "", r.Edits, r.Error})
		applies = applies && r.Error == ""
	}
	if approvals != nil && c.New != nil {
		k.Approved = len(approvals.Unapproved([]release.Use{useOf(c.Library, c.Kernel, c.New.File, c.New.Module)})) == 0
	}
	if !k.Approved {
		o.Approve++
	}
	o.Differs = o.Differs || c.Status != plan.KernelSame && c.Status != plan.KernelAbsent || !applies
	o.Kernels = append(o.Kernels, k)
}

func moduleOf(u *plan.ModuleUse) *diffedModule {
	if u == nil {
		return nil
	}
	return &diffedModule{u.File, u.Module.Number, u.Module.FNV, u.Module.BLAKE3}
}

// only lists the entries that the matrix does not name and one side lacks.
func (o *libraryDiff) only(before, after []*plan.Library) {
	entries := func(libs []*plan.Library) map[string]bool {
		all := map[string]bool{}
		for _, l := range libs {
			for _, m := range l.Modules {
				for _, e := range m.Entries {
					all[e] = true
				}
			}
		}
		return all
	}
	olds, news := entries(before), entries(after)
	for _, k := range o.Kernels {
		delete(olds, k.Kernel)
		delete(news, k.Kernel)
	}
	o.OnlyOld, o.OnlyNew = []string{}, []string{}
	for e := range olds {
		if !news[e] {
			o.OnlyOld = append(o.OnlyOld, e)
		}
	}
	for e := range news {
		if !olds[e] {
			o.OnlyNew = append(o.OnlyNew, e)
		}
	}
	slices.Sort(o.OnlyOld)
	slices.Sort(o.OnlyNew)
}
