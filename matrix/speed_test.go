package matrix

import (
	"fmt"
	"os"
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
