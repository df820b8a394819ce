package cache

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// units of sizes, longest spelling first.
var units = []struct {
	name  string
	bytes float64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"bytes", 1}, {"B", 1},
	{"T", 1 << 40}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"k", 1 << 10}, {"", 1},
}

// ParseSize reads a number of bytes as people write it: 10GiB, 512 MiB, 1.5GB,
// 4096, 8G. KiB, MiB, GiB and TiB, and K, M, G and T alone, are powers of 1024,
// kB, MB, GB and TB of 1000.
func ParseSize(s string) (int64, error) {
	text := strings.TrimSpace(s)
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n >= 0) || n*u.bytes >= math.MaxInt64 {
			break
		}
		return int64(n * u.bytes), nil
	}
	return 0, fmt.Errorf("%q is no size; write it as 10GiB, 512MiB or 20GB", s)
}

// ParseAge reads a length of time that may be given in days (30d) or weeks
// (2w), or as Go writes durations (36h, 10m).
func ParseAge(s string) (time.Duration, error) {
	text := strings.TrimSpace(s)
	for suffix, unit := range map[string]time.Duration{"d": day, "w": 7 * day} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err == nil && n >= 0 && n*float64(unit) < math.MaxInt64 {
				return time.Duration(n * float64(unit)), nil
			}
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no length of time; write it as 30d, 2w, 36h or 10m", s)
	}
	return d, nil
}
