package verify

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kmx/internal/diag"
	"kmx/release"
)

// WriteJSON writes the difference as JSON (kmx.diff/1).
func (d *Diff) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// Summary is the difference in a line.
func (d *Diff) Summary() string {
	s := fmt.Sprintf("%s in both: %d identical, %d metadata only, %d constants changed, %d ISA changed",
		count(d.Compared, "object"), d.Identical, d.MetadataOnly, d.Constants, d.Code)
	if len(d.Added)+len(d.Removed) > 0 {
		s += fmt.Sprintf("; %d added, %d removed", len(d.Added), len(d.Removed))
	}
	return s
}

// WriteText writes the difference for a terminal: a line for each object that is
// not identical, worst first, with a line for each kernel whose resources differ.
func (d *Diff) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s -> %s\n", d.A, d.B)
	for _, n := range d.Notes {
		fmt.Fprintf(&b, "%s\n", n)
	}
	for _, o := range d.Objects {
		fmt.Fprintf(&b, "%s: %s%s; %s\n", o.Object, o.Likeness, o.place(), delta("size", int(o.Size[0]), int(o.Size[1])))
		for _, k := range o.Kernels {
			fmt.Fprintf(&b, "  %s: %s\n", k.Name, strings.Join(k.deltas(), ", "))
		}
	}
	for _, name := range d.Added {
		fmt.Fprintf(&b, "%s: added\n", name)
	}
	for _, name := range d.Removed {
		fmt.Fprintf(&b, "%s: removed\n", name)
	}
	fmt.Fprintf(&b, "%s\n", d.Summary())
	_, err := io.WriteString(w, diag.Plain(b.String()))
	return err
}

// place says where the objects differ first, "" where nothing is to be said.
func (o *ObjectChange) place() string {
	name := o.Symbol
	if name == "" {
		name = o.Section
	}
	switch {
	case name == "":
		return ""
	case o.Missing:
		return ", only one has " + name
	}
	return fmt.Sprintf(", first in %s at 0x%x", name, o.Offset)
}

// deltas are the facts of a kernel that changed.
func (k *KernelChange) deltas() []string {
	switch {
	case k.Before == nil:
		return []string{"added"}
	case k.After == nil:
		return []string{"removed"}
	}
	var l []string
	for _, c := range columns {
		if was, is := c.of(k.Before), c.of(k.After); was != is {
			l = append(l, delta(c.name, was, is))
		}
	}
	return l
}

func delta(what string, was, is int) string {
	if was == is {
		return fmt.Sprintf("%s %d", what, is)
	}
	return fmt.Sprintf("%s %d -> %d (%+d)", what, was, is, is-was)
}

// column is a fact of a kernel that a difference shows.
type column struct {
	name string
	of   func(*release.Kernel) int
}

var columns = []column{
	{"waves", func(k *release.Kernel) int { return k.Waves }},
	{"scratch", func(k *release.Kernel) int { return k.Scratch }},
	{"spills", func(k *release.Kernel) int { return k.VGPRSpills + k.SGPRSpills }},
	{"VGPRs", func(k *release.Kernel) int { return k.VGPRs }},
	{"SGPRs", func(k *release.Kernel) int { return k.SGPRs }},
	{"LDS", func(k *release.Kernel) int { return k.LDS }},
	{"code", func(k *release.Kernel) int { return k.CodeBytes }},
	{"wave size", func(k *release.Kernel) int { return k.WaveSize }},
	{"max workgroup", func(k *release.Kernel) int { return k.MaxWorkgroup }},
}

// markdownRows is how many objects the Markdown form lists; the rest is counted.
const markdownRows = 200

// WriteMarkdown writes the difference as the summary of a CI run: a sentence, a
// table of the objects that changed, worst first, and lists of those that came and
// went.
func (d *Diff) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s → %s\n\n%s.\n", escaped(d.A), escaped(d.B), d.Summary())
	for i, n := range d.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "- %s\n", escaped(n))
	}
	if len(d.Objects) > 0 {
		b.WriteString("\n| object | | kernel | waves | scratch | spills | VGPRs | SGPRs | LDS | code | file |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	}
	for i, o := range d.Objects {
		if i == markdownRows {
			fmt.Fprintf(&b, "\n%s more.\n", count(len(d.Objects)-i, "object"))
			break
		}
		rows := o.Kernels
		if len(rows) == 0 {
			rows = []KernelChange{{}}
		}
		for j, k := range rows {
			name, likeness, size := "", "", ""
			if j == 0 {
				name, likeness, size = "`"+o.Object+"`", o.Likeness, cell(int(o.Size[0]), int(o.Size[1]))
			}
			kernel := ""
			if k.Name != "" {
				kernel = "`" + k.Name + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |", name, likeness, kernel)
			for _, c := range columns[:7] {
				text := ""
				if k.Before != nil && k.After != nil {
					text = cell(c.of(k.Before), c.of(k.After))
				}
				fmt.Fprintf(&b, " %s |", text)
			}
			fmt.Fprintf(&b, " %s |\n", size)
		}
	}
	for _, part := range []struct {
		what  string
		names []string
	}{{"Added", d.Added}, {"Removed", d.Removed}} {
		if len(part.names) == 0 {
			continue
		}
		names := part.names
		more := ""
		if len(names) > markdownRows {
			names, more = names[:markdownRows], fmt.Sprintf(" and %d more", len(names)-markdownRows)
		}
		fmt.Fprintf(&b, "\n%s: `%s`%s\n", part.what, strings.Join(names, "`, `"), more)
	}
	_, err := io.WriteString(w, diag.Plain(b.String()))
	return err
}

// cell is a value of a table, with how it changed.
func cell(was, is int) string {
	if was == is {
		return fmt.Sprint(is)
	}
	return fmt.Sprintf("%d (%+d)", is, is-was)
}

// escaped keeps a table and a page whole, whatever is in a name.
func escaped(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'", "\n", " ").Replace(s)
}
