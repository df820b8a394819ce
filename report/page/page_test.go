package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kmx/cache"
	"kmx/engine"
	"kmx/report/logs"
)

func failSome(i int) bool { return i == 4 || i == 29 }

func html(t *testing.T, d *Data) string {
	t.Helper()
	var out bytes.Buffer
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The same sources give the same bytes, and the page what a reader looks for,
// also without JavaScript.
func TestWrite(t *testing.T) {
	s := sources(t, 96, 4, failSome, true)
	text := html(t, collect(t, s))
	if again := html(t, collect(t, s)); again != text {
		t.Error("the same sources gave another page")
	}
	body, _, _ := strings.Cut(text, `<script type="application/json"`)
	for _, want := range []string{
		"<title>20261130T100000.000: failed</title>", "Began 2026-11-30 10:00:00 UTC", "2 of 97 cells failed",
		"<code>k/dltss_pwin_enc0_layer@gfx1102</code> the compiler failed with exit status 1",
		"&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "<script>alert") {
		t.Error("what a tool said is markup in the page")
	}
	if got := regexp.MustCompile(`(?:src|href|url)\s*[=(]\s*["']?https?:`).FindAllString(text, -1); got != nil {
		t.Errorf("the page points elsewhere: %q", got)
	}
}

// The policy of the page allows exactly the texts that are in it.
func TestPolicy(t *testing.T) {
	text := html(t, collect(t, sources(t, 12, 2, nil, false)))
	part := func(open, end string) string {
		_, rest, ok := strings.Cut(text, open)
		inner, _, also := strings.Cut(rest, end)
		if !ok || !also {
			t.Fatalf("no %s in the page", open)
		}
		return inner
	}
	unescaped := strings.NewReplacer("&#43;", "+", "&#39;", "'").Replace(part(`Content-Security-Policy" content="`, `">`))
	want := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'",
		hashOf(part("<script>", "</script>")), hashOf(part("<style>", "</style>")))
	if unescaped != want {
		t.Errorf("got  %s\nwant %s", unescaped, want)
	}
	if strings.Contains(text, " style=") {
		t.Error("a style attribute, which the policy forbids")
	}
}

// The library is the one that its SOURCE names.
func TestChartLibrary(t *testing.T) {
	source, err := os.ReadFile("assets/uplot/SOURCE")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for line := range strings.Lines(string(source)) {
		word := strings.Fields(line)
		if word[0] != "sha256" {
			continue
		}
		files++
		data, err := os.ReadFile(filepath.Join("assets/uplot", word[1]))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != word[2] {
			t.Errorf("%s is not what SOURCE says; scripts/chartlib.sh fetches it again", word[1])
		}
	}
	version := regexp.MustCompile(`(?m)^version (\S+)$`).FindSubmatch(source)
	if files != 3 || version == nil || !strings.Contains(chartScript, "(v"+string(version[1])+")") {
		t.Errorf("%d files, version %q", files, version)
	}
}

func TestCollect(t *testing.T) {
	d := collect(t, sources(t, 96, 4, failSome, true))
	if b := d.Build; b.Total != 97 || b.Built != 81 || b.Cached != 14 || b.Failed != 2 || b.Ran != 83 || b.Open != 0 {
		t.Errorf("%+v", b)
	}
	if n := len(d.Cells.Label); n != 97 || len(d.Cells.Miss) != n || len(d.Cells.Before) != n || d.Cells.Times[0] != 3 {
		t.Errorf("columns of %d", n)
	}
	if len(d.Misses) != 1 || d.Misses[0].Count != 83 || !strings.HasPrefix(d.Misses[0].Reason, "built before, but the cache had lost it") {
		t.Errorf("%+v", d.Misses)
	}
	if len(d.Failures) != 2 || d.Failures[1].Label != "k/dltss_pwin_enc0_layer@gfx1102" {
		t.Errorf("%+v", d.Failures)
	}
	if len(d.History.Builds) != 4 || d.History.Builds[0].Shared != 81 {
		t.Errorf("%+v", d.History)
	}
	if len(d.Objects) != 2*94 {
		t.Errorf("%d kernels", len(d.Objects))
	}
	e := d.Equal
	if e.Objects != 94 || e.Files != 94 || e.Codes != 24 || !slices.Equal(e.Targets, targets) {
		t.Errorf("%+v", e)
	}
	for _, row := range e.Rows {
		if row.Name == "k/dltss_pwin_enc3_layer" && (row.Codes != 3 || strings.Join(row.Cells, " ") != "A1 A2 A3 A4 B C") {
			t.Errorf("%+v", row)
		}
		if row.Name == "k/dltss_pwin_enc0_layer" && row.Cells[2] != "" {
			t.Errorf("a failed cell has an object: %+v", row)
		}
	}
	a := d.Against
	if a == nil || len(a.Kinds) != 1 || a.Kinds[0] != (Kind{changed, 94}) || a.Gone != 0 {
		t.Fatalf("%+v", a)
	}
	for _, r := range a.Rows {
		if prep := strings.HasSuffix(r.Is.Name, prepSuffix); prep != (r.Was == nil) || !prep && r.Was.VGPRs == 0 {
			t.Errorf("%+v", r)
		}
	}
	if n := slices.IndexFunc(d.Objects, func(o Object) bool { return o.Emul != nil && !o.Prep }); n < 0 {
		t.Error("no statistics of the emulator")
	}
	if len(d.LeftOut) != 2 || len(d.Warnings) != 1 {
		t.Errorf("%+v %+v", d.LeftOut, d.Warnings)
	}
}

// What is missing is told and fails nothing.
func TestCollectWithLittle(t *testing.T) {
	s := sources(t, 20, 2, nil, true)
	for _, c := range s.Build.Cells {
		name := c.Key.String()
		_ = os.Remove(filepath.Join(s.Store.Dir(), "act", name[:2], name))
	}
	if err := os.WriteFile(filepath.Join(s.State, "stats.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := collect(t, s)
	notes := strings.Join(d.Notes, "\n")
	if !strings.Contains(notes, "20 cells are not in the cache any more") || !strings.Contains(notes, "statistics of the emulator are not shown") {
		t.Errorf("%q", notes)
	}
	html(t, d)
	killed, err := logs.FromEvents("killed", simulate(labels(10), 2, 1, nil)[:9])
	if err != nil {
		t.Fatal(err)
	}
	if text := html(t, collect(t, &Sources{Build: killed})); !strings.Contains(text, "the build was killed") {
		t.Error("the page does not tell that the build was killed")
	}
	s.Against = filepath.Join(s.State, "none")
	if _, err := Collect(*s); err == nil {
		t.Error("another release that is not there was compared with")
	}
	s.Against = t.TempDir()
	if _, err := Collect(*s); err == nil || !strings.Contains(err.Error(), "holds no manifest") {
		t.Error(err)
	}
}

// Reasons for misses come from the records of this build and the one before.
func TestMissReasons(t *testing.T) {
	s := sources(t, 6, 2, nil, true)
	before := s.Earlier[2]
	label := labels(6)[0]
	for i := range before.Cells {
		if before.Cells[i].Label == label {
			before.Cells[i].Key = cache.Sum([]byte("before"))
		}
	}
	fields := func(value string) []cache.Field {
		return []cache.Field{{Tag: "kind", Value: "hip"}, {Tag: "tool", Value: "hip:bin/clang++"}, {Tag: "input", Name: "kernels/common/wmma.h", Value: cache.Sum([]byte(value)).String()}}
	}
	old, err := s.Store.Lookup(keyOf(label))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[cache.Digest]string{keyOf(label): "now", cache.Sum([]byte("before")): "before"} {
		r := *old
		r.Key, r.Fields = key, fields(value)
		if err := s.Store.Store(&r); err != nil {
			t.Fatal(err)
		}
	}
	d := collect(t, s)
	for i, l := range d.Cells.Label {
		if l == label {
			if got := d.Misses[d.Cells.Miss[i]].Reason; got != "header kernels/common/wmma.h changed" {
				t.Errorf("got %q", got)
			}
		}
	}
}

// Every event of a trace has what its phase asks for, threads have names, times
// never go back, and arrows have two ends.
func TestTrace(t *testing.T) {
	s := sources(t, 96, 4, failSome, false)
	var out, again bytes.Buffer
	if err := WriteTrace(&out, s.Build); err != nil {
		t.Fatal(err)
	}
	if err := WriteTrace(&again, s.Build); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("the same build gave another trace: %v", err)
	}
	var trace struct {
		DisplayTimeUnit string
		OtherData       map[string]any
		TraceEvents     []map[string]any
	}
	decode(t, out.Bytes(), &trace)
	if trace.DisplayTimeUnit != "ms" || len(trace.TraceEvents) < 200 {
		t.Fatalf("%s, %d events", trace.DisplayTimeUnit, len(trace.TraceEvents))
	}
	// Members that each phase must have besides name, ph, ts, pid and tid.
	members := map[string][]string{"M": {"args"}, "X": {"dur", "cat", "args"}, "i": {"s", "cat"}, "C": {"args"}, "s": {"id", "cat"}, "f": {"id", "cat", "bp"}}
	last, phases, named, arrows := -1.0, map[string]int{}, map[float64]bool{}, map[float64]int{}
	for n, e := range trace.TraceEvents {
		phase, _ := e["ph"].(string)
		want, ok := members[phase]
		if !ok {
			t.Fatalf("event %d: phase %q", n, phase)
		}
		phases[phase]++
		for _, m := range append([]string{"name", "pid", "tid", "ts"}, want...) {
			if e[m] == nil {
				t.Fatalf("event %d, %v, has no %s", n, e, m)
			}
		}
		ts, tid := e["ts"].(float64), e["tid"].(float64)
		switch phase {
		case "M":
			if e["name"] == "thread_name" {
				named[tid] = true
			}
			continue
		case "X":
			if e["dur"].(float64) < 0 || !named[tid] {
				t.Errorf("event %d: %v", n, e)
			}
		case "s":
			arrows[e["id"].(float64)]++
		case "f":
			arrows[e["id"].(float64)] += 10
		}
		if ts < last {
			t.Errorf("event %d goes back in time", n)
		}
		last = ts
	}
	if phases["X"] != 83 || phases["s"] == 0 || phases["i"] < 14+2+1 || phases["C"] == 0 {
		t.Errorf("%v", phases)
	}
	for id, ends := range arrows {
		if ends != 11 {
			t.Errorf("arrow %v has ends %d", id, ends)
		}
	}
}

func TestSmallThings(t *testing.T) {
	for n, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 26*27 + 1: "AAB"} {
		if got := letter(n); got != want {
			t.Errorf("letter(%d) = %s, want %s", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0.00 s", 1240 * time.Millisecond: "1.24 s", 125 * time.Second: "2 min 5 s", 3 * time.Hour: "3 h 0 min"} {
		if got := spoken(d); got != want {
			t.Errorf("spoken(%v) = %s, want %s", d, got, want)
		}
	}
	for _, c := range []struct{ list, want string }{{"", "0s"}, {"3s 1s 2s", "2s"}, {"4s 1s 2s 9s", "2s"}} {
		var list []time.Duration
		for _, w := range strings.Fields(c.list) {
			x, err := time.ParseDuration(w)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, x)
		}
		if got := median(list).String(); got != c.want {
			t.Errorf("median of %s is %s, want %s", c.list, got, c.want)
		}
	}
	b := &logs.Build{Cells: []logs.Cell{{Label: "k/a@gfx1201", State: engine.Failed, Output: strings.Repeat("é", outputOfOne)}}}
	d := &Data{}
	d.failures(b)
	if f := d.Failures[0]; !f.Cut || len(f.Output) > outputOfOne || !json.Valid([]byte(`"`+f.Output+`"`)) || strings.ContainsRune(f.Output, '\uFFFD') {
		t.Errorf("%d bytes, cut %v", len(f.Output), f.Cut)
	}
}
