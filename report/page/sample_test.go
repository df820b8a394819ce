package page

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/cache"
	"kmx/engine"
	"kmx/matrix"
	"kmx/release"
	"kmx/report"
	"kmx/report/logs"
)

var began = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// simulate plays a build of some cells on some processors: a helper that every
// third cell needs, every seventh cell from the cache, and failures where fail
// says so.
func simulate(labels []string, jobs int, seed uint64, fail func(i int) bool) []engine.Event {
	random := rand.New(rand.NewPCG(seed, 1))
	now, counts := time.Duration(0), engine.Counts{Total: len(labels) + 1}
	var events []engine.Event
	add := func(e engine.Event) {
		e.Time, e.Counts = began.Add(now), counts
		events = append(events, e)
	}
	add(engine.Event{Format: engine.EventFormat, Kind: engine.BuildStarted, Node: -1, Jobs: jobs})
	state := func(node int, label string, s engine.State, e engine.Event) {
		e.Kind, e.Node, e.Label, e.State, e.Key = engine.NodeState, node, label, s, keyOf(label)
		add(e)
	}
	free := make([]time.Duration, jobs)
	type end struct {
		at    time.Duration
		node  int
		label string
	}
	var running []end
	var walls []time.Duration
	for range len(labels) + 1 {
		walls = append(walls, 300*time.Millisecond+time.Duration(random.ExpFloat64()*float64(900*time.Millisecond)))
	}
	finish := func(until time.Duration) {
		for {
			k := -1
			for j, r := range running {
				if r.at <= until && (k < 0 || r.at < running[k].at) {
					k = j
				}
			}
			if k < 0 {
				return
			}
			r := running[k]
			running = slices.Delete(running, k, k+1)
			now = r.at
			counts.Running--
			state(r.node, r.label, engine.Checking, engine.Event{})
			e := engine.Event{Wall: walls[r.node], User: walls[r.node] * 8 / 10, System: walls[r.node] / 20, PeakRSS: 90<<20 + int64(r.node%60)<<20}
			s := engine.Done
			if fail != nil && r.node > 0 && fail(r.node-1) {
				s, e.Error = engine.Failed, "the compiler failed with exit status 1"
				e.Output = fmt.Sprintf("kernels/k/layer.hip:%d:7: error: use of undeclared identifier 'wind0w'; did you mean 'window'?\n  %d |   wind0w[lane] = acc;\n      |   ^~~~~~\n      |   window\n</script><script>alert(1)</script>\n1 error generated.\n", 40+r.node, 40+r.node)
				counts.Failed++
			} else {
				counts.Done++
			}
			state(r.node, r.label, s, e)
		}
	}
	begin := func(node int, label string) {
		lane := slices.Index(free, slices.Min(free))
		finish(free[lane])
		now = max(now, free[lane])
		wall := walls[node]
		counts.Running++
		state(node, label, engine.Running, engine.Event{})
		free[lane] = now + wall
		running = append(running, end{now + wall, node, label})
	}
	ready := func(node int, label string, needs ...int) {
		wall := walls[node] * time.Duration(80+random.IntN(50)) / 100
		state(node, label, engine.Ready, engine.Event{Message: "absent", Needs: needs, Guess: engine.Cost{Wall: wall, Memory: 100 << 20}})
	}
	ready(0, helper)
	for i, label := range labels {
		if i%7 != 3 && i%3 != 1 {
			ready(i+1, label)
		}
	}
	begin(0, helper)
	helped := free[0]
	for i, label := range labels {
		now += 100 * time.Microsecond
		switch {
		case i%7 == 3:
			counts.Done++
			counts.Cached++
			state(i+1, label, engine.Done, engine.Event{Cached: true, Wall: time.Second})
		case i%3 == 1:
			now = max(now, helped)
			finish(now)
			ready(i+1, label, 0)
			begin(i+1, label)
		default:
			begin(i+1, label)
		}
	}
	finish(1 << 60)
	if counts.Failed > 0 {
		add(engine.Event{Kind: engine.BuildFinished, Node: -1, Wall: now, Error: fmt.Sprintf("%d of %d cells failed", counts.Failed, counts.Total)})
	} else {
		add(engine.Event{Kind: engine.BuildFinished, Node: -1, Wall: now})
	}
	return events
}

func keyOf(label string) cache.Digest { return cache.Sum([]byte(label)) }

// helper makes what every third cell needs.
const helper = "bitcode of tex for gfx1201"

var targets = []string{"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1200", "gfx1201"}

// labels are addresses of n cells.
func labels(n int) []string {
	var list []string
	for i := 0; len(list) < n; i++ {
		for _, t := range targets {
			for _, mode := range []string{"", "+accuracy"} {
				list = append(list, fmt.Sprintf("k/dltss_pwin_enc%d_layer@%s%s", i, t, mode))
			}
		}
	}
	return list[:n]
}

// fill puts a cache, statistics and a release of before behind a build. Objects of
// gfx1100 to gfx1102 have equal instructions.
func fill(t *testing.T, s *Sources) {
	t.Helper()
	store, err := cache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s.Store, s.State, s.Against = store, t.TempDir(), t.TempDir()
	stats := report.Emulations{}
	sets := map[string]*release.Set{}
	for i := range s.Build.Cells {
		c := &s.Build.Cells[i]
		var n int
		var rest string
		if c.State != engine.Done || c.Node == 0 {
			continue
		}
		if _, err := fmt.Sscanf(c.Label, "k/dltss_pwin_enc%d_layer@%s", &n, &rest); err != nil {
			t.Fatal(err)
		}
		target := rest[:7]
		name := fmt.Sprintf("dltss_pwin_enc%d_layer", n)
		o := codeobjtest.New(name, target)
		o.Kernels[0].VGPRs = 96 + 8*(n%12) + len(rest)
		o.Kernels[0].LDS = 1024 * (1 + n%16)
		if n == 1 {
			o.Kernels[0].VGPRSpills = 4
		}
		o.Text = []byte(fmt.Sprintf("%04d%s....", n, map[bool]string{true: "gfx110", false: target[:6]}[target < "gfx1103"]))
		if target == "gfx1201" {
			o.Text = append(o.Text, "...."...)
		}
		data := o.Bytes()
		digest, err := store.PutBytes(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Store(&cache.Record{Key: c.Key, Label: c.Label, Outputs: []cache.Output{{Path: "out.hsaco", Digest: digest, Size: int64(len(data))}}, Made: began}); err != nil {
			t.Fatal(err)
		}
		stats[digest] = &report.Emulation{Address: c.Label, Kernel: name, Target: target, Case: "six windows", Waves: 24,
			Instructions: map[string]int64{"valu": 40000 + 900*int64(n), "wmma": 2304, "salu": 8000}, LDSCycles: 20480, LDSConflicts: int64(12 * n), Global: report.Moved{Loaded: 1 << 20, Stored: 1 << 18}}
		before := release.Kernel{Name: name, WaveSize: 32, VGPRs: 100 + 8*(n%12), SGPRs: 18, LDS: o.Kernels[0].LDS, Waves: 9, MaxWorkgroup: 128, CodeBytes: 12}
		set := sets[rest]
		if set == nil {
			set = &release.Set{Path: rest, Target: target, Generation: target[:5], Axes: map[string]string{}, Partial: true}
			sets[rest] = set
		}
		set.Objects = append(set.Objects, release.Entry{Address: c.Label, Name: name, Target: target, WaveSize: 32, Family: "k", Licence: "Apache-2.0", Toolchain: "hip",
			File: release.File{Name: name + ".hsaco", Size: 9000, BLAKE3: cache.Sum([]byte(c.Label + "before")), SHA256: fmt.Sprintf("%064x", n)}, Action: c.Key, Argv: []string{"hip:bin/clang++"}, Kernels: []release.Kernel{before}})
	}
	text, err := stats.JSON()
	if err == nil {
		err = os.WriteFile(filepath.Join(s.State, "stats.json"), text, 0o666)
	}
	for path, set := range sets {
		dir := filepath.Join(s.Against, path)
		text, encodeErr := set.Encode()
		if _, readErr := release.ParseSet(text); readErr != nil {
			t.Fatal(readErr)
		}
		if err == nil {
			err = encodeErr
		}
		if err == nil {
			err = os.MkdirAll(dir, 0o777)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, release.ManifestFile), text, 0o666)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	s.LeftOut = []matrix.LeftOutDescription{
		{Rule: "family tex, requires library.dlss", Reason: "no DLSS library is here", Cells: 2, Addresses: []string{"tex/a@gfx1201", "tex/b@gfx1201"}},
		{Rule: `exclude "slow"`, Reason: "spills on gfx1103", Cells: 1, Issue: "https://example.org/9", Until: "2027-01-31", Addresses: []string{"k/c@gfx1103"}, Declared: "matrix.hcl:12"},
	}
}

// sources are a build of n cells, three before it and, where all is said, what
// fill adds.
func sources(t *testing.T, n, jobs int, fail func(i int) bool, full bool) *Sources {
	t.Helper()
	made := func(name string, seed uint64, fail func(i int) bool) *logs.Build {
		b, err := logs.FromEvents(name, simulate(labels(n), jobs, seed, fail))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	s := &Sources{Build: made("20261130T100000.000", 9, fail)}
	for i := range 3 {
		s.Earlier = append(s.Earlier, made(fmt.Sprintf("2026112%dT100000.000", 7+i), uint64(i), nil))
	}
	s.Build.Warnings = append(s.Build.Warnings, logs.Note{At: time.Second, Label: labels(1)[0], Text: "killed, most likely for want of memory; it is tried again alone"})
	if full {
		fill(t, s)
	}
	return s
}

func collect(t *testing.T, s *Sources) *Data {
	t.Helper()
	d, err := Collect(*s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}
