package matrix

import "testing"

// TestComparable holds which comparisons are none of kmx's business: what they
// compare may be another value in another run, or is a switch in the file.
func TestComparable(t *testing.T) {
	m, l := load(t, `
edition = 1
project "p" {
  version = "1"
}
variable "modes" {
  type    = list(string)
  default = ["a", "b"]
}
variable "gpus" {
  type    = list(string)
  default = ["gfx1201"]
}
variable "word" {
  default = null
}
locals {
  debug = "off"
  on    = false
  list  = ["x"]
  modes = local.again
  again = var.modes
}
generation "gfx12" {
  targets = var.gpus
  waves   = [32, 64]
}
axis "mode" {
  values = local.modes
}
axis "tile" {
  values = [16, 32]
}
toolchain "hip" {
  kind  = "clang"
  flags = family == "k" && name == "k_a" || mode == "zz" ? ["-a"] : []
}
family "k" {
  toolchain = toolchain.hip
  axes      = [axis.mode, axis.tile]
  let {
    kind = "plain"
    half = tile / 2
    text = "${mode}-${tile}"
    low  = lower(mode)
  }
  defines = {
    A = mode == "c" || local.debug == "on" || local.on == true || "x" == "y"
    B = target.name == "gfx1100" || target.gen == "gfx11" ? 1 : 2
    C = kind == "other" || half == 9 || text == "q" || low == "w"
    D = var.word == null || var.word == "x" || tile == null || var.word == local.debug
    E = [for tile in ["x", "y"] : tile if tile == "y"]
    F = contains(var.modes, "q") || contains(local.list, "y") || contains(local.modes, "q") || contains([mode, "a"], "b")
    G = [for k, v in { a = 1 } : k if v == "b" || k == 2]
    H = source == "k.hip" && flags != [] && hook == {} && lookup({ c = 1 }, mode, 0) == 1
  }
  kernels "rows" {
    for    = { n = concat(["a"], length(var.modes) == 0 ? [] : ["b"]), row = [{ a = 1, b = null }, { a = "x", b = 2 }] }
    name   = "k_${n}${row.a}"
    source = n == "z" || row.a == "x" || row.a == 1 || row.b == null ? "k.hip" : "j.hip"
  }
}
`, Options{})
	x, more := m.Expand()
	for _, p := range append(l, more...) {
		if p.Summary != "E must be true, false, null, a number or a string, not a list" && p.Summary != "G must be true, false, null, a number or a string, not a list" {
			t.Errorf("%s: %s", p.Where, p.Summary)
		}
	}
	if len(x.Cells) == 0 {
		t.Error("no cells")
	}
}
