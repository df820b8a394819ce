package matrix

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// large is the example with one more family whose group has as many kernels
// as it takes for about n cells.
func large(t testing.TB, n int) string {
	data, err := os.ReadFile("testdata/features.hcl")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	text = text[:strings.Index(text, "\nrelease ")+1]
	var b strings.Builder
	b.WriteString(text)
	b.WriteString(`family "large" {
  toolchain = toolchain.hip
  axes      = [axis.numerics, axis.fp8]
  let {
    exact = numerics == "accuracy"
  }
  defines = { ACCURACY = exact, FP8 = fp8 }
  kernels "all" {
    for = { row = [
`)
	for i := range n / 16 {
		fmt.Fprintf(&b, "      { id = \"k%d\", waves = %d, prep = %d, cu = %v },\n", i, 1<<(i%5), i, i%3 == 0)
	}
	b.WriteString(`    ] }
    name    = "large_${row.id}"
    source  = "large/${row.id}.hip"
    flags   = row.cu ? ["-mcumode"] : []
    defines = { WAVES = row.waves, FAST = row.cu && !exact }
    hook    = { prep = row.prep, block_z = fp8 && target.gen == "gfx12" ? 4 : row.waves }
    limit   = { vgprs = row.cu ? 128 : 192 }
  }
}
release "large" {
  sets {
    for  = { numerics = axis.numerics, target = "*", fp8 = axis.fp8 }
    path = "${numerics}/${target.name}${fp8 ? "-fp8" : ""}"
  }
}
`)
	return b.String()
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		text := large(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				load(b, text, Options{})
			}
		})
	}
}

func BenchmarkExpand(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		m, l := load(b, large(b, n), Options{})
		if len(l) > 0 {
			b.Fatal(printed(m, l))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			cells := 0
			for range b.N {
				x, l := m.Expand()
				if len(l) > 0 {
					b.Fatal(printed(m, l))
				}
				cells = len(x.Cells)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*cells), "ns/cell")
		})
	}
}

// everything is a matrix of about n cells that uses every part of the language.
func everything(n int) string {
	var b strings.Builder
	b.WriteString(strings.Replace(smallHead, `["gfx10", "gfx11"]`, `["gfx10", "gfx11", "gfx12", "gfx13"]`, 1))
	b.WriteString(`family "base" {
  toolchain = numerics == "fast" ? toolchain.hip : toolchain.emit
  axes      = [axis.numerics, axis.fp8]
  let {
    exact = numerics == "accuracy"
  }
  defines = { ACCURACY = exact, FP8 = fp8 }
  limit {
    spills = 0
    when   = exact
  }
  bitcode "help" {
    toolchain = toolchain.hip
    source    = "help.hip"
    defines   = { FP8 = fp8 }
  }
  kernel "base" {
    source = "base.hip"
  }
}
family "large" {
  extends = family.base
  kernels "all" {
    for = { row = [
`)
	for i := range n / 16 {
		fmt.Fprintf(&b, "      { id = \"k%d\", n = %d, cu = %v },\n", i, i%7, i%3 == 0)
	}
	b.WriteString(`    ] }
    name     = "large_${row.id}"
    source   = "large/${row.id}.hip"
    flags    = row.cu ? ["-mcumode"] : []
    hook     = { n = row.n, wave = wave64 ? 64 : 32 }
    override = [{ when = row.cu && exact, source = "exact.hip" }]
    when     = row.n != 6 || target.name != "gfx13"
    twin     = { none = "some are excluded" }
  }
  adjust "some" {
    match   = "large/large_k1*@gfx10"
    flags   = ["-a"]
    defines = { A = true }
  }
  adjust "others" {
    match  = "large/large_k2*@gfx11+*,large/large_k3*@gfx12"
    wave64 = !exact
  }
}
exclude "some" {
  match  = "large/large_k?1*@gfx13+*"
  reason = "they hang"
}
exclude "others" {
  match  = "large/large_k5*@gfx10+fp8"
  reason = "they loop"
  until  = "2027-01-01"
}
`)
	return b.String()
}

// TestLinear holds that work and memory grow as the cells do: ten times the
// cells, ten times the values computed and the memory asked for. It counts and
// looks at no clock.
func TestLinear(t *testing.T) {
	type cost struct{ cells, left, load, expand, loadBytes, expandBytes, choose, evals float64 }
	measure := func(n int) (c cost) {
		text := everything(n)
		var stats [4]runtime.MemStats
		runtime.ReadMemStats(&stats[0])
		m, l := load(t, text, Options{})
		runtime.ReadMemStats(&stats[1])
		x, more := m.Expand()
		runtime.ReadMemStats(&stats[2])
		if l = append(l, more...); len(l) > 0 {
			t.Fatal(printed(m, l))
		}
		cells, l := x.Select("large+*,base@gfx10", "large@gfx*,large/large_k7*")
		if len(cells) == 0 {
			t.Fatal(l)
		}
		runtime.ReadMemStats(&stats[3])
		between := func(i int) (mallocs, bytes float64) {
			return float64(stats[i+1].Mallocs - stats[i].Mallocs), float64(stats[i+1].TotalAlloc - stats[i].TotalAlloc)
		}
		c.load, c.loadBytes = between(0)
		c.expand, c.expandBytes = between(1)
		_, c.choose = between(2)
		c.cells, c.left, c.evals = float64(len(x.Cells)), float64(len(x.gone)), float64(x.evals)
		return c
	}
	sizes := []int{10_000, 100_000}
	if testing.Short() {
		sizes = []int{2_000, 20_000}
	}
	small, big := measure(sizes[0]), measure(sizes[1])
	t.Logf("%+v", small)
	t.Logf("%+v", big)
	for _, c := range []struct {
		what       string
		small, big float64
	}{
		{"allocations of Load", small.load, big.load}, {"bytes of Load", small.loadBytes, big.loadBytes},
		{"allocations of Expand", small.expand, big.expand}, {"bytes of Expand", small.expandBytes, big.expandBytes},
		{"bytes of Select", small.choose, big.choose}, {"values computed", small.evals, big.evals},
		{"cells left out", small.left, big.left},
	} {
		if ratio := c.big / c.small; ratio > 12.5 || ratio < 5 {
			t.Errorf("%s: from %.0f to %.0f, %.1f times for ten times the cells", c.what, c.small, c.big, ratio)
		}
	}
	if big.cells < 0.9*float64(sizes[1]) {
		t.Errorf("%.0f cells", big.cells)
	}
	if perCell := big.evals / big.cells; perCell > 12 {
		t.Errorf("%.1f values computed for a cell", perCell)
	}
}

// TestLarge expands enough cells for anything quadratic to be felt.
func TestLarge(t *testing.T) {
	m, l := load(t, large(t, 20_000), Options{})
	x, more := m.Expand()
	if l = append(l, more...); len(l) > 0 {
		t.Fatal(printed(m, l))
	}
	if len(x.Cells) < 20_000 || len(x.Sets) != 16 {
		t.Errorf("%d cells, %d sets", len(x.Cells), len(x.Sets))
	}
	cells, l := x.Select("large@gfx1201+*", "large/large_k1?")
	if len(cells) != 4*20_000/16-10 || len(l) > 0 {
		t.Errorf("%d cells, %v", len(cells), l)
	}
}
