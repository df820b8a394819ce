package flow

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/report"
)

const guardFormat = "kmx.guard/1"

// guarded is what `guard -json` prints. Fields are added as time goes by; one
// that changes its meaning makes a new format.
type guarded struct {
	Format       string          `json:"format"`
	Since        string          `json:"since"`  // as it was given
	Commit       string          `json:"commit"` // what that is
	Compared     int             `json:"compared"`
	Identical    int             `json:"identical"`
	MetadataOnly int             `json:"metadata_only"`
	Differ       int             `json:"differ"`    // in code or constants
	Objects      []guardedObject `json:"objects"`   // those that are not identical
	OnlyNow      []string        `json:"only_now"`  // addresses that only the working tree has
	OnlyThen     []string        `json:"only_then"` // addresses that only the revision has
}

// guardedObject is one object that is not what it was.
type guardedObject struct {
	Address  string `json:"address"`
	Likeness string `json:"likeness"` // "metadata only", "constants changed", "ISA changed"
	Same     bool   `json:"same"`     // in code and constants
	// Where they differ first: a symbol or, where none covers it, a section,
	// and the offset in it; or the one that only one of the two has.
	Symbol  string `json:"symbol,omitempty"`
	Section string `json:"section,omitempty"`
	Offset  uint64 `json:"offset"`
	Missing bool   `json:"missing,omitempty"`

	Before guardedFacts `json:"before"`
	After  guardedFacts `json:"after"`
	// Instructions is a short unified diff, for the first few objects.
	Instructions []string `json:"instructions,omitempty"`
}

// guardedFacts are what an object takes.
type guardedFacts struct {
	CodeBytes int `json:"code_bytes"`
	report.Facts
}

func newGuardedObject(address string, d codeobj.Difference, old, obj *codeobj.Object) guardedObject {
	return guardedObject{
		Address: address, Likeness: d.Likeness.String(), Same: d.Likeness <= codeobj.MetadataOnly,
		Symbol: d.Symbol, Section: d.Section, Offset: d.Offset, Missing: d.Missing,
		Before: guardedFacts{codeBytes(old), factsOf(old)}, After: guardedFacts{codeBytes(obj), factsOf(obj)},
	}
}

func codeBytes(o *codeobj.Object) int {
	n := 0
	for _, k := range o.Kernels {
		n += k.CodeBytes
	}
	return n
}

func (g *guarded) writeJSON(w io.Writer) error {
	out := *g
	for _, list := range []*[]string{&out.OnlyNow, &out.OnlyThen} {
		if *list == nil {
			*list = []string{}
		}
	}
	if out.Objects == nil {
		out.Objects = []guardedObject{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func (g *guarded) writeText(w io.Writer) error {
	var b strings.Builder
	for _, o := range g.Objects {
		fmt.Fprintf(&b, "%s: %s%s\n", o.Address, o.Likeness, o.deltas())
		for _, line := range o.Instructions {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	for _, address := range g.OnlyNow {
		fmt.Fprintf(&b, "%s: only in the working tree\n", address)
	}
	for _, address := range g.OnlyThen {
		fmt.Fprintf(&b, "%s: only at %s\n", address, g.Since)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// deltas says where the objects differ first, and what that did to size and
// resources.
func (o guardedObject) deltas() string {
	if o.Same {
		return ""
	}
	place := o.Symbol
	if place == "" {
		place = o.Section
	}
	switch {
	case place == "":
	case o.Missing:
		place = ", only one has " + place
	default:
		place = fmt.Sprintf(", first in %s at 0x%x", place, o.Offset)
	}
	code := fmt.Sprintf("; code %d", o.After.CodeBytes)
	if was := o.Before.CodeBytes; was != o.After.CodeBytes {
		code += fmt.Sprintf(" (%+d)", o.After.CodeBytes-was)
	}
	return place + code + " " + report.Delta(o.After.Facts, o.Before.Facts)
}
