package matrix

import (
	"os"
	"path/filepath"
	"time"

	"kmx/internal/diag"
)

// Options is what Load may look at besides the file.
type Options struct {
	// Getenv looks an environment variable up; nil means that none is set.
	Getenv func(string) (string, bool)
	// Vars are values given on the command line, by variable name. They win
	// over the environment, which wins over the default.
	Vars map[string]string
	// ReadFile reads a file; nil means os.ReadFile. An included file is asked
	// for by its path below the folder of the matrix.
	ReadFile func(string) ([]byte, error)
	// HasLibrary reports whether a library that a family requires is there;
	// nil means that every library is, so that the whole matrix is looked at.
	HasLibrary func(Library) bool
	// Whole leaves exclusions out of account: every cell that is declared exists,
	// for questions about what might be built.
	Whole bool
	// Now is what the clock says, for warnings about exclusions that have run
	// out since the release's date. Zero: there are no such warnings. Nothing
	// else depends on it.
	Now time.Time
}

// declarations is the file as understood, with its expressions.
type declarations struct {
	axes       []*axisDecl
	toolchains []*toolchainDecl
	families   []*Family
	alone      map[string]bool // value texts an address may write without their axis
	file       *scope          // var, local, axis, toolchain, library
	lossy      bool            // a mistake may have cost cells; counts mean nothing

	familyNames    []string            // of every family; nil when one may be missing
	targetsPartial bool                // targets may be missing
	reported       map[problemKey]bool // by Load
	broken         []chunk             // what has syntax errors: what else is wrong in it is not said
}

// Load reads a matrix file. The Matrix is never nil and holds what could be
// understood; the list holds every problem found without expanding. The
// ranges of the messages name the file by its base name, since the file lies
// in the project root.
func Load(path string, o Options) (*Matrix, diag.List) {
	if o.Getenv == nil {
		o.Getenv = func(string) (string, bool) { return "", false }
	}
	if o.ReadFile == nil {
		o.ReadFile = os.ReadFile
	}
	m := &Matrix{decl: &declarations{alone: map[string]bool{}}}
	l := &loader{m: m, d: m.decl, o: o, problems: newProblems()}
	l.names.problems = l.problems
	name := filepath.Base(path)
	data, err := o.ReadFile(path)
	if err != nil {
		l.problems.add(diag.Message{
			Summary: "the matrix cannot be read: " + err.Error(),
			Hint:    "run kmx in the project's folder, where matrix.hcl is",
		})
		l.d.file = l.fileScope()
		return m, l.problems.messages()
	}
	m.Files = append(m.Files, File{name, data})
	root := l.parse(name, data)
	if l.edition(root, name) || l.includes(root, name, path) {
		l.d.file = l.fileScope()
		return m, l.problems.messages()
	}
	l.variables(root)
	l.locals(root)
	l.axesAndTargets(root)
	l.libraries(root)
	l.toolchains(root)
	l.d.file = l.fileScope()
	l.project(root)
	l.familyNames(root)
	l.checkAxes()
	l.checkToolchains()
	l.families(root)
	l.exclusions(root)
	l.adjustMatches()
	l.releases(root)
	l.archives()
	l.unknownVars()
	l.report()
	return m, l.problems.messages()
}

// report notes what is reported, so that Expand does not repeat it.
func (l *loader) report() {
	l.d.reported = map[problemKey]bool{}
	l.d.broken = l.problems.broken
	for _, p := range l.problems.list {
		l.d.reported[problemKey{p.Where, p.Summary}] = true
	}
}

// loader is one run of Load.
type loader struct {
	*problems
	m      *Matrix
	d      *declarations
	o      Options
	names  nameTable
	once   onceValues
	broken bool // syntax errors: what is missing may be in the broken part

	asked    bool // for SOURCE_DATE_EPOCH
	epoch    string
	hasEpoch bool
}

// edition checks that the file is written in the language we read. A later
// edition is all there is to say: what else seems wrong need not be.
func (l *loader) edition(root *node, name string) (later bool) {
	a := root.attrs["edition"]
	if a == nil {
		return false
	}
	n, ok := literalInt(a.expr)
	switch {
	case !ok:
		l.errorf(a.where(), "edition must be a whole number").hint("write edition = %d", edition)
	case n > edition:
		later = true
		l.list = nil
		l.errorf(a.where(), "%s is written in edition %d of the language; this kmx reads edition %d", name, n, edition).
			hint("update kmx")
	case n != edition:
		l.errorf(a.where(), "there is no edition %d of the language", n).hint("write edition = %d", edition)
	}
	return later
}

// nameTable finds names declared twice and names that cannot be told apart.
type nameTable struct {
	*problems
	seen map[string]diag.Range
}

// declare notes a name of a kind and reports whether it is new.
func (t *nameTable) declare(kind, name string, where diag.Range) bool {
	return t.declareIn("", kind, name, where)
}

// declareIn is declare for names that only mean something in one block.
func (t *nameTable) declareIn(block, kind, name string, where diag.Range) bool {
	if t.seen == nil {
		t.seen = map[string]diag.Range{}
	}
	what := kind + " " + quoted(name)
	if block != "" {
		what += " of " + block
	}
	key := block + "\n" + kind + "\n" + name
	if first, ok := t.seen[key]; ok {
		t.errorf(where, "%s is declared twice", what).note(first, "the first one is here")
		return false
	}
	t.seen[key] = where
	return true
}
