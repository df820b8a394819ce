package matrix

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestAdjust holds what an adjust makes of the cell f/k@gfx10, and that it leaves
// f/k@gfx11 alone.
func TestAdjust(t *testing.T) {
	for _, c := range []struct{ name, family, kernel, adjust, want string }{
		{"flags append", `flags = ["-f"]`, `flags = ["-k"]`, `flags = ["-a"]`, "flags: -t -f -k -a"},
		{"flags replace, not the toolchain's", `flags = ["-f"]`, `flags = ["-k"]`, `replace = { flags = ["-a"] }`, "flags: -t -a"},
		{"nothing can replace", `flags = ["-f"]`, "", `replace = { flags = [] }`, "flags: -t"},
		{"includes", `include = ["a"]`, "", `include = ["b"]`, "include: a b"},
		{"defines merge", `defines = { A = 1 }`, `defines = { B = 2 }`, `defines = { A = 3, C = 4 }`, "defines: A=3 B=2 C=4"},
		{"defines are taken away", `defines = { A = 1, B = 2 }`, "", `defines = { A = null }`, "defines: B=2"},
		{"defines replace", `defines = { A = 1 }`, `defines = { B = 2 }`, `replace = { defines = { C = 3 } }`, "defines: C=3"},
		{"hooks merge", `hook = { a = 1, b = 2 }`, "", `hook = { b = 3 }`, "hook: a=1 b=3"},
		{"limits merge", "limit {\n vgprs = 100\n lds = 5\n}", "", `limit = { vgprs = 120 }`, "limits: vgprs=120 lds=5"},
		{"limits replace", "limit {\n vgprs = 100\n lds = 5\n}", "", `replace = { limit = { sgprs = 9 } }`, "limits: sgprs=9"},
		{"wave size, seen by others", `defines = { W = wave64 }`, "", `wave64 = true`, "defines: W=1"},
		{"source", "", "", `source = "other.hip"`, "group k, toolchain hip, source other.hip, licence \"Apache-2.0\", library \"\""},
		{"recipe and counts", "", "", "recipe = \"r\"\ncounts = { a = 1, b = \"pairs\" }", "counts: a=1 b=pairs"},
		{"reads cells and lets", "let {\n v = numerics == \"fast\" ? 7 : 8\n}", "", `defines = { V = v, T = target.name }`, "defines: V=7 T=gfx10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cells := func(adjust string) []*Cell {
				_, x := blocks(t, `family "f" {
  toolchain = toolchain.hip
  axes      = [axis.numerics]
  source    = "k.hip"
  `+c.family+`
  kernel "k" {
    `+c.kernel+`
  }
  `+adjust+`
}
`, Options{})
				return x.Cells
			}
			with := cells("adjust \"because\" {\n match = \"f/k@gfx10\"\n" + c.adjust + "\n}\n")
			without := cells("")
			for i, cell := range with {
				var got, plain strings.Builder
				dumpCell(&got, cell)
				dumpCell(&plain, without[i])
				if cell.Address() == "f/k@gfx10" {
					if !strings.Contains(got.String(), "\t"+c.want+"\n") {
						t.Errorf("got\n%s\nwant %s", got.String(), c.want)
					}
				} else if got.String() != plain.String() {
					t.Errorf("%s is changed as well:\n%s", cell.Address(), got.String())
				}
			}
		})
	}
}

// TestOriginOfAdjust holds that what an adjust puts there says so, with what
// it reads.
func TestOriginOfAdjust(t *testing.T) {
	m, x := blocks(t, `family "f" {
  toolchain = toolchain.emit
  axes      = [axis.numerics]
  source    = "k.hip"
  let {
    exact = numerics == "accuracy"
  }
  kernels "g" {
    for     = { row = [{ id = "a", n = 1 }, { id = "b", n = 2 }] }
    name    = "k_${row.id}"
    flags   = concat(row.n > 1 ? ["-two", "-n${row.n}"] : ["-one"], var.on ? [] : ["-off"])
    defines = merge({ N = row.n }, exact ? {} : { FAST = true })
    hook    = { h = row.n }
    counts  = { c = row.n }
    recipe  = row.id
    include = ["inc/${row.id}"]
  }
  limit {
    vgprs = exact ? 1 : 2
  }
  adjust "because of b" {
    match  = "f/k_b@gfx10"
    flags  = ["-b", var.on ? "-on" : "-not"]
    wave64 = !exact
    limit  = { lds = 5 }
  }
}
`, Options{})
	cells, l := x.Select("f/k_b@gfx10", "")
	if len(l) > 0 || len(cells) != 1 {
		t.Fatal(l)
	}
	c := cells[0]
	var got []string
	say := func(what string, from Origin) {
		r := from.Range
		text := strings.Join(strings.Fields(string(m.Source(r.File)[r.Start.Byte:r.End.Byte])), " ")
		got = append(got, fmt.Sprintf("%s | %s | %s | %s | %s", what, text, from.What, from.Adjust, strings.Join(from.Reads, " ")))
	}
	for _, list := range [][]Token{c.Flags, c.Include} {
		for _, f := range list {
			say(f.Text, f.From)
		}
	}
	for _, list := range [][]Define{c.Defines, c.Counts, c.Env} {
		for _, d := range list {
			say(d.Name+"="+d.Value, d.From)
		}
	}
	for _, h := range c.Hook {
		say(h.Name, h.From)
	}
	for _, b := range c.Bounds {
		say(fmt.Sprint(b.Name, b.Value), b.From)
	}
	say("wave64", c.Wave64From)
	say("recipe "+c.Recipe, c.RecipeFrom)
	say("source "+c.Source, c.SourceFrom)
	const group, adjust = "family f kernels g ", `family f adjust "because of b" `
	want := []string{
		`-two | "-two" | ` + group + `flags |  | row.n`,
		`-n2 | "-n${row.n}" | ` + group + `flags |  | row.n`,
		`-off | "-off" | ` + group + `flags |  | var.on`,
		`-b | "-b" | ` + adjust + `flags | because of b | `,
		`-not | var.on ? "-on" : "-not" | ` + adjust + `flags | because of b | var.on`,
		`inc/b | "inc/${row.id}" | ` + group + `include |  | row.id`,
		`N=2 | N = row.n | ` + group + `defines |  | row.n`,
		`FAST=1 | FAST = true | ` + group + `defines |  | exact`,
		`c=2 | c = row.n | ` + group + `counts |  | row.n`,
		`WAVE64=1 | WAVE64 = wave64 | toolchain emit env |  | wave64`,
		`RECIPE=b | RECIPE = recipe | toolchain emit env |  | recipe`,
		`h | h = row.n | ` + group + `hook |  | row.n`,
		`vgprs2 | vgprs = exact ? 1 : 2 | family f limit |  | exact`,
		`lds5 | lds = 5 | ` + adjust + `limit | because of b | `,
		`wave64 | !exact | ` + adjust + `wave64 | because of b | exact`,
		`recipe b | row.id | ` + group + `recipe |  | row.id`,
		`source k.hip | "k.hip" | family f source |  | `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
