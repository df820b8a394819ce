package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/plan"
	"kmx/release"
)

// DLSSList prints the PTX modules of a library, or of those in a folder.
func (p *Project) DLSSList(ctx context.Context, path string, asJSON bool) error {
	store, err := p.Cache()
	if err != nil {
		return err
	}
	d, err := p.loadWhole("")
	if err != nil {
		return err
	}
	libs := []*plan.Library{}
	for _, file := range libraryFiles(d.Libraries, path) {
		lib, err := plan.OpenLibrary(ctx, file, store)
		if err != nil {
			return noLibrary(err)
		}
		libs = append(libs, lib)
	}
	if len(libs) == 0 {
		return diag.Failf(diag.Usage, "name the file itself; the libraries of the matrix are "+libraryNames(d), "no library lies in %s", path)
	}
	if asJSON {
		e := json.NewEncoder(p.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Format    string          `json:"format"`
			Libraries []*plan.Library `json:"libraries"`
		}{"kmx.dlss-list/1", libs})
	}
	for _, lib := range libs {
		if err := listLibrary(p.Out, lib); err != nil {
			return err
		}
	}
	return nil
}

func listLibrary(w io.Writer, lib *plan.Library) error {
	fmt.Fprintf(w, "%s: %s, %d bytes, BLAKE3 %s\n", lib.File, count(len(lib.Modules), "PTX module"), lib.Size, lib.Digest)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "module\tPTX\ttarget\tstored\tbytes\tFNV-1a 64\tBLAKE3\tentries")
	for _, m := range lib.Modules {
		if m.Damage != "" {
			fmt.Fprintf(t, "%d\t%s\t%s\t-\t-\t-\t-\tdamaged: %s\n", m.Number, m.Version, m.Target, m.Damage)
			continue
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", m.Number, m.Version, m.Target, m.Compression, m.Size, m.FNV, m.BLAKE3,
			strings.Join(m.Entries, " "))
	}
	return t.Flush()
}

// libraryFiles are the files that a path stands for: itself, or the libraries of
// the matrix in a folder.
func libraryFiles(libraries []matrix.Library, path string) []string {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}
	}
	var files []string
	for _, l := range libraries {
		for _, file := range ruleOf(l).FilesOf([]string{path}) {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

func libraryNames(d *declared) string {
	var names []string
	for _, l := range d.Libraries {
		names = append(names, l.Match)
	}
	return diag.And(names)
}

// noLibrary is the failure for a file that cannot be read as a library.
func noLibrary(err error) error {
	return diag.Failf(diag.Usage, "is it a DLSS library as NVIDIA ships it?", "%v", err)
}

// loadWhole reads the matrix as if all libraries and all emitters were there:
// for questions about libraries that are not those of the environment.
func (p *Project) loadWhole(vars string) (*declared, error) {
	return p.loadFile(matrixFile, vars, matrix.Options{Whole: true})
}

// standin is the program behind dlss:standin.
const standin = "kmx-standin"

// DLSSStandin writes the stand-in library: PTX of kmx's own under the entry
// names of NVIDIA's kernels. The program that writes it is no part of the front
// door.
func (p *Project) DLSSStandin(ctx context.Context, out string, args ...string) error {
	abs, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if info, err := os.Stat(abs); err == nil && info.IsDir() {
		return diag.Failf(diag.Usage, "mage dlss:standin "+filepath.Join(out, "nvngx_dlss.dll"), "%s is a folder", out)
	}
	if err := p.validateWith(ctx, standin, append(args, abs)); err != nil {
		return err
	}
	const name = "nvngx_dlss.dll" // by which the matrix knows a library
	if filepath.Base(abs) == name {
		p.Say("%s: a stand-in library; nothing in it is NVIDIA's. Use it with D4R_DLSS_DLLS=%s", out, release.Word(abs))
	} else {
		p.Say("%s: a stand-in library; nothing in it is NVIDIA's. To build from it, call it %s: kernels are made of files of that name only", out, name)
	}
	return nil
}
