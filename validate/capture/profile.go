package capture

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// KernelTime is what a profile says of one kernel.
type KernelTime struct {
	Name     string
	Launches int
	Total    float64 // ms
	Median   float64 // ms of one launch
}

// Profile is a kernel profile of a run of Frames frames.
type Profile struct {
	Frames    int // that are left after warming up
	Launches  int
	Total     float64 // ms of all launches
	Kernels   []KernelTime
	Malformed int // lines that look like a launch but do not parse
}

// profileMark is in every line of a log that the bridge writes for a launch when
// D4R_CUDA_KERNEL_PROFILE=1: launch=N ... gpu_ms=F name=S.
// Other words do not count.
const profileMark = "KERNEL_PROFILE"

// ReadProfile reads a log of so many frames. The first warm/frames of its
// launches are left out.
func ReadProfile(r io.Reader, frames, warm int) (*Profile, error) {
	if frames < 1 || warm < 0 || warm >= frames {
		return nil, fmt.Errorf("%d frames, of which %d warm up: there must be one left", frames, warm)
	}
	type launch struct {
		name string
		ms   float64
	}
	var launches []launch
	p := &Profile{Frames: frames - warm}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for lines.Scan() {
		_, rest, found := strings.Cut(lines.Text(), profileMark)
		if !found {
			continue
		}
		l := launch{ms: -1}
		number := ""
		for _, word := range strings.Fields(rest) {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "launch":
				number = value
			case "name":
				l.name = value
			case "gpu_ms":
				if ms, err := strconv.ParseFloat(value, 64); err == nil && ms >= 0 && ms < 1e9 {
					l.ms = ms
				}
			}
		}
		if number == "" && l.name == "" && l.ms < 0 {
			continue // a line about profiling, not a launch
		}
		if l.name == "" || l.ms < 0 {
			p.Malformed++
			continue
		}
		launches = append(launches, l)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	launches = launches[len(launches)*warm/frames:]
	if len(launches) == 0 {
		return nil, fmt.Errorf("the log has no launches: they are lines with %s, gpu_ms= and name=, written under D4R_CUDA_KERNEL_PROFILE=1", profileMark)
	}
	times := map[string][]float64{}
	for _, l := range launches {
		times[l.name] = append(times[l.name], l.ms)
		p.Total += l.ms
	}
	p.Launches = len(launches)
	for name, ms := range times {
		k := KernelTime{Name: name, Launches: len(ms), Median: median(ms)}
		for _, t := range ms {
			k.Total += t
		}
		p.Kernels = append(p.Kernels, k)
	}
	slices.SortFunc(p.Kernels, func(a, b KernelTime) int {
		switch {
		case a.Total > b.Total:
			return -1
		case a.Total < b.Total:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return p, nil
}

func median(v []float64) float64 {
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// String is the table for people, the most expensive kernel first.
func (p *Profile) String() string {
	var b strings.Builder
	frames := float64(p.Frames)
	fmt.Fprintf(&b, "%.1f launches and %.3f ms a frame, over %d frames\n", float64(p.Launches)/frames, p.Total/frames, p.Frames)
	fmt.Fprintf(&b, "%12s %12s %12s  %s\n", "ms/frame", "count/frame", "median ms", "kernel")
	for _, k := range p.Kernels {
		fmt.Fprintf(&b, "%12.4f %12.2f %12.4f  %s\n", k.Total/frames, float64(k.Launches)/frames, k.Median, k.Name)
	}
	if p.Malformed > 0 {
		fmt.Fprintf(&b, "%d lines with %s do not say time and name\n", p.Malformed, profileMark)
	}
	return b.String()
}
