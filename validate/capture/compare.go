package capture

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"kmx/internal/num"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// Comparison says how far one output lies from a reference.
type Comparison struct {
	Region
	model.Difference
	// Histogram counts numbers by their distance in ulps of f16 or codes of
	// e4m3; see Bins. Numbers that are NaN on one side are in none.
	Histogram [len(Bins)]int
	// NaN in each of the two, common ones included.
	ReferenceNaN, GotNaN int
	FirstPlace           string // where the first difference lies, with both values
}

// Bins are the upper ends of the histogram's classes of distances.
var Bins = [...]int{0, 1, 2, 4, 8, 16, math.MaxInt}

// Report compares the memory that two runs of one launch left.
type Report struct {
	Kernel  string
	Outputs []Comparison
	// Stray counts, by allocation, bytes outside all outputs that differ.
	Stray map[int]int
}

// Equal reports whether everything is the same bytes.
func (r *Report) Equal() bool {
	return len(r.Stray) == 0 && !slices.ContainsFunc(r.Outputs, func(c Comparison) bool { return c.Difference.Equal < c.Values })
}

// Compare compares two memories of one launch: its outputs number by number, the
// rest byte by byte.
func Compare(reference, got *Capture) (*Report, error) {
	if reference.Kernel != got.Kernel || string(reference.Args) != string(got.Args) {
		return nil, fmt.Errorf("these are two launches, of %s and %s, or with other parameters", reference.Kernel, got.Kernel)
	}
	if len(reference.Allocations) != len(got.Allocations) {
		return nil, fmt.Errorf("one has %d allocations, the other %d", len(reference.Allocations), len(got.Allocations))
	}
	regions, err := Outputs(reference)
	if err != nil {
		return nil, err
	}
	r := &Report{Kernel: reference.Kernel, Stray: map[int]int{}}
	for _, region := range regions {
		a, err := reference.Read(region.Addr, region.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s of the reference: %w", region.Name, err)
		}
		b, err := got.Read(region.Addr, region.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", region.Name, err)
		}
		c, err := compareRegion(region, a, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", region.Name, err)
		}
		r.Outputs = append(r.Outputs, c)
	}
	for i, a := range reference.Allocations {
		b := got.Allocations[i]
		if a.Number != b.Number || a.Base != b.Base || len(a.Data) != len(b.Data) {
			return nil, fmt.Errorf("allocation %d is not the same on both sides", a.Number)
		}
		if n := stray(a, b, regions); n > 0 {
			r.Stray[a.Number] = n
		}
	}
	return r, nil
}

// stray counts differing bytes outside the regions.
func stray(a, b Allocation, regions []Region) int {
	n := 0
	for i := range a.Data {
		if a.Data[i] == b.Data[i] {
			continue
		}
		addr := a.Base + uint64(i)
		if !slices.ContainsFunc(regions, func(r Region) bool { return addr >= r.Addr && addr-r.Addr < uint64(r.Bytes) }) {
			n++
		}
	}
	return n
}

func compareRegion(r Region, reference, got []byte) (Comparison, error) {
	c := Comparison{Region: r}
	if r.Flags {
		c.Difference = compareFlags(reference, got)
	} else {
		d, err := model.Compare(r.Family, reference, got)
		if err != nil {
			return c, err
		}
		c.Difference = d
		c.count(reference, got)
	}
	if c.First >= 0 {
		c.FirstPlace = r.place(c.First) + ": " + c.value(reference, c.First) + ", got " + c.value(got, c.First)
	}
	return c, nil
}

func compareFlags(reference, got []byte) model.Difference {
	d := model.Difference{Values: len(reference), First: -1, PSNR: math.NaN()}
	for i := range reference {
		switch {
		case reference[i] == got[i]:
			d.Equal++
		case d.First < 0:
			d.First = i
		}
	}
	return d
}

// count fills histogram and NaN counts.
func (c *Comparison) count(reference, got []byte) {
	for i := range c.Values {
		a, aNaN := ordinal(c.Family, reference, i)
		b, bNaN := ordinal(c.Family, got, i)
		if aNaN {
			c.ReferenceNaN++
		}
		if bNaN {
			c.GotNaN++
		}
		if aNaN != bNaN {
			continue
		}
		steps := max(a-b, b-a)
		if aNaN {
			steps = 0
		}
		for bin, end := range Bins {
			if steps <= end {
				c.Histogram[bin]++
				break
			}
		}
	}
}

// ordinal numbers the values of a format in their order, -0 before +0.
func ordinal(f layout.Family, data []byte, i int) (n int, nan bool) {
	var magnitude int
	var negative bool
	if f == layout.M {
		e := num.E4M3(data[i])
		magnitude, negative, nan = int(e&0x7f), e&0x80 != 0, e.IsNaN()
	} else {
		h := num.F16(binary.LittleEndian.Uint16(data[2*i:]))
		magnitude, negative, nan = int(h&0x7fff), h&0x8000 != 0, h.IsNaN()
	}
	if negative {
		return -1 - magnitude, nan
	}
	return magnitude, nan
}

// value shows number i with its bits.
func (c *Comparison) value(data []byte, i int) string {
	switch {
	case c.Flags:
		return fmt.Sprintf("%d", data[i])
	case c.Family == layout.M:
		return fmt.Sprintf("%v (0x%02x)", num.E4M3(data[i]).Float32(), data[i])
	}
	h := num.F16(binary.LittleEndian.Uint16(data[2*i:]))
	return fmt.Sprintf("%v (0x%04x)", h.Float64(), uint16(h))
}

// String is the report for people.
func (r *Report) String() string {
	var b strings.Builder
	for _, c := range r.Outputs {
		share := 100 * float64(c.Difference.Equal) / float64(max(1, c.Values))
		fmt.Fprintf(&b, "%s %s: %d of %d equal (%.4f %%)", r.Kernel, c.Name, c.Difference.Equal, c.Values, share)
		if c.Flags {
			b.WriteString("\n")
		} else {
			unit := "ulp"
			if c.Family == layout.M {
				unit = "codes"
			}
			fmt.Fprintf(&b, ", PSNR %s, at most %d %s apart, NaN %d in the reference, %d here\n", decibels(c.PSNR), c.Steps, unit, c.ReferenceNaN, c.GotNaN)
			fmt.Fprintf(&b, "  %s apart: %s\n", unit, histogram(c.Histogram[:]))
		}
		if c.FirstPlace != "" {
			fmt.Fprintf(&b, "  first difference: %s\n", c.FirstPlace)
		}
	}
	numbers := make([]int, 0, len(r.Stray))
	for n := range r.Stray {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		fmt.Fprintf(&b, "%s: %d bytes of allocation %d outside the outputs differ\n", r.Kernel, r.Stray[n], n)
	}
	return b.String()
}

func decibels(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "infinite"
	case math.IsNaN(v):
		return "undefined (NaN)"
	}
	return fmt.Sprintf("%.1f dB", v)
}

func histogram(counts []int) string {
	var parts []string
	low := 0
	for i, n := range counts {
		name := fmt.Sprintf("%d-%d", low, Bins[i])
		switch {
		case Bins[i] == math.MaxInt:
			name = fmt.Sprintf("more than %d", low-1)
		case low == Bins[i]:
			name = fmt.Sprint(low)
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", name, n))
		}
		low = Bins[i] + 1
	}
	return strings.Join(parts, ", ")
}
