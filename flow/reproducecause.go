package flow

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"kmx/amdgpu/codeobj"
	"kmx/internal/diag"
)

// evidence is what the bytes of two files tell about why they differ.
type evidence struct {
	what string // for people
	cure string // flag or deed
}

// The cures. A path gets into an object by debug information, by __FILE__ and by
// assertions; kmx gives sources by relative paths, so only what a compiler makes
// absolute again shows.
const (
	curePath   = "-ffile-compilation-dir=. (debug information), -ffile-prefix-map=FROM=TO (__FILE__ of an absolute path)"
	cureDate   = "-Werror=date-time finds __DATE__, __TIME__ and __TIMESTAMP__; kmx sets SOURCE_DATE_EPOCH, which a compiler should heed"
	cureCUID   = "-fuse-cuid=none"
	cureID     = "-Wl,--build-id=none"
	cureOrder  = "-Wl,--threads=1, and sorted lists where the compiler or its plug-ins go through a table"
	cureRandom = "-frandom-seed=NAME, or whatever the tool has in place of it"
)

// dateLike is compiled when it is wanted: the front door starts many times an hour.
var dateLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ 0-3]?\d (19|20)\d\d\b|\b\d\d:\d\d:\d\d\b|\b(19|20)\d\d-\d\d-\d\d\b|\b1[6-9]\d{8}\b`)
})

// evidenceOf looks through two unequal files for what is known to differ from
// build to build. firstPlace and secondPlace are folders of the two builds.
func evidenceOf(a, b []byte, firstPlace, secondPlace string) []evidence {
	var found []evidence
	for _, side := range []struct {
		data  []byte
		place string
	}{{a, firstPlace}, {b, secondPlace}} {
		if at := bytes.Index(side.data, []byte(side.place)); at >= 0 {
			found = append(found, evidence{fmt.Sprintf("it holds a path of the build at 0x%x: %.200q", at, printableFrom(side.data[at:])), curePath})
			break
		}
	}
	mine, theirs := printables(a), printables(b)
	only := func(in, other []string) []string {
		has := map[string]bool{}
		for _, s := range other {
			has[s] = true
		}
		return slices.DeleteFunc(slices.Clone(in), func(s string) bool { return has[s] })
	}
	newA, newB := only(mine, theirs), only(theirs, mine)
	for _, s := range append(slices.Clone(newA), newB...) {
		if strings.Contains(s, "__hip_cuid_") {
			found = append(found, evidence{fmt.Sprintf("it holds the identifier of a compilation: %.100q", s), cureCUID})
			break
		}
	}
	if d := datesOf(newA); len(d) > 0 {
		found = append(found, evidence{fmt.Sprintf("it holds a time or a date: %q, then %q", d, datesOf(newB)), cureDate})
	}
	if x, y := buildID(a), buildID(b); !bytes.Equal(x, y) {
		found = append(found, evidence{fmt.Sprintf("its build id differs: %x, then %x", x, y), cureID})
	}
	if len(found) == 0 && len(a) == len(b) && len(newA)+len(newB) == 0 && histogram(a) == histogram(b) {
		found = append(found, evidence{"the same bytes stand in another order", cureOrder})
	}
	return found
}

func datesOf(list []string) []string {
	var dates []string
	for _, s := range list {
		dates = append(dates, dateLike().FindAllString(s, -1)...)
	}
	if len(dates) > 3 {
		dates = dates[:3]
	}
	return dates
}

// printables are the runs of at least four printable characters.
func printables(data []byte) []string {
	var all []string
	for len(data) > 0 {
		s := printableFrom(data)
		if len(s) >= 4 {
			all = append(all, s)
		}
		data = data[min(len(data), len(s)+1):]
	}
	return all
}

func printableFrom(data []byte) string {
	n := 0
	for n < len(data) && data[n] >= ' ' && data[n] < 0x7f {
		n++
	}
	return string(data[:n])
}

func histogram(data []byte) (h [256]int) {
	for _, c := range data {
		h[c]++
	}
	return h
}

// buildID is the content of the note that a linker identifies its output by.
func buildID(data []byte) []byte {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return nil
	}
	note, _ := s.Data()
	return note
}

// differ says where two files differ first.
func differ(a, b []byte) string {
	x, errA := codeobj.Read(a)
	y, errB := codeobj.Read(b)
	if errA == nil && errB == nil {
		d := codeobj.Compare(x, y)
		switch {
		case d.Likeness <= codeobj.MetadataOnly:
			return d.Likeness.String()
		case d.Symbol != "":
			return fmt.Sprintf("%s, first in %s at 0x%x", d.Likeness, d.Symbol, d.Offset)
		}
		return fmt.Sprintf("%s, first in %s at 0x%x", d.Likeness, d.Section, d.Offset)
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return fmt.Sprintf("from byte %d", n)
}

// varied is how many cells are built again with one condition changed.
const varied = 4

// explain finds out why files differ and is the failure that says it. Manifests
// differ because objects do, so they are told only where no object does.
func (r *reproduction) explain(ctx context.Context, list []divergence, total int) error {
	before := map[string][]byte{}
	var addresses []string
	for _, u := range list {
		if u.address != "" && u.what == "" && before[u.address] == nil {
			before[u.address] = u.a
			if len(addresses) < varied {
				addresses = append(addresses, u.address)
			}
		}
	}
	var proven map[string][]string
	if len(addresses) > 0 {
		r.p.Say("%s of %s differ; building %s again with one condition changed at a time", count(len(list), "file"), count(total, "file"), strings.Join(addresses, ", "))
		var err error
		if proven, err = r.changing(ctx, addresses, before); err != nil {
			return err
		}
	}
	f := &diag.Failure{Class: diag.Verify}
	cures := map[string]bool{}
	for _, u := range list {
		if u.address == "" && len(before) > 0 && u.what == "" {
			continue
		}
		m := diag.Message{Summary: u.file + ": differs between two builds"}
		if u.what != "" {
			m.Summary += ": " + u.what
		} else {
			m.Summary += ": " + differ(u.a, u.b)
			var lines []string
			for _, e := range evidenceOf(u.a, u.b, r.first.place, r.second.place) {
				lines = append(lines, e.what)
				cures[e.cure] = true
			}
			if slices.Contains(addresses, u.address) {
				line, cure := culprit(proven[u.address], len(lines) > 0)
				lines = append(lines, line)
				if cure != "" {
					cures[cure] = true
				}
			}
			m.Detail = strings.Join(lines, "\n")
		}
		f.Messages = append(f.Messages, m)
	}
	if len(cures) > 0 {
		f.Messages[len(f.Messages)-1].Hint = strings.Join(slices.Sorted(maps.Keys(cures)), "; ")
	}
	return f
}

// culprit says what builds with one condition changed have shown, and what cures
// it where the bytes did not tell.
func culprit(names []string, told bool) (line, cure string) {
	switch {
	case len(names) == 0:
		return "cause: none of the conditions alone; it takes several of them together, or happens now and then", ""
	case names[0] == "":
		if told {
			return "cause: it differs under the same conditions too, so time, order or chance", ""
		}
		return "cause: it differs under the same conditions too, so order or chance", cureRandom
	case slices.Contains(names, "path") && !told:
		cure = curePath
	}
	return "cause: " + diag.And(names) + ", proven by a build in which only that changed", cure
}
