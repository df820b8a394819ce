package matrix

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kmx/internal/diag"
)

// fence is a fenced block of the manual. Its words after ``` say what it is:
//
//	hcl            a file, or the inside of a family: must be right
//	hcl NAME.hcl   a further file, for the examples after it
//	hcl wrong      the next text block is what is said about it
//	hcl around     what stands around the examples
//	cells          what cells of the last example hold
//	selectors      how many cells selectors select in it
type fence struct {
	info, text string
	line       int
}

func fences(t *testing.T, doc string) []fence {
	t.Helper()
	var out []fence
	in := false
	for i, line := range strings.Split(doc, "\n") {
		switch info, ok := strings.CutPrefix(line, "```"); {
		case ok && !in:
			in = true
			out = append(out, fence{info: info, line: i + 1})
		case ok:
			in = false
		case in:
			out[len(out)-1].text += line + "\n"
		}
	}
	if in {
		t.Fatal("a fence is not closed")
	}
	return out
}

// TestManual holds that every example of the language's manual is right, or
// wrong in the way it says.
func TestManual(t *testing.T) {
	doc := manual(t)
	all := fences(t, doc)
	around := ""
	for _, f := range all {
		if f.info == "hcl around" {
			around = f.text
		}
	}
	if around == "" {
		t.Fatal("nothing says what stands around the examples")
	}
	files := map[string]string{}
	var x *Expansion
	said, examples := "", 0
	for _, f := range all {
		if len(f.text) == 0 {
			t.Errorf("line %d: an empty block", f.line)
		}
		switch name, isFile := strings.CutPrefix(f.info, "hcl "); {
		case f.info == "hcl" || f.info == "hcl wrong":
			examples++
			m, l := manualLoad(complete(t, f, around), files)
			var more diag.List
			x, more = m.Expand()
			l = append(l, more...)
			said = printed(m, l)
			if f.info == "hcl" && len(l) > 0 {
				t.Errorf("line %d: %s", f.line, said)
			}
			if f.info == "hcl wrong" && len(l) == 0 {
				t.Errorf("line %d: nothing is wrong with it", f.line)
			}
		case isFile && name != "around":
			files[name] = f.text
		case f.info == "text" && said != "":
			if f.text != said {
				t.Errorf("line %d: it says\n%s", f.line, said)
			}
			said = ""
		case f.info == "cells":
			checkCells(t, f, x)
		case f.info == "selectors":
			for i, line := range strings.Split(strings.TrimSpace(f.text), "\n") {
				parts := regexp.MustCompile(`^(\S+)( -not=(\S+))? +(\d+) cells?$`).FindStringSubmatch(line)
				if parts == nil {
					t.Fatalf("line %d: cannot read %q", f.line+i+1, line)
				}
				cells, l := x.Select(parts[1], parts[3])
				if want, _ := strconv.Atoi(parts[4]); len(l) > 0 || len(cells) != want {
					t.Errorf("line %d: %s selects %d cells %v", f.line+i+1, line, len(cells), l)
				}
			}
		}
	}
	if examples < 20 {
		t.Errorf("only %d examples", examples)
	}
}

func manual(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

func manualLoad(text string, files map[string]string) (*Matrix, diag.List) {
	return Load("matrix.hcl", Options{ReadFile: func(name string) ([]byte, error) {
		if name == "matrix.hcl" {
			return []byte(text), nil
		}
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file in the manual")
	}})
}

// complete adds what an example leaves out.
func complete(t *testing.T, f fence, around string) string {
	t.Helper()
	text := f.text
	body, ok := parseBody(text)
	if !ok {
		return text + "\n" + around // a syntax error is what it is about
	}
	inFamily := false
	for _, b := range body.Blocks {
		inFamily = inFamily || schema.block(b.Type) == nil
	}
	for name := range body.Attributes {
		inFamily = inFamily || schema.attr(name) == nil
	}
	if inFamily && f.info == "hcl" {
		for _, a := range []struct{ name, text string }{
			{"toolchain", "toolchain = toolchain.hip"},
			{"axes", "axes = [axis.numerics, axis.fp8]"},
			{"source", `source = "example.hip"`},
		} {
			if body.Attributes[a.name] == nil && body.Attributes["extends"] == nil {
				text += a.text + "\n"
			}
		}
		if !slices.ContainsFunc(body.Blocks, func(b *hclsyntax.Block) bool { return b.Type == "kernel" || b.Type == "kernels" }) {
			text += "kernel \"example\" {\n}\n"
		}
		text = "family \"example\" {\n" + text + "}\n"
		body, ok = parseBody(text)
	}
	parts, good := parseBody(around)
	if !ok || !good {
		t.Fatalf("line %d: cannot be completed", f.line)
	}
	for name, a := range parts.Attributes {
		if body.Attributes[name] == nil {
			text += around[a.SrcRange.Start.Byte:a.SrcRange.End.Byte] + "\n"
		}
	}
	for _, p := range parts.Blocks {
		have := func(b *hclsyntax.Block) bool {
			return b.Type == p.Type && (p.Type == "project" || p.Type == "generation" || p.Type == "family" || slices.Equal(b.Labels, p.Labels))
		}
		if !slices.ContainsFunc(body.Blocks, have) {
			text += around[p.TypeRange.Start.Byte:p.CloseBraceRange.End.Byte] + "\n"
		}
	}
	return text
}

func parseBody(text string) (*hclsyntax.Body, bool) {
	file, diags := hclsyntax.ParseConfig([]byte(text), "example", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, false
	}
	body, ok := file.Body.(*hclsyntax.Body)
	return body, ok
}

// checkCells compares lines of an address and what the cell holds.
func checkCells(t *testing.T, f fence, x *Expansion) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(f.text), "\n") {
		address, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		want = strings.Join(strings.Fields(want), " ")
		c := x.byAddress(address)
		got := "does not exist"
		if c != nil {
			got = holds(c)
		}
		if got != want {
			t.Errorf("line %d: %s %s", f.line+i+1, address, got)
		}
	}
}

// holds is what a cell holds beyond its name, as the manual writes it.
func holds(c *Cell) string {
	var out []string
	for _, t := range c.Include {
		out = append(out, "-I"+t.Text)
	}
	for _, t := range c.Flags {
		out = append(out, t.Text)
	}
	for _, a := range aspects {
		for _, i := range a.of(c) {
			switch {
			case a.what == "define":
				out = append(out, "-D"+i.name+"="+i.text)
			case (a.what == "wave64" || a.what == "redirect") && i.text == "true":
				out = append(out, a.what)
			case slices.Contains([]string{"hook", "limit", "env", "recipe", "reference", "counts", "bitcode"}, a.what):
				out = append(out, strings.TrimSuffix(a.what+":"+i.name, ":")+"="+i.text)
			case a.what == "licence" && i.text != "Apache-2.0", a.what == "toolchain" && i.text != "hip", a.what == "source" && i.text != "example.hip":
				out = append(out, a.what+"="+i.text)
			}
		}
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, " ")
}

// TestManualNamesEverything holds that no block, attribute or function is
// missing: a block has a heading, an attribute a row in a table, a function a
// row with an example, which is evaluated.
func TestManualNamesEverything(t *testing.T) {
	doc := manual(t)
	sections := map[string]string{}
	for _, s := range strings.Split(doc, "\n### ")[1:] {
		name, text, _ := strings.Cut(s, "\n")
		text, _, _ = strings.Cut(text, "\n## ")
		for word := range strings.FieldsSeq(strings.NewReplacer("`", " ", ",", " ").Replace(name)) {
			sections[strings.ToLower(word)] = text
		}
	}
	common := sections["built"]
	var visit func(b *blockSpec)
	visit = func(b *blockSpec) {
		for _, s := range b.blocks {
			text, ok := sections[s.name]
			if !ok {
				t.Errorf("no section about %s", s.name)
			}
			for _, a := range s.attrs {
				row := fmt.Sprintf("\n| `%s` |", a.name)
				if strings.Contains(text, row) || strings.Contains(common, row) && s.name != "release" {
					continue
				}
				t.Errorf("no row about %s in %s", a.name, s.name)
			}
			visit(s)
		}
	}
	visit(schema)
	shown := map[string]bool{}
	row := regexp.MustCompile("(?m)^\\| `([a-z0-9]+)\\((.*)\\)` \\| `(.*)` \\|")
	for _, r := range row.FindAllStringSubmatch(sections["functions"], -1) {
		text := r[1] + "(" + strings.ReplaceAll(r[2], `\|`, "|") + ")"
		e, diags := hclsyntax.ParseExpression([]byte(text), "example", hcl.InitialPos)
		if diags.HasErrors() {
			t.Errorf("%s: %v", text, diags)
			continue
		}
		v, diags := e.Value(rootContext)
		if got := show(v); diags.HasErrors() || got != strings.ReplaceAll(r[3], `\|`, "|") {
			t.Errorf("%s is %s %v", text, got, diags)
		}
		shown[r[1]] = true
	}
	for _, name := range functionNames {
		if !shown[name] {
			t.Errorf("no example of %s()", name)
		}
	}
}

// TestFirstFamily types the tutorial: what it says after each step must be
// true.
func TestFirstFamily(t *testing.T) {
	doc, err := os.ReadFile("../docs/first-family.md")
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	var steps []string
	var said []string
	for _, f := range fences(t, string(doc)) {
		switch {
		case f.info == "text":
			said = append(said, f.text)
		case f.info != "hcl":
		case strings.HasPrefix(f.text, "  "): // inside the family
			text = strings.TrimSuffix(text, "}\n") + f.text + "}\n"
			steps = append(steps, text)
		default:
			text = strings.TrimPrefix(text+"\n"+f.text, "\n")
			steps = append(steps, text)
		}
	}
	if len(steps) != 5 || len(said) != 2 {
		t.Fatalf("%d steps, %d answers", len(steps), len(said))
	}
	addresses, flags := "", map[string]int{}
	for i, want := range []struct{ cells, sets int }{{0, 0}, {12, 0}, {12, 0}, {10, 0}, {10, 6}} {
		m, l := manualLoad(steps[i], nil)
		x, more := m.Expand()
		if l = append(l, more...); len(l) > 0 {
			t.Fatalf("step %d:\n%s", i+1, printed(m, l))
		}
		if len(x.Cells) != want.cells || len(x.Sets) != want.sets {
			t.Errorf("step %d: %d cells, %d sets", i+1, len(x.Cells), len(x.Sets))
		}
		if out, _ := Format("matrix.hcl", []byte(steps[i])); string(out) != steps[i] {
			t.Errorf("step %d is not in canonical form:\n%s", i+1, out)
		}
		for _, c := range x.Cells {
			if i == 1 {
				addresses += c.Address() + "\n"
			}
			if i == 2 && slices.ContainsFunc(c.Flags, func(f Token) bool { return f.Text == "-mcumode" }) {
				flags[c.Address()]++
			}
		}
	}
	if addresses != said[0] {
		t.Errorf("step 2 lists\n%s", addresses)
	}
	if len(flags) != 1 || flags["first/scale@gfx1101"] != 1 {
		t.Errorf("-mcumode is on %v", flags)
	}
	wrong := strings.NewReplacer(`"first/scale@gfx1101"`, `"first/scale@gfx1102"`, "numerics ==", "numeric ==", "expect  = 2", "expect  = 3").Replace(steps[3])
	m, l := manualLoad(wrong, nil)
	if got := printed(m, l); got != said[1] {
		t.Errorf("the mistakes give\n%s", got)
	}
}

// TestFromBuildSh holds that the page for people who know build.sh names every
// variable that the matrix reads.
func TestFromBuildSh(t *testing.T) {
	doc, err := os.ReadFile("../docs/from-build-sh.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "\n## Variables that still mean something\n")
	text, _, _ = strings.Cut(text, "\n## ")
	m, _ := good(t, "../matrix.hcl", Options{})
	for _, v := range m.Variables {
		if strings.HasPrefix(v.EnvName, "D4R_") && !strings.Contains(text, "| `"+v.EnvName+"` |") {
			t.Errorf("%s is not in the table of what is accepted", v.EnvName)
		}
	}
}
