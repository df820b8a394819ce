package flow

import (
	"os"
	"strings"

	"kmx/internal/diag"
	"kmx/matrix"
)

// declared is the matrix of this run and everything it expands to.
type declared struct {
	*matrix.Matrix
	*matrix.Expansion
	warnings diag.List
}

// load reads and expands the matrix as this run has it: a family whose library
// is not here is left out. Every mistake in it is in the error.
func (p *Project) load(vars string) (*declared, error) {
	return p.loadFile(matrixFile, vars, matrix.Options{HasLibrary: hasLibrary})
}

// loadFile reads and expands a matrix; files are those of the project where
// the options do not say how to read them.
func (p *Project) loadFile(name, vars string, o matrix.Options) (*declared, error) {
	set, err := variables(vars)
	if err != nil {
		return nil, err
	}
	o.Getenv, o.Vars = os.LookupEnv, set
	if o.ReadFile == nil {
		o.ReadFile = func(name string) ([]byte, error) { return os.ReadFile(p.path(name)) }
	}
	m, list := matrix.Load(name, o)
	d := &declared{Matrix: m}
	if m != nil && !list.HasErrors() {
		x, more := m.Expand()
		list = append(list, more...)
		d.Expansion = x
	}
	if list.HasErrors() {
		return nil, &diag.Failure{Class: diag.Matrix, Messages: list, Rerun: "mage matrix:check"}
	}
	d.warnings = list
	p.show(list)
	return d, nil
}

// variables reads the -vars choice: name=value, comma-separated.
func variables(text string) (map[string]string, error) {
	set := map[string]string{}
	for _, item := range splitList(text) {
		name, value, ok := strings.Cut(item, "=")
		if !ok || name == "" {
			return nil, diag.Failf(diag.Usage, "write -vars=name=value, several separated by commas", "%q is not name=value", item)
		}
		set[name] = value
	}
	return set, nil
}

// splitList splits a comma-separated argument; empty items are dropped.
func splitList(text string) []string {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
