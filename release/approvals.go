package release

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
)

// Module names the text of a PTX module by both of its hashes: the one that the
// bridge goes by, and one that nobody can make another text for.
type Module struct {
	FNV    uint64
	BLAKE3 cache.Digest
}

func (m Module) String() string { return fmt.Sprintf("fnv1a64:%016x blake3:%s", m.FNV, m.BLAKE3) }

func parseModule(text string) (m Module, err error) {
	fnv, rest, _ := strings.Cut(text, " ")
	fnv, okFNV := strings.CutPrefix(fnv, "fnv1a64:")
	rest, okBLAKE := strings.CutPrefix(rest, "blake3:")
	m.FNV, err = strconv.ParseUint(fnv, 16, 64)
	if err == nil && (len(fnv) != 16 || !okFNV || !okBLAKE) {
		err = errors.New("not both hashes")
	}
	if err == nil {
		m.BLAKE3, err = cache.ParseDigest(rest)
	}
	if err != nil {
		return m, fmt.Errorf("%q is not fnv1a64: with 16 and blake3: with 64 hexadecimal digits", text)
	}
	return m, nil
}

// A Use is a kernel with the module that defines it in a library: what has to be
// approved before it stamps or builds anything.
type Use struct {
	Library string // name in the matrix
	Kernel  string
	Module  Module
	Where   string // for people: "module 12 of nvngx_dlss.dll"
	// Edits are what a recipe did with it, "RECIPE:KIND=N,KIND=N"; "" where
	// nothing was edited. A recipe that is told something has that in its name:
	// "dec0-head+fp8".
	Edits string
}

// recipe is the name in edits.
func recipe(edits string) string {
	name, _, _ := strings.Cut(edits, ":")
	return name
}

// Approval is what one person has compared and taken on, at one time.
type Approval struct {
	Who     string // "who: why"
	Library string
	Modules map[string]Module // by kernel
	// Edits are those made of a kernel's module when it was approved, one for
	// each recipe, sorted.
	Edits map[string][]string
	Where diag.Range
}

// Approvals is the file of the modules that somebody has compared, in the order
// of the file.
type Approvals struct{ List []Approval }

// Unapproved lists the uses that no approval covers, each once, by library and
// kernel: the module is another, or its edits are others than those approved.
func (a *Approvals) Unapproved(uses []Use) []Use {
	var out []Use
	for _, u := range uses {
		if !a.covers(u) && !slices.ContainsFunc(out, func(o Use) bool {
			return o.Library == u.Library && o.Kernel == u.Kernel && o.Module == u.Module && o.Edits == u.Edits
		}) {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(x, y Use) int {
		return strings.Compare(x.Library+" "+x.Kernel+" "+x.Module.String()+x.Edits, y.Library+" "+y.Kernel+" "+y.Module.String()+y.Edits)
	})
	return out
}

func (a *Approvals) covers(u Use) bool {
	return a != nil && slices.ContainsFunc(a.List, func(p Approval) bool {
		m, ok := p.Modules[u.Kernel]
		if !ok || p.Library != u.Library || m != u.Module {
			return false
		}
		pinned := p.edits(u)
		return pinned == "" || pinned == u.Edits
	})
}

// edits are those approved for the recipe of a use, "" if none are.
func (p *Approval) edits(u Use) string {
	for _, e := range p.Edits[u.Kernel] {
		if u.Edits != "" && recipe(e) == recipe(u.Edits) {
			return e
		}
	}
	return ""
}

// Edits are those approved for the recipe of a use whose module is approved, ""
// if none are.
func (a *Approvals) Edits(u Use) string {
	for _, p := range a.List {
		if m, ok := p.Modules[u.Kernel]; ok && p.Library == u.Library && m == u.Module && p.edits(u) != "" {
			return p.edits(u)
		}
	}
	return ""
}

// Known lists the modules that are approved for a kernel.
func (a *Approvals) Known(library, kernel string) []Module {
	var out []Module
	if a == nil {
		return nil
	}
	for _, p := range a.List {
		if m, ok := p.Modules[kernel]; ok && p.Library == library && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// Accept adds an approval by who for uses that are not covered. Edits of modules
// that are approved without any are noted where the module is. It reports whether
// anything changed.
func (a *Approvals) Accept(who string, uses []Use) bool {
	by := map[string]*Approval{}
	changed := false
	for _, u := range a.Unapproved(uses) {
		if by[u.Library] == nil {
			by[u.Library] = &Approval{Who: who, Library: u.Library, Modules: map[string]Module{}, Edits: map[string][]string{}}
		}
		by[u.Library].Modules[u.Kernel] = u.Module
	}
	for _, library := range slices.Sorted(maps.Keys(by)) {
		changed = true
		a.List = append(a.List, *by[library])
	}
	for _, u := range uses {
		for i := len(a.List) - 1; i >= 0 && u.Edits != ""; i-- {
			p := &a.List[i]
			m, ok := p.Modules[u.Kernel]
			if !ok || p.Library != u.Library || m != u.Module {
				continue
			}
			if p.edits(u) == "" {
				changed = true
				p.Edits[u.Kernel] = append(p.Edits[u.Kernel], u.Edits)
				slices.Sort(p.Edits[u.Kernel])
			}
			break
		}
	}
	return changed
}

const approvalsEdition = 1

// Text is the file: edition, then an approval block for each.
func (a *Approvals) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The PTX modules that somebody has compared: no other stamps or builds anything.\n"+
		"# Blocks are added by -accept=\"WHO: WHY\"; taking one out takes back its approval.\nedition = %d\n", approvalsEdition)
	quote := func(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }
	for _, p := range a.List {
		fmt.Fprintf(&b, "\napproval %s {\n  library = %s\n  modules = {\n", quote(p.Who), quote(p.Library))
		names := slices.Sorted(maps.Keys(p.Modules))
		width := 0
		for _, name := range names {
			width = max(width, len(name))
		}
		for _, name := range names {
			words := append([]string{p.Modules[name].String()}, p.Edits[name]...)
			fmt.Fprintf(&b, "    %-*s = %s\n", width, name, quote(strings.Join(words, " ")))
		}
		b.WriteString("  }\n}\n")
	}
	return b.Bytes()
}

// Write puts the file in its place.
func (a *Approvals) Write(path string) error {
	if err := durable.WriteFile(path, a.Text(), 0o644); err != nil {
		return ioFailure(err)
	}
	return nil
}

type approvalsFile struct {
	Edition   int             `hcl:"edition"`
	Approvals []approvalBlock `hcl:"approval,block"`
}

type approvalBlock struct {
	Who     string            `hcl:"who,label"`
	Library string            `hcl:"library"`
	Modules map[string]string `hcl:"modules"`
	Body    hcl.Range         `hcl:",def_range"`
}

// ReadApprovals reads the file; one that is not there approves nothing.
// Messages name it without its folder. The error is a *diag.Failure.
func ReadApprovals(path string) (*Approvals, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Approvals{}, nil
	}
	if err != nil {
		return nil, diag.Failf(diag.IO, "", "the approved modules cannot be read: %w", err)
	}
	a, list := parseApprovals(data, filepath.Base(path))
	if list.HasErrors() {
		return nil, &diag.Failure{Class: diag.Matrix, Messages: list}
	}
	return a, nil
}

func parseApprovals(data []byte, name string) (*Approvals, diag.List) {
	const hint = "the file is written by -accept=\"WHO: WHY\""
	var list diag.List
	failed := func(problems hcl.Diagnostics) bool {
		for _, p := range problems {
			m := diag.Message{Summary: strings.ToLower(p.Summary[:1]) + p.Summary[1:], Detail: p.Detail, Hint: hint}
			if p.Subject != nil {
				m.Where = approvalRange(*p.Subject)
			}
			list = append(list, m)
		}
		return problems.HasErrors()
	}
	file, problems := hclsyntax.ParseConfig(data, name, hcl.InitialPos)
	if failed(problems) {
		return nil, list
	}
	var in approvalsFile
	if failed(gohcl.DecodeBody(file.Body, nil, &in)) {
		return nil, list
	}
	if in.Edition != approvalsEdition {
		list = append(list, diag.Message{Summary: fmt.Sprintf("%s has edition %d; this version of kmx reads edition %d", name, in.Edition, approvalsEdition), Hint: hint})
		return nil, list
	}
	a := &Approvals{}
	for _, b := range in.Approvals {
		p := Approval{Who: b.Who, Library: b.Library, Modules: map[string]Module{}, Edits: map[string][]string{}, Where: approvalRange(b.Body)}
		if err := CheckWho(b.Who); err != nil {
			list = append(list, diag.Message{Summary: fmt.Sprintf("approval %q: %v", b.Who, err), Where: p.Where, Hint: hint})
		}
		for _, kernel := range slices.Sorted(maps.Keys(b.Modules)) {
			words := strings.SplitN(b.Modules[kernel], " ", 3)
			m, err := parseModule(strings.Join(words[:min(2, len(words))], " "))
			if err == nil && len(words) == 3 {
				p.Edits[kernel], err = parseEdits(words[2])
			}
			if !hclsyntax.ValidIdentifier(kernel) {
				err = fmt.Errorf("%q is no name of a kernel", kernel)
			}
			if err != nil {
				list = append(list, diag.Message{Summary: fmt.Sprintf("approval %q: %s: %v", b.Who, kernel, err), Where: p.Where, Hint: hint})
			}
			p.Modules[kernel] = m
		}
		a.List = append(a.List, p)
	}
	if list.HasErrors() {
		return nil, list
	}
	return a, nil
}

// parseEdits reads the edits behind a module's hashes.
func parseEdits(text string) ([]string, error) {
	edits := strings.Split(text, " ")
	for i, e := range edits {
		if name := recipe(e); name == "" || !strings.Contains(e, ":") || i > 0 && edits[i-1] >= e {
			return nil, fmt.Errorf("%q are no edits: they are RECIPE:KIND=N,KIND=N, sorted", text)
		}
	}
	return edits, nil
}

// CheckWho holds that an approval says who gives it and why: "WHO: WHY".
func CheckWho(text string) error {
	who, why, ok := strings.Cut(text, ":")
	if !ok || strings.TrimSpace(who) == "" || strings.TrimSpace(why) == "" || strings.ContainsAny(text, "\n\r") {
		return errors.New(`it must say who and why on one line: "WHO: WHY"`)
	}
	return nil
}

func approvalRange(r hcl.Range) diag.Range {
	at := func(p hcl.Pos) diag.Pos {
		return diag.Pos{Line: max(1, p.Line), Column: max(1, p.Column), Byte: p.Byte}
	}
	return diag.Range{File: r.Filename, Start: at(r.Start), End: at(r.End)}
}
