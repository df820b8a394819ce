package toolchains

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// LockName is the lock's file name in the root of a project.
const LockName = "matrix.lock.hcl"

// lockEdition is the only one there is.
const lockEdition = 1

// Pin is what a lock says of one toolchain. Core covers driver, linker, LLVM's
// own libraries and resource headers; Closure the host's libraries as well.
type Pin struct {
	Name, Kind, Version string
	Core, Closure       cache.Digest
	Where               diag.Range // of the block's header
}

// Lock is matrix.lock.hcl as read. A nil Lock pins nothing.
type Lock struct{ Pins []Pin }

// Difference is one way in which a toolchain is not the pinned one.
type Difference struct {
	Toolchain string
	What      string // "compiler differs", "host libraries differ", "not locked", "kind differs"
	Detail    string // what is pinned and what is here
	// Compiler: objects may differ in any instruction. Otherwise only host
	// libraries differ, of which libm takes part (it folds constants).
	Compiler bool
	Where    diag.Range
}

func (d Difference) String() string {
	return "toolchain " + d.Toolchain + ": " + d.What + ": " + d.Detail
}

// Message is the difference for people; the severity is the caller's rule.
func (d Difference) Message(s diag.Severity) diag.Message {
	return diag.Message{
		Severity: s, Summary: "toolchain " + d.Toolchain + ": " + d.What, Detail: d.Detail, Where: d.Where,
		Hint: "install what is pinned, or accept this one with: mage toolchains:lock",
	}
}

// Compare lists how a toolchain differs from its pin, at most one difference of
// each sort; nothing without a lock.
func (l *Lock) Compare(t *Toolchain) []Difference {
	if l == nil {
		return nil
	}
	i := slices.IndexFunc(l.Pins, func(p Pin) bool { return p.Name == t.Name })
	if i < 0 {
		return []Difference{{Toolchain: t.Name, What: "not locked", Detail: LockName + " does not pin it", Compiler: true}}
	}
	p := l.Pins[i]
	d := Difference{Toolchain: t.Name, Where: p.Where, Compiler: true}
	switch {
	case p.Kind != t.Kind:
		d.What, d.Detail = "kind differs", fmt.Sprintf("pinned %s, here %s", p.Kind, t.Kind)
	case p.Core != t.Core:
		d.What = "compiler differs"
		d.Detail = fmt.Sprintf("pinned %s %s (core %s), here %s (core %s) at %s", p.Kind, p.Version, short(p.Core), t.Version, short(t.Core), t.Root)
		if p.Version == t.Version {
			d.Detail += "; the version is the same, the build is not"
		}
	case p.Closure != t.Digest:
		d.Compiler = false
		d.What = "host libraries differ"
		d.Detail = fmt.Sprintf("the compiler is the pinned %s; the libraries of this machine that it loads are others (closure pinned %s, here %s): %s",
			p.Version, short(p.Closure), short(t.Digest), strings.Join(hostLibraries(t), " "))
	default:
		return nil
	}
	return []Difference{d}
}

// hostLibraries names those of a closure, libm and libc first: they matter.
func hostLibraries(t *Toolchain) []string {
	var first, rest []string
	for _, f := range t.Files {
		name := strings.TrimPrefix(f.Name, "lib/")
		switch {
		case !f.Host():
		case strings.HasPrefix(name, "libm.") || strings.HasPrefix(name, "libc."):
			first = append([]string{name}, first...)
		default:
			rest = append(rest, name)
		}
	}
	return append(first, rest...)
}

func short(d cache.Digest) string { return d.String()[:12] }

// lockFile is the shape of the file for the decoder.
type lockFile struct {
	Edition    int       `hcl:"edition"`
	Toolchains []lockPin `hcl:"toolchain,block"`
}

type lockPin struct {
	Name    string    `hcl:"name,label"`
	Kind    string    `hcl:"kind"`
	Version string    `hcl:"version"`
	Core    string    `hcl:"core"`
	Closure string    `hcl:"closure"`
	Body    hcl.Range `hcl:",def_range"`
}

// ReadLock reads a lock. A file that is not there is no lock: nil without
// messages. path is used for reading; messages name the file without its folder.
func ReadLock(path string) (*Lock, diag.List) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, diag.List{{Summary: "the toolchain lock cannot be read", Detail: err.Error()}}
	}
	return parseLock(data, filepath.Base(path))
}

func parseLock(data []byte, name string) (*Lock, diag.List) {
	file, problems := hclsyntax.ParseConfig(data, name, hcl.InitialPos)
	if problems.HasErrors() {
		return nil, lockMessages(problems)
	}
	var in lockFile
	if problems = gohcl.DecodeBody(file.Body, nil, &in); problems.HasErrors() {
		return nil, lockMessages(problems)
	}
	var list diag.List
	bad := func(where hcl.Range, format string, args ...any) {
		list = append(list, diag.Message{Summary: fmt.Sprintf(format, args...), Where: hcldiag.Range(where),
			Hint: "the file is written by mage toolchains:lock"})
	}
	if in.Edition != lockEdition {
		bad(hcl.Range{Filename: name}, "%s has edition %d; this version of kmx reads edition %d", name, in.Edition, lockEdition)
	}
	lock := &Lock{}
	for _, b := range in.Toolchains {
		p := Pin{Name: b.Name, Kind: b.Kind, Version: b.Version, Where: hcldiag.Range(b.Body)}
		for _, part := range []struct {
			name, text string
			to         *cache.Digest
		}{{"core", b.Core, &p.Core}, {"closure", b.Closure, &p.Closure}} {
			text, ok := strings.CutPrefix(part.text, "blake3:")
			d, err := cache.ParseDigest(text)
			if !ok || err != nil {
				bad(b.Body, "toolchain %q: %s must be blake3: and 64 hexadecimal digits, not %q", b.Name, part.name, part.text)
				continue
			}
			*part.to = d
		}
		if slices.ContainsFunc(lock.Pins, func(q Pin) bool { return q.Name == p.Name }) {
			bad(b.Body, "toolchain %q is pinned twice", b.Name)
		}
		lock.Pins = append(lock.Pins, p)
	}
	if list.HasErrors() {
		return nil, list
	}
	return lock, nil
}

// WriteLock pins toolchains, sorted by name, replacing what the file pinned.
func WriteLock(path string, ts []*Toolchain) error {
	ts = slices.Clone(ts)
	slices.SortFunc(ts, func(a, b *Toolchain) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Which compiler builds a release. Written by: go tool mage toolchains:lock\n"+
		"# core: driver, linker, LLVM's libraries, resource headers. closure: core and the host libraries it loads.\nedition = %d\n", lockEdition)
	for _, t := range ts {
		fmt.Fprintf(&b, "\ntoolchain %s {\n  kind    = %s\n  version = %s\n  core    = \"blake3:%s\"\n  closure = \"blake3:%s\"\n}\n",
			quote(t.Name), quote(t.Kind), quote(t.Version), t.Core, t.Digest)
	}
	return durable.WriteFile(path, b.Bytes(), 0o644)
}

// quote writes an HCL string.
func quote(s string) string {
	return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes())
}

func lockMessages(problems hcl.Diagnostics) diag.List {
	var list diag.List
	for _, p := range problems {
		m := diag.Message{Summary: strings.ToLower(p.Summary[:1]) + p.Summary[1:], Detail: p.Detail,
			Hint: "the file is written by mage toolchains:lock"}
		if p.Subject != nil {
			m.Where = hcldiag.Range(*p.Subject)
		}
		list = append(list, m)
	}
	return list
}
