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
	"kmx/internal/hcldiag"
)

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
				m.Where = hcldiag.Range(*p.Subject)
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
		p := Approval{Who: b.Who, Library: b.Library, Modules: map[string]Module{}, Edits: map[string][]string{}, Where: hcldiag.Range(b.Body)}
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
