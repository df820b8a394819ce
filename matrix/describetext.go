package matrix

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// textWidth is where lists of names are broken, in characters.
const textWidth = 100

// WriteText writes the description as tables for people.
func (d *Description) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	about := []string{}
	for _, s := range []string{d.Project.Licence, d.Project.Date} {
		if s != "" {
			about = append(about, s)
		}
	}
	fmt.Fprintf(b, "%s %s", d.Project.Name, d.Project.Version)
	if len(about) > 0 {
		fmt.Fprintf(b, " (%s)", strings.Join(about, ", "))
	}
	fmt.Fprintf(b, ": %s, %s\n", plural(d.Cells, "cell"), plural(len(d.Sets), "set"))
	if d.Developer > 0 {
		fmt.Fprintf(b, "%s of these are for developers and in no set\n", plural(d.Developer, "cell"))
	}
	d.writeFamilies(b)
	var rows [][]string
	for _, g := range d.Generations {
		var names, waves []string
		for _, t := range g.Targets {
			names = append(names, fmt.Sprintf("%s (%d)", t.Name, t.Cells))
		}
		for _, w := range g.Waves {
			waves = append(waves, fmt.Sprint(w))
		}
		fp8 := ""
		if g.FP8 {
			fp8 = "FP8"
		}
		rows = append(rows, []string{g.Name, strings.Join(names, " "), "waves " + strings.Join(waves, " "), fp8})
	}
	table(b, "targets by generation (cells)", rows)
	rows = nil
	for _, ax := range d.Axes {
		var values []string
		for _, v := range ax.Values {
			if v == "" {
				v = `""`
			}
			values = append(values, v)
		}
		def := ax.Default
		if def == "" {
			def = `""`
		}
		note := ""
		if !ax.Release {
			note = "no release"
		}
		rows = append(rows, []string{ax.Name, strings.Join(values, " "), "default " + def, "in " + orNone(ax.Families), note})
	}
	table(b, "axes", rows)
	d.writeVariables(b)
	rows = nil
	for _, t := range d.Toolchains {
		rows = append(rows, []string{t.Name, t.Kind, plural(t.Cells, "cell")})
	}
	table(b, "toolchains", rows)
	rows = nil
	for _, l := range d.Libraries {
		rows = append(rows, []string{l.Name, l.Match, "for " + orNone(l.Families), orNone(l.Paths)})
	}
	table(b, "libraries", rows)
	rows = nil
	for _, s := range d.Sets {
		left := ""
		if s.LeftOut > 0 {
			left = fmt.Sprintf("%d left out", s.LeftOut)
		}
		rows = append(rows, []string{s.Release, s.Path, plural(s.Kernels, "kernel"), left, strings.Join(s.Markers, " ")})
	}
	table(b, "sets", rows)
	rows = nil
	for _, a := range d.Archives {
		note := ""
		if !a.Redistributable {
			note = "not redistributable"
		}
		rows = append(rows, []string{a.Release, a.Name, strings.Join(a.Formats, " "), "of " + orNone(a.Families), note})
	}
	table(b, "archives", rows)
	rows = nil
	for _, l := range d.LeftOut {
		until := ""
		if l.Until != "" {
			until = "until " + l.Until
		}
		rows = append(rows, []string{l.Rule, plural(l.Cells, "cell"), until, l.Reason, l.Issue})
	}
	table(b, "left out", rows)
	return b.Flush()
}

func (d *Description) writeFamilies(w io.Writer) {
	fmt.Fprintf(w, "\nfamilies\n")
	if len(d.Families) == 0 {
		fmt.Fprintln(w, "  none")
	}
	for _, f := range d.Families {
		parts := []string{f.Name}
		if f.Title != "" {
			parts = append(parts, oneLine(f.Title))
		}
		if len(f.Axes) > 0 {
			parts = append(parts, "axes "+strings.Join(f.Axes, " "))
		}
		if f.Extends != "" {
			parts = append(parts, "extends "+f.Extends)
		}
		if f.Toolchain != "" {
			parts = append(parts, "toolchain "+f.Toolchain)
		}
		if f.Licence != "" && f.Licence != d.Project.Licence {
			parts = append(parts, f.Licence)
		}
		count := plural(f.Cells, "cell")
		if !f.Exists {
			count = "not in this run"
			if f.Absent != "" {
				count += ": " + oneLine(f.Absent)
			}
		}
		fmt.Fprintf(w, "  %s\n", strings.Join(append(parts, count), " | "))
		for _, g := range f.Groups {
			if len(g.Kernels) == 1 && g.Kernels[0] == g.Name {
				fmt.Fprintf(w, "    %s: %s\n", g.Name, plural(g.Cells, "cell"))
				continue
			}
			fmt.Fprintf(w, "    %s: %s, %s\n", g.Name, plural(len(g.Kernels), "kernel"), plural(g.Cells, "cell"))
			wrap(w, "      ", g.Kernels)
		}
	}
}

func (d *Description) writeVariables(w io.Writer) {
	var rows [][]string
	for _, v := range d.Variables {
		var notes []string
		if v.Env != "" && v.Origin != "env "+v.Env {
			notes = append(notes, "env "+v.Env)
		}
		if v.Differs && v.Default != "" {
			notes = append(notes, "default "+v.Default)
		}
		if v.Machine {
			notes = append(notes, "machine")
		}
		if v.Developer {
			notes = append(notes, "developer")
		}
		if v.Description != "" {
			notes = append(notes, v.Description)
		}
		rows = append(rows, []string{v.Name, v.Type, v.Value, "from " + v.Origin, strings.Join(notes, "; ")})
	}
	table(w, "variables", rows)
}

// table writes rows in columns below a heading; nothing for no rows.
func table(w io.Writer, heading string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		clean := make([]string, len(r))
		for i := range r {
			clean[i] = oneLine(r[i])
		}
		fmt.Fprintf(t, "  %s\n", strings.Join(clean, "\t"))
	}
	t.Flush()
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}

// oneLine keeps what people wrote from breaking a table or a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// wrap writes names on lines of at most textWidth characters.
func wrap(w io.Writer, indent string, names []string) {
	line := indent
	for i, n := range names {
		if i > 0 {
			if len(line)+1+len(n) > textWidth {
				fmt.Fprintln(w, line)
				line = indent
			} else {
				line += " "
			}
		}
		line += n
	}
	if len(names) > 0 {
		fmt.Fprintln(w, line)
	}
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " ")
}
