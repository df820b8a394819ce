package flow

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
	"kmx/release"
)

// modulesEnv names another file of approved modules than the matrix does.
const modulesEnv = "KMX_MODULES"

// approvedFile is where the approvals of a library are, "" if its block names
// no file: then every module will do.
func (p *Project) approvedFile(l matrix.Library) string {
	if l.Approved == "" {
		return ""
	}
	if name := os.Getenv(modulesEnv); name != "" {
		return name
	}
	return p.path(l.Approved)
}

// approve holds modules against the approvals of their libraries. What is not
// approved is an error that names each, unless accept says who takes it on and
// why: then that is written down.
func (p *Project) approve(libraries []matrix.Library, uses []release.Use, accept string) error {
	if p.unlocked {
		return nil // another tree has held them against its approvals
	}
	if accept != "" {
		if err := release.CheckWho(accept); err != nil {
			return diag.Failf(diag.Usage, `-accept="Ada: compared with 310.7 by dlss:diff"`, "-accept: %v", err)
		}
	}
	byFile := map[string][]release.Use{}
	var order []string
	for _, l := range libraries {
		file := p.approvedFile(l)
		if file == "" {
			continue
		}
		for _, u := range uses {
			if u.Library == l.Name {
				if byFile[file] == nil {
					order = append(order, file)
				}
				byFile[file] = append(byFile[file], u)
			}
		}
	}
	for _, file := range order {
		a, err := release.ReadApprovals(file)
		if err != nil {
			return err
		}
		missing := a.Unapproved(byFile[file])
		if accept == "" {
			if len(missing) > 0 {
				return unapproved(a, missing, file)
			}
			continue
		}
		if !a.Accept(accept, byFile[file]) {
			continue
		}
		if err := a.Write(file); err != nil {
			return err
		}
		kernels := map[string]bool{}
		for _, u := range missing {
			kernels[u.Library+"/"+u.Kernel] = true
		}
		if len(kernels) > 0 {
			p.Say("%s: the modules of %s approved by %s", file, count(len(kernels), "kernel"), accept)
		}
	}
	return nil
}

// fewKernels is how many kernels of a module an error names; of others it tells
// the number.
const fewKernels = 3

// unapproved is the error for modules that nobody has compared: a line for each
// with the kernels that it defines.
func unapproved(a *release.Approvals, missing []release.Use, file string) error {
	kernels, modules, all := map[string][]string{}, map[release.Module]bool{}, map[string]bool{}
	var order []string
	for _, u := range missing {
		what := fmt.Sprintf("%s, FNV %016x, BLAKE3 %s", u.Where, u.Module.FNV, u.Module.BLAKE3)
		if edits := a.Edits(u); edits != "" {
			what = fmt.Sprintf("%s is approved, its edits are not: %s; approved are %s", u.Where, u.Edits, edits)
		} else if known := a.Known(u.Library, u.Kernel); len(known) > 0 {
			what += fmt.Sprintf("; approved is FNV %016x", known[len(known)-1].FNV)
		}
		if kernels[what] == nil {
			order = append(order, what)
		}
		if !slices.Contains(kernels[what], u.Kernel) {
			kernels[what] = append(kernels[what], u.Kernel)
		}
		modules[u.Module], all[u.Library+"/"+u.Kernel] = true, true
	}
	var lines []string
	for _, what := range order {
		names := kernels[what]
		line := what + ": " + strings.Join(names, ", ")
		if n := len(names) - fewKernels; n > 1 {
			line = fmt.Sprintf("%s: %s: %s and %d more", what, count(len(names), "kernel"), strings.Join(names[:fewKernels], ", "), n)
		}
		lines = append(lines, line)
	}
	summary := count(len(modules), "module")
	if len(all) > 1 {
		summary += fmt.Sprintf(" (%d kernels)", len(all))
	}
	return &diag.Failure{Class: diag.Verify, Messages: diag.List{{
		Summary: fmt.Sprintf("%s not approved in %s", summary+map[bool]string{true: " is", false: " are"}[len(modules) == 1], file),
		Detail:  strings.Join(lines, "\n"),
		Hint:    `look at what they are with mage dlss:list, or compare them with approved ones by mage dlss:diff; then -accept="WHO: WHY" takes them on`,
	}}}
}

// usesOf are the modules that planned cells are made of.
func usesOf(pl *plan.Plan) []release.Use {
	var uses []release.Use
	for _, m := range pl.Module {
		if m != nil {
			u := useOf(m.Library, m.Kernel, m.File, m.Module)
			u.Edits = m.Edits
			uses = append(uses, u)
		}
	}
	return uses
}

func useOf(library, kernel, file string, m plan.LibraryModule) release.Use {
	fnv, _ := strconv.ParseUint(m.FNV, 16, 64) // written by plan
	return release.Use{
		Library: library, Kernel: kernel, Module: release.Module{FNV: fnv, BLAKE3: m.BLAKE3},
		Where: fmt.Sprintf("module %d of %s", m.Number, file),
	}
}

// libraryReader reads library files for a stamp, each once.
type libraryReader struct {
	p    *Project
	ctx  context.Context
	read map[string]*plan.Library
}

func (p *Project) libraryReader(ctx context.Context) *libraryReader {
	return &libraryReader{p: p, ctx: ctx, read: map[string]*plan.Library{}}
}

// open lists the modules of a file. For a stamp all of them count: damage of one
// may hide what it defines.
func (r *libraryReader) open(path string) (*plan.Library, error) {
	if lib := r.read[path]; lib != nil {
		return lib, nil
	}
	store, err := r.p.Cache()
	if err != nil {
		return nil, err
	}
	lib, err := plan.OpenLibrary(r.ctx, path, store)
	if err != nil {
		return nil, err
	}
	r.read[path] = lib
	return lib, nil
}

// hashes are those of the kernels that a file defines.
func (r *libraryReader) hashes(path string) (release.KernelHashes, error) {
	lib, err := r.open(path)
	if err != nil {
		return nil, err
	}
	out := release.KernelHashes{}
	for _, m := range lib.Modules {
		if m.Damage != "" {
			return nil, fmt.Errorf("%s: module %d: %s", lib.File, m.Number, m.Damage)
		}
		fnv, _ := strconv.ParseUint(m.FNV, 16, 64)
		for _, name := range m.Entries {
			out[name] = append(out[name], fnv)
		}
	}
	return out, nil
}

// uses are all modules that stamp kernels of a library.
func (r *libraryReader) uses(l matrix.Library, kernels map[string]bool) ([]release.Use, error) {
	var uses []release.Use
	for _, path := range ruleOf(l).FilesOf(l.Paths) {
		lib, err := r.open(path)
		if err != nil {
			return nil, diag.Failf(diag.Usage, "is it a DLSS library as NVIDIA ships it?", "%v", err)
		}
		for _, m := range lib.Modules {
			for _, name := range m.Entries {
				if kernels[name] {
					uses = append(uses, useOf(l.Name, name, lib.File, m))
				}
			}
		}
	}
	return uses, nil
}
