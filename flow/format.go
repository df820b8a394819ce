package flow

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/matrix"
)

// MatrixFormat brings the matrix and the files it includes into their canonical
// form and prints the names of those that were not. With check nothing is
// written, and files to be changed are an exit code.
func (p *Project) MatrixFormat(check bool) error {
	m, _ := matrix.Load(matrixFile, matrix.Options{
		Getenv:   os.LookupEnv,
		ReadFile: func(name string) ([]byte, error) { return os.ReadFile(p.path(name)) },
	})
	names := []string{matrixFile}
	if m != nil {
		for _, f := range m.Files {
			if f.Name != matrixFile {
				names = append(names, f.Name)
			}
		}
	}
	var problems diag.List
	changed := 0
	for _, name := range names {
		src, err := os.ReadFile(p.path(name))
		if err != nil {
			return diag.Failf(diag.IO, "", "%v", err)
		}
		out, list := matrix.Format(name, src)
		problems = append(problems, list...)
		if list.HasErrors() || bytes.Equal(src, out) {
			continue
		}
		changed++
		fmt.Fprintln(p.Out, name)
		if check {
			continue
		}
		durable.SweepTemps(filepath.Dir(p.path(name)))
		info, err := os.Stat(p.path(name))
		if err == nil {
			err = durable.WriteFile(p.path(name), out, info.Mode().Perm())
		}
		if err != nil {
			return diag.Failf(diag.IO, "", "%s cannot be written: %v", name, err)
		}
	}
	switch {
	case problems.HasErrors():
		return &diag.Failure{Class: diag.Matrix, Messages: problems}
	case check && changed > 0:
		return &diag.Failure{Class: toDo, Err: fmt.Errorf("%s to format (-check, exit code %d); mage matrix:fmt does it", count(changed, "file"), toDo)}
	}
	return nil
}

// MatrixSchema prints every block, attribute and function of the language.
func (p *Project) MatrixSchema(asJSON bool) error { return matrix.WriteSchema(p.Out, asJSON) }
