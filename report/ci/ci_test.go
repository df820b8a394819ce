package ci

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/plan"
)

func sum(text string) cache.Digest { return cache.Sum([]byte(text)) }

// identity is one with something in every list.
func identity() Identity {
	return Identity{
		Matrix:  []File{{"matrix.hcl", sum("m")}},
		Sources: []File{{"a.h", sum("a")}, {"b.h", sum("b")}},
		Toolchains: []Toolchain{{Closure: plan.Closure{Name: "hip", Kind: "clang", Version: "19.1.7", Digest: sum("closure"),
			Files: []plan.ClosureFile{{Name: "bin/lld", Digest: sum("lld")}, {Name: "lib/libm.so.6", Digest: sum("libm")}}}, Core: sum("core")}},
		Variables: []Variable{{"preset_l", "true"}},
		LeftOut:   []string{"family tex, requires library.dlss (none is here)"},
		Actions:   sum("actions"),
	}
}

func TestUnlike(t *testing.T) {
	for _, c := range []struct {
		change func(*Identity)
		want   string
	}{
		{func(i *Identity) {}, ""},
		{func(i *Identity) { i.Matrix[0].Digest = sum("x") }, "matrix matrix.hcl has other bytes"},
		{func(i *Identity) { i.Sources = append(i.Sources, File{"c.h", sum("c")}) }, "source c.h is read as well"},
		{func(i *Identity) { i.Sources = i.Sources[:1] }, "source b.h is not read"},
		{func(i *Identity) {
			i.Sources = nil
			for n := range 9 {
				i.Sources = append(i.Sources, File{fmt.Sprint(n), sum("n")})
			}
		}, "source 0 is read as well\nsource 1 is read as well\nsource 2 is read as well\nsource 3 is read as well\nsource 4 is read as well\nand 6 more"},
		{func(i *Identity) {
			i.Toolchains[0].Core, i.Toolchains[0].Closure.Digest = sum("other"), sum("other")
			i.Toolchains[0].Files[0].Digest = sum("other")
		}, "toolchain hip is clang 19.1.7 (core " + short(sum("other")) + "), not clang 19.1.7 (core " + short(sum("core")) + "): bin/lld changed"},
		{func(i *Identity) {
			i.Toolchains[0].Closure.Digest = sum("other")
			i.Toolchains[0].Files[1].Digest = sum("other")
		}, "toolchain hip is clang 19.1.7 (core " + short(sum("core")) + "), the same compiler on other host libraries: lib/libm.so.6 changed"},
		{func(i *Identity) { i.Toolchains = nil }, "toolchain hip is not used"},
		{func(i *Identity) { i.Toolchains[0].Name = "hop" }, "toolchain hop is used as well\ntoolchain hip is not used"},
		{func(i *Identity) { i.Variables[0].Value = "false" }, "variable preset_l = false\nvariable preset_l = true only here"},
		{func(i *Identity) { i.LeftOut = nil }, "left out by family tex, requires library.dlss (none is here) only here"},
		{func(i *Identity) { i.Actions = sum("x") }, "the actions that the matrix asks for (" + short(sum("x"))},
	} {
		here, there := identity(), identity()
		c.change(&there)
		got := strings.Join(here.Unlike(&there), "\n")
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if same := here.Digest() == there.Digest(); same != (got == "") {
			t.Errorf("%q: the digests say %v", got, same)
		}
	}
}

// works makes n works of different sizes, each of whose labels is unique.
func works(n int) []Work {
	var list []Work
	for i := range n {
		list = append(list, Work{Label: fmt.Sprintf("w%03d", i), Wall: time.Duration(1+i*i%17) * time.Second, Memory: int64(100+i%7*50) << 20})
	}
	return list
}

func TestBalance(t *testing.T) {
	r := Runner{Jobs: 2, Memory: 8 << 30}
	for _, n := range []int{1, 2, 4, 7, 256} {
		all := works(60)
		shards := Balance(all, all, nil, r, n)
		if len(shards) > n || len(shards) == 0 {
			t.Fatalf("%d shards of %d", len(shards), n)
		}
		var seen []int
		slowest, total, longest := time.Duration(0), time.Duration(0), time.Duration(0)
		for _, s := range shards {
			if !slices.IsSorted(s) {
				t.Errorf("shard out of order: %v", s)
			}
			seen = append(seen, s...)
			slowest = max(slowest, Expected(all, nil, s, r))
		}
		for _, w := range all {
			total += w.Wall
			longest = max(longest, w.Wall)
		}
		slices.Sort(seen)
		if len(seen) != len(all) || len(slices.Compact(seen)) != len(all) {
			t.Errorf("%d shards: each work once, got %v", n, seen)
		}
		// The bound of longest-first on equal machines.
		if ideal := max(longest, total/time.Duration(2*len(shards))); slowest > ideal*4/3 {
			t.Errorf("%d shards: the slowest takes %v, %v would do", n, slowest, ideal)
		}
	}
}

func TestBalanceIsDeterministic(t *testing.T) {
	r := Runner{Jobs: 4, Memory: 16 << 30}
	all := works(50)
	first := labels(all, Balance(all, all, nil, r, 5))
	slices.Reverse(all)
	if again := labels(all, Balance(all, all, nil, r, 5)); again != first {
		t.Errorf("the order of the work decides:\n%s\n%s", first, again)
	}
}

func labels(work []Work, shards [][]int) string {
	var out []string
	for _, s := range shards {
		var names []string
		for _, i := range s {
			names = append(names, work[i].Label)
		}
		slices.Sort(names)
		out = append(out, strings.Join(names, " "))
	}
	return strings.Join(out, "\n")
}

func TestFewerShardsWhenResultsExist(t *testing.T) {
	r := Runner{Jobs: 1, Memory: 1 << 30}
	var all []Work
	for i := range 40 {
		all = append(all, Work{Label: fmt.Sprintf("w%02d", i), Wall: time.Second})
	}
	last := 9
	for _, n := range []int{40, 20, 11, 5, 1} {
		got := len(Balance(all, all[:n], nil, r, 8))
		if want := (n + 4) / 5; got != want { // 40 works in 8 shards take 5 seconds
			t.Errorf("%d of 40 to do: %d shards, want %d", n, got, want)
		}
		if got > last {
			t.Errorf("more shards for less work")
		}
		last = got
	}
	if got := Balance(all, nil, nil, r, 8); len(got) != 0 {
		t.Errorf("nothing to do makes %d shards", len(got))
	}
}

func TestMemoryCounts(t *testing.T) {
	// Four works, two of which take the whole machine each: they keep it to
	// themselves, so they go apart.
	r := Runner{Jobs: 4, Memory: 4 << 30}
	all := []Work{
		{Label: "big1", Wall: 4 * time.Second, Memory: 4 << 30}, {Label: "big2", Wall: 4 * time.Second, Memory: 4 << 30},
		{Label: "s1", Wall: 4 * time.Second, Memory: 1 << 28}, {Label: "s2", Wall: 4 * time.Second, Memory: 1 << 28},
	}
	shards := Balance(all, all, nil, r, 2)
	if len(shards) != 2 || slices.Contains(shards[0], 0) == slices.Contains(shards[0], 1) {
		t.Errorf("got %v", shards)
	}
}

func TestHelpersStayTogether(t *testing.T) {
	// Two groups with a dear helper each: making both helpers twice costs more
	// than it gains.
	r := Runner{Jobs: 1, Memory: 1 << 30}
	helpers := []Work{{Label: "h0", Wall: 10 * time.Second}, {Label: "h1", Wall: 10 * time.Second}}
	var all []Work
	for i := range 8 {
		all = append(all, Work{Label: fmt.Sprint(i), Wall: time.Second, Helpers: []int{i % 2}})
	}
	for _, s := range Balance(all, all, helpers, r, 2) {
		for _, i := range s {
			if i%2 != s[0]%2 {
				t.Errorf("a shard needs both helpers: %v", s)
			}
		}
	}
}

// planned is a sealed plan of two shards.
func planned() *Plan {
	p := &Plan{Runner: Runner{4, 16 << 30}, Asked: 2, Identity: identity(), Shards: []Shard{
		{Expected: 1500 * time.Millisecond, Memory: 1 << 20, Actions: []Action{{Label: "a", Cells: []string{"a"}, Wall: time.Second}}},
		{Actions: []Action{{Label: "b", Cells: []string{"b", "c"}}}},
	}}
	p.Seal()
	return p
}

func TestPlanFile(t *testing.T) {
	p := planned()
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodePlan(data)
	if err != nil || got.Digest != p.Digest || got.Actions() != 2 {
		t.Fatalf("%v %+v", err, got)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"asked": 2`, `"asked": 3`, "it was altered"},
		{`"asked": 2`, `"ask": 2`, "not a plan"},
		{PlanFormat, "kmx.ci-plan/9", "this kmx reads"},
		{`{`, `[`, "not a plan"},
	} {
		if _, err := DecodePlan(bytes.Replace(data, []byte(c.old), []byte(c.new), 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
}

func TestNames(t *testing.T) {
	p := planned()
	n, err := ParseName(p.Name(1).String())
	if err != nil || n != p.Name(1) || n.File() != "shard-2-of-2" {
		t.Errorf("%v %v", n, err)
	}
	for _, bad := range []string{"", "1/2", "@", "0/2@0123456789ab", "3/2@0123456789ab", "1/2@0123", "01/2@0123456789ab", "1/2@0123456789ab ", "x/2@0123456789ab"} {
		if _, err := ParseName(bad); err == nil {
			t.Errorf("%q is a name", bad)
		}
	}
}

func TestJobs(t *testing.T) {
	p := planned()
	line, err := p.GitHub()
	if err != nil || strings.Contains(line, "\n") {
		t.Fatalf("%v %q", err, line)
	}
	var m struct{ Include []map[string]any }
	if err := json.Unmarshal([]byte(line), &m); err != nil || len(m.Include) != 2 || m.Include[0]["shard"] != p.Name(0).String() || m.Include[0]["seconds"] != 1.5 {
		t.Errorf("%v %s", err, line)
	}
	want := "# plan " + short(p.Digest) + `: 2 actions to run, 0 results exist
include:
  - local: "/jobs.yml"

shard:
  extends: .kmx-shard
  parallel:
    matrix:
      - SHARD:
          - "` + p.Name(0).String() + `"
          - "` + p.Name(1).String() + `"

merge:
  extends: .kmx-merge
`
	if got := p.GitLab("jobs.yml"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.Shards = nil
	if line, _ := p.GitHub(); line != `{"include":[]}` {
		t.Errorf("empty: %s", line)
	}
	if got := p.GitLab("jobs.yml"); strings.Contains(got, "shard:") || !strings.Contains(got, "merge:") {
		t.Errorf("empty:\n%s", got)
	}
}

// record is one of a made-up action with one output.
func record(key string, output []byte) *cache.Record {
	return &cache.Record{
		Format: cache.RecordFormat, Key: sum(key), Label: key, Fields: []cache.Field{{Tag: "kind", Value: "test"}},
		Outputs: []cache.Output{{Path: key + ".o", Digest: cache.Sum(output), Size: int64(len(output))}},
		Stderr:  []byte("a warning\n"), Wall: time.Second, PeakRSS: 1 << 20, Made: time.Unix(1, 0).UTC(),
	}
}

// sample is a bundle of two records with an output each.
func sample(t *testing.T, p *Plan, shard int) []byte {
	t.Helper()
	blobs := map[cache.Digest][]byte{}
	var records []*cache.Record
	for _, name := range []string{"one", "two"} {
		data := []byte(strings.Repeat("bytes of "+name+"\n", 50))
		records = append(records, record(fmt.Sprint(name, shard), data))
		blobs[cache.Sum(data)] = data
	}
	var b bytes.Buffer
	h := Head{Plan: p.Digest, Shard: shard, Of: len(p.Shards), Identity: p.Identity, Failed: []Failed{}}
	err := WriteBundle(&b, h, records, func(d cache.Digest) ([]byte, error) {
		if data, ok := blobs[d]; ok {
			return data, nil
		}
		return nil, errors.New("no such blob")
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBundle(t *testing.T) {
	p := planned()
	data := sample(t, p, 1)
	if again := sample(t, p, 1); !bytes.Equal(data, again) {
		t.Error("the same results make other bytes")
	}
	b, err := OpenBundle(write(t, "x.kmxb", data))
	if err != nil {
		t.Fatal(err)
	}
	if b.Name() != p.Name(0) || len(b.Records) != 2 || b.Size != int64(len(data)) || len(p.Identity.Unlike(&b.Identity)) > 0 {
		t.Errorf("got %+v", b)
	}
	i := slices.IndexFunc(b.Records, func(r *cache.Record) bool { return r.Label == "one1" })
	want := record("one1", []byte(strings.Repeat("bytes of one\n", 50)))
	if i < 0 || fmt.Sprintf("%+v", b.Records[i]) != fmt.Sprintf("%+v", want) {
		t.Errorf("a record does not come back: %+v", b.Records)
	}
	store, err := cache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	taken, left, err := Take(store, []*Bundle{b}, map[cache.Digest]bool{want.Key: true})
	if err != nil || taken != 1 || left != 1 {
		t.Fatalf("%d taken, %d left, %v", taken, left, err)
	}
	got, err := store.Lookup(want.Key)
	if err != nil || len(got.Fields) != 1 || got.Wall != time.Second || !got.Made.Equal(want.Made) {
		t.Errorf("%v %+v", err, got)
	}
	if _, err := store.Lookup(sum("two1")); err == nil {
		t.Error("a result that nobody asked for was taken")
	}
}

// Every byte of a bundle counts, and so does its length.
func TestBundleDamage(t *testing.T) {
	data := sample(t, planned(), 1)
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 0x10
		if err := read(bad); err == nil {
			t.Errorf("byte %d of %d may be another", i, len(data))
		}
		if err := read(data[:i]); err == nil {
			t.Errorf("%d of %d bytes are enough", i, len(data))
		}
	}
	for _, more := range [][]byte{{0}, data, []byte("more")} {
		if err := read(append(slices.Clone(data), more...)); err == nil {
			t.Errorf("%d bytes more are nothing", len(more))
		}
	}
}

func read(data []byte) error {
	b := &Bundle{}
	return b.readFrom(data, func(cache.Digest, []byte) error { return nil })
}

// raw is the inside of a bundle, packed again after a change.
func raw(t *testing.T, data []byte, change func(string) string) []byte {
	t.Helper()
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	inside, err := d.DecodeAll(data, nil) // the seal is skipped
	if err != nil {
		t.Fatal(err)
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return sealed(e.EncodeAll([]byte(change(string(inside))), nil))
}

// sealed puts a digest behind a frame.
func sealed(frame []byte) []byte {
	seal := cache.Sum(frame)
	return append(append(frame, sealHead...), seal[:]...)
}

// What is altered below the compression is found by its digests.
func TestBundleTampered(t *testing.T) {
	data := sample(t, planned(), 1)
	for _, c := range []struct {
		name   string
		change func(string) string
		want   string
	}{
		{"nothing", func(s string) string { return s }, ""},
		{"a blob", func(s string) string { return strings.Replace(s, "bytes of one", "bytes of 0ne", 1) }, "is altered, or no output of its records"},
		{"a record's output", func(s string) string {
			return strings.Replace(s, `"digest":"`+cache.Sum([]byte(strings.Repeat("bytes of one\n", 50))).String(), `"digest":"`+sum("x").String(), 1)
		}, "no output of its records"},
		{"more", func(s string) string { return s + "blob 0\n" }, "it goes on where it should end"},
		{"less", func(s string) string { return s[:len(s)-3] }, "it ends in the middle of a part"},
		{"the format", func(s string) string { return strings.Replace(s, BundleFormat, "kmx.bundle/9", 1) }, "no bundle that this kmx reads"},
		{"the count", func(s string) string { return strings.Replace(s, `"records":2`, `"records":3`, 1) }, "it says that it has 3 records and has 2"},
		{"a length", func(s string) string { return strings.Replace(s, "head ", "head 9999999999", 1) }, "begins no part"},
		{"a part", func(s string) string { return strings.Replace(s, "\nblob 650\n", "\nblub 650\n", 1) }, "it says that it has 2 blobs and has "},
	} {
		err := read(raw(t, data, c.change))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func FuzzBundle(f *testing.F) {
	f.Add([]byte("kmx.bundle/1 0\nhead 2\n{}"))
	f.Add([]byte("kmx.bundle/1 0\nhead 22\n{\"records\":1,\"blobs\":1}record 2\n{}blob 0\n"))
	e, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, inside []byte) {
		_ = read(inside)
		_ = read(sealed(e.EncodeAll(inside, nil)))
	})
}

func TestAgree(t *testing.T) {
	p := planned()
	open := func(shard int, change func(*Bundle)) *Bundle {
		b, err := OpenBundle(write(t, fmt.Sprintf("shard-%d.kmxb", shard), sample(t, p, shard)))
		if err != nil {
			t.Fatal(err)
		}
		change(b)
		return b
	}
	as := func(*Bundle) {}
	for _, c := range []struct {
		name    string
		bundles []*Bundle
		want    []string
	}{
		{"all", []*Bundle{open(1, as), open(2, as)}, nil},
		{"the same twice", []*Bundle{open(1, as), open(1, as), open(2, as)}, nil},
		{"one missing", []*Bundle{open(2, as)}, []string{"1 of 2 shards are missing: " + p.Name(0).String()}},
		{"none", nil, []string{"2 of 2 shards are missing"}},
		{"another compiler", []*Bundle{open(1, as), open(2, func(b *Bundle) {
			b.Identity.Toolchains[0].Core, b.Identity.Toolchains[0].Closure.Digest = sum("x"), sum("y")
		})}, []string{"shard " + p.Name(1).String() + " was built from something else than what is here"}},
		{"other sources, two of them", []*Bundle{open(1, func(b *Bundle) { b.Identity.Sources[0].Digest = sum("x") }), open(2, func(b *Bundle) { b.Identity.Sources[1].Digest = sum("x") })},
			[]string{"shard " + p.Name(0).String() + " was built", "shard " + p.Name(1).String() + " was built"}},
		{"another plan", []*Bundle{open(1, as), open(2, func(b *Bundle) { b.Plan = sum("x") })}, []string{"is of another plan than " + short(p.Digest)}},
		{"different bytes", []*Bundle{open(1, as), open(2, func(b *Bundle) {
			b.Records = append(b.Records, record("one1", []byte("other")))
		})}, []string{"one1: shards " + p.Name(0).String() + " and " + p.Name(1).String() + " made different bytes of one action"}},
	} {
		list := Agree(p, &p.Identity, c.bundles)
		if len(list) != len(c.want) {
			t.Errorf("%s: %v", c.name, list)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(list[i].Summary, want) {
				t.Errorf("%s: %q, want %q", c.name, list[i].Summary, want)
			}
		}
	}
}

func TestFindBundlesNamesAllThatAreBroken(t *testing.T) {
	data := sample(t, planned(), 1)
	good := write(t, "good.kmxb", data)
	short, odd := write(t, "short.kmxb", data[:len(data)/2]), write(t, "odd.kmxb", []byte("no bundle"))
	bundles, list := FindBundles([]string{good, short, odd, filepath.Join(t.TempDir(), "gone.kmxb")})
	if len(bundles) != 1 || len(list) != 3 {
		t.Fatalf("%d bundles, %v", len(bundles), list)
	}
	for i, want := range []string{"short.kmxb is no whole bundle", "odd.kmxb is no whole bundle", "gone.kmxb is no whole bundle"} {
		if !strings.Contains(list[i].Summary, want) {
			t.Errorf("%q", list[i].Summary)
		}
	}
}

func TestSummary(t *testing.T) {
	s := Summary{Title: "Merge <b>", Lines: []string{"a line"}, Rows: []Row{
		{Label: "c", Outcome: OutcomeCached}, {Label: "b", Outcome: OutcomeBuilt, Shard: "1/2", Wall: 1500 * time.Millisecond, Memory: 100 << 20},
		{Label: "b2", Outcome: OutcomeBuilt, Wall: 2 * time.Second}, {Label: "a|x", Outcome: OutcomeFailed, Text: "why\n````\nnot"},
	}, More: "## More\n"}
	got := s.Markdown(GitHubSummary)
	want := []string{"## Merge &lt;b&gt;", "a line", "<code>a&#124;x</code> | FAILED", "<code>b2</code>", "| <code>b</code> | built | 1/2 | 1.5 s | 100 MiB |", "<code>c</code>", "<details>", "` ` ` `", "## More"}
	at := 0
	for _, w := range want {
		i := strings.Index(got[at:], w)
		if i < 0 {
			t.Fatalf("%q is not where it should be in\n%s", w, got)
		}
		at += i
	}
	if strings.Contains(got, "left out") {
		t.Errorf("nothing was left out:\n%s", got)
	}
}

func TestSummaryStaysBelowItsLimit(t *testing.T) {
	var s Summary
	for i := range 30000 {
		r := Row{Label: fmt.Sprintf("m/kernel_%05d@gfx1201", i), Outcome: OutcomeCached}
		if i%3000 == 7 {
			r.Outcome, r.Text = OutcomeFailed, strings.Repeat("clang said something\n", 3000)
		}
		s.Rows = append(s.Rows, r)
	}
	s.More = strings.Repeat("| a row of a comparison | of two releases |\n", 20000)
	for _, limit := range []int{50_000, 200_000, GitHubSummary} {
		got := s.Markdown(limit)
		if len(got) > limit {
			t.Errorf("%d bytes, limit %d", len(got), limit)
		}
		if n := strings.Count(got, "| FAILED |"); n != 10 {
			t.Errorf("limit %d: %d failures are shown, want all 10", limit, n)
		}
		rows := strings.Count(got, "| cached |")
		if !strings.Contains(got, fmt.Sprintf("%d more rows are left out, as a summary has a limit: %d cached.", 29990-rows, 29990-rows)) {
			t.Errorf("limit %d: what is left out is not said, %d rows are there", limit, rows)
		}
		if strings.Count(got, "<details>") != strings.Count(got, "</details>") || strings.Count(got, "````")%2 != 0 {
			t.Errorf("limit %d: something is left open", limit)
		}
		for _, what := range []string{"(details of failures)", "(lines)"} {
			if !strings.Contains(got, what) {
				t.Errorf("limit %d: %s is not said to be cut", limit, what)
			}
		}
	}
}

func TestQuality(t *testing.T) {
	at := diag.Range{File: "kernels/a.hip", Start: diag.Pos{Line: 7}}
	data, err := Quality(diag.List{
		{Summary: "no such name", Detail: "in m/a@gfx1201\nand more", Where: at}, {Summary: "no such name", Detail: "in m/a@gfx1201", Where: at},
		{Severity: diag.Warning, Summary: "odd"},
	}, "matrix.hcl")
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Description, Fingerprint, Severity string
		Check                              string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal(data, &got); err != nil || len(got) != 2 {
		t.Fatalf("%v\n%s", err, data)
	}
	slices.SortFunc(got, func(a, b struct {
		Description, Fingerprint, Severity string
		Check                              string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}) int {
		return cmp.Compare(a.Location.Path, b.Location.Path)
	})
	if g := got[0]; g.Description != "no such name: in m/a@gfx1201" || g.Severity != "critical" || g.Location.Lines.Begin != 7 || g.Check == "" || g.Fingerprint == "" {
		t.Errorf("%+v", g)
	}
	if g := got[1]; g.Location.Path != "matrix.hcl" || g.Severity != "minor" || g.Location.Lines.Begin != 1 {
		t.Errorf("%+v", g)
	}
	if data, err := Quality(nil, "matrix.hcl"); err != nil || string(data) != "[]\n" {
		t.Errorf("%v %q", err, data)
	}
}
