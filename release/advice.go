package release

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// What the bridge reads when it looks for native kernels. Given a folder D, a
// fast lookup tries D/<gpu>-fp8 (on gfx12, when FP8 is on), D/<gpu> and D
// itself; an accuracy lookup does the same below D/accuracy, or below D when D
// has the accuracy marker. A folder with d4r-kernels.txt is served kernel by
// kernel as modules with those hashes appear. Without it, an accuracy folder
// is served as it is, and a fast one only when it is D itself and D has no
// gfx* folder in it.
const (
	envDir      = "D4R_ZLUDA_NATIVE_DIR"
	envAccuracy = "D4R_PREFER_ACCURACY"
	envFP8      = "D4R_ZLUDA_WMMA_FP8_NATIVE"
)

// Advice is what people should read last: what differs from the plain release,
// what was left out, and which folder to give to the bridge for which GPU.
// dir is the folder of the release; make it absolute, since the bridge starts
// elsewhere.
func (r *Release) Advice(dir string) []string {
	objects := 0
	for _, s := range r.Sets {
		objects += s.Objects
	}
	lines := []string{fmt.Sprintf("%s: %s, %s, %s", name(r.Project, r.Version, r.Suffix),
		count(len(r.Sets), "set"), count(objects, "object"), map[bool]string{true: "stamped", false: "not stamped"}[r.Stamped])}
	say := func(format string, args ...any) { lines = append(lines, "  "+fmt.Sprintf(format, args...)) }

	if r.Developer != "" {
		say("not for shipping: %s", r.Developer)
	}
	for _, v := range r.Variables {
		say("%s = %s (default %s)", v.Name, v.Value, v.Default)
	}
	for _, t := range r.Toolchains {
		if t.Lock == LockDiffers {
			say("toolchain %s is %s, another one than matrix.lock.hcl pins", t.Name, t.Version)
		}
	}
	for _, l := range r.LeftOut {
		if l.Cells == 0 {
			continue // nothing to do in this run
		}
		say("left out by %s: %s (%s)", l.Rule, l.Reason, count(l.Cells, "cell"))
	}
	fast, accuracy, fp8 := r.setsByNumerics()
	if !r.Stamped {
		if len(fast) > 0 {
			say("without d4r-kernels.txt the bridge serves a fast set only when it is given the folder of the set itself:")
			width := 0
			for _, s := range fast {
				width = max(width, len(s.Path))
			}
			for _, s := range fast {
				say("  %-*s  %s=%s", width, s.Path, envDir, Word(filepath.Join(dir, filepath.FromSlash(s.Path))))
			}
		}
		if accuracy {
			say("accuracy sets need no stamp: %s=1 %s=%s", envAccuracy, envDir, Word(dir))
		}
		if paths := r.libraryPaths(); paths != "" {
			say("to stamp it, which needs no compiler: mage release:stamp %s %s", Word(dir), Word(paths))
		}
		return lines
	}
	say("%s=%s serves every GPU of it; the bridge picks the folder", envDir, Word(dir))
	if fp8 {
		say("with %s=1 it picks a -fp8 folder where the GPU has one", envFP8)
	}
	if accuracy {
		say("with %s=1 it picks the accuracy folders", envAccuracy)
	}
	for _, l := range r.Libraries {
		if len(l.Stamped) > 0 {
			var names []string
			for _, f := range l.Stamped {
				names = append(names, fmt.Sprintf("%s (BLAKE3 %s)", f.Name, f.BLAKE3.String()[:16]))
			}
			say("stamped for %s; another version of it needs another stamp", strings.Join(names, ", "))
		}
	}
	return lines
}

func (r *Release) setsByNumerics() (fast []SetRef, accuracy, fp8 bool) {
	for _, s := range r.Sets {
		if s.Axes[NumericsAxis] == Accuracy {
			accuracy = true
		} else {
			fast = append(fast, s)
		}
		fp8 = fp8 || strings.HasSuffix(s.Path, "-fp8")
	}
	slices.SortFunc(fast, func(a, b SetRef) int { return strings.Compare(a.Path, b.Path) })
	return fast, accuracy, fp8
}

// libraryPaths is the second argument of release:stamp as people would fill it
// in: one list, separated as this system separates paths.
func (r *Release) libraryPaths() string {
	var names []string
	for _, l := range r.Libraries {
		if l.Objects > 0 {
			names = append(names, filepath.Join("path", "to", l.Match))
		}
	}
	return strings.Join(names, string(filepath.ListSeparator))
}

// DevAdvice is what people should read after a partial build: for each folder
// the setting that makes the bridge serve it, and what is not listed any more.
// Make Dir absolute first.
func DevAdvice(sets []DevSet) []string {
	var lines []string
	for _, d := range sets {
		setting := envDir + "=" + Word(d.Dir)
		if d.Set.Numerics == Accuracy {
			setting = envAccuracy + "=1 " + setting
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s", d.Set.Path, count(len(d.Set.Objects), "object"), setting))
		if d.Set.Developer != "" {
			lines = append(lines, "  not for shipping: "+d.Set.Developer)
		}
		lines = append(lines, d.removals()...)
		for _, name := range d.Dropped {
			lines = append(lines, fmt.Sprintf("  %s was changed after it was built and is not listed any more; the bridge would still load it", name))
		}
	}
	return lines
}

// fewNames is how many names a line of advice has; of others only the number is told.
const fewNames = 5

// removals are the lines about what is gone from the folder, one for each reason.
func (d *DevSet) removals() []string {
	by := map[string][]string{}
	for _, name := range d.Removed {
		by[d.Why[name]] = append(by[d.Why[name]], name)
	}
	var lines []string
	for _, why := range slices.Sorted(maps.Keys(by)) {
		names := by[why]
		line := "  removed, since the matrix declares it no more: "
		if why != "" {
			line = "  removed, since it is left out now (" + why + "): "
		}
		rest := ""
		if n := len(names) - fewNames; n > 1 {
			names, rest = names[:fewNames], fmt.Sprintf(" and %d more", n)
		}
		lines = append(lines, line+strings.Join(names, ", ")+rest)
	}
	return lines
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Word is s as one word of a POSIX shell, quoted only where it must be.
func Word(s string) string {
	safe := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+=:,@%", c)
	}
	if s != "" && strings.IndexFunc(s, func(c rune) bool { return !safe(c) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
