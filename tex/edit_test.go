package tex

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kmx/cuda/ptx"
)

// cases are the modules of testdata with what is done to them.
var cases = []struct {
	golden, module, recipe string
	options                Options
}{
	{"stores", "stores", "stores", Options{}},
	{"stores-b32", "stores", "stores", Options{Kinds: []string{"b32"}}},
	{"round", "round", "stores", Options{}},
	{"enc0", "enc0", "enc0-tail", Options{}},
	{"enc0_other", "enc0_other", "enc0-tail", Options{}},
	{"dec0", "dec0", "dec0-head", Options{}},
	{"dec0-fp8", "dec0", "dec0-head", Options{FP8: true}},
	{"lenc0", "lenc0", "l-enc0-tail", Options{FP8: true}},
	{"ldec0", "ldec0", "l-dec0-block", Options{FP8: true}},
}

// TestGolden shows every recipe at work. The golden files hold the counts, the
// functions called and the difference; read them after -update.
func TestGolden(t *testing.T) {
	for _, c := range cases {
		t.Run(c.golden, func(t *testing.T) {
			m, r, err := edit(t, c.module, source(t, c.module), c.recipe, c.options)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, n := range slices.Sorted(maps.Keys(r.Counts)) {
				fmt.Fprintf(&b, "%s = %d\n", n, r.Counts[n])
			}
			fmt.Fprintf(&b, "calls %s\n%s", strings.Join(r.Externs, " "), Diff(m, r, DiffOptions{Context: 2, Elide: 4}))
			golden(t, c.golden+".golden", b.String())
		})
	}
}

// everyCase edits every module of the cases, its text changed before.
func everyCase(t *testing.T, change func(string) string, check func(t *testing.T, was, is *Result, m *ptx.Module)) {
	for _, c := range cases {
		t.Run(c.golden, func(t *testing.T) {
			_, was, err := edit(t, c.module, source(t, c.module), c.recipe, c.options)
			if err != nil {
				t.Fatal(err)
			}
			m, is, err := edit(t, c.module, change(source(t, c.module)), c.recipe, c.options)
			if err != nil {
				t.Fatal(err)
			}
			check(t, was, is, m)
		})
	}
}

func TestLineEndsAreKept(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	everyCase(t, crlf, func(t *testing.T, was, is *Result, m *ptx.Module) {
		if string(is.Text) != crlf(string(was.Text)) {
			t.Error(firstDifference(crlf(string(was.Text)), string(is.Text)))
		}
		if strings.Contains(Diff(m, is, DiffOptions{Context: 3}), "\r") {
			t.Error("the diff has carriage returns")
		}
		for i, c := range is.Changes {
			if w := was.Changes[i]; c.Old != w.Old || c.New != w.New || c.What != w.What {
				t.Errorf("change %d: %+v, with \\n %+v", i, c, w)
			}
		}
	})
}

var registers = regexp.MustCompile(`%(rd|rs|r|f|p)(\d+)\b`)

// TestRegisterNamesDoNotMatter: a kernel with other names gives the same edit
// with those names.
func TestRegisterNamesDoNotMatter(t *testing.T) {
	numbers := map[string][]int{}
	random := rand.New(rand.NewPCG(1, 2))
	permute := func(s string) string {
		return registers.ReplaceAllStringFunc(s, func(name string) string {
			m := registers.FindStringSubmatch(name)
			var n int
			fmt.Sscan(m[2], &n)
			if numbers[m[1]] == nil {
				numbers[m[1]] = random.Perm(400)
			}
			return fmt.Sprintf("%%%s%d", m[1], numbers[m[1]][n])
		})
	}
	prefix := regexp.MustCompile(`%(rd|rs|r|f|p)(\d|<)`)
	for name, change := range map[string]func(string) string{
		"other prefixes": func(s string) string {
			return strings.ReplaceAll(prefix.ReplaceAllString(s, "%${1}_of_$2"), "$L__BB0_", "$label")
		},
		"other numbers": func(s string) string {
			return permute(regexp.MustCompile(`(%(rd|rs|r|f|p))<\d+>`).ReplaceAllString(s, "$1<400>"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			everyCase(t, change, func(t *testing.T, was, is *Result, _ *ptx.Module) {
				if want := change(string(was.Text)); want != string(is.Text) {
					t.Error(firstDifference(want, string(is.Text)))
				}
			})
		})
	}
}

// TestEditedAgain: there is nothing left to edit in what was edited.
func TestEditedAgain(t *testing.T) {
	for _, c := range cases {
		_, r, err := edit(t, c.module, source(t, c.module), c.recipe, c.options)
		if err != nil {
			t.Fatal(err)
		}
		_, again, err := edit(t, "again", string(r.Text), "stores", c.options)
		if err != nil {
			t.Fatal(err)
		}
		if string(again.Text) != string(r.Text) || len(again.Changes) != 0 || len(again.Externs) != 0 {
			t.Errorf("%s: %s", c.golden, firstDifference(string(r.Text), string(again.Text)))
		}
	}
}

func TestNothingToEdit(t *testing.T) {
	text := strings.ReplaceAll(rounds("add.f32 %f4, %f1, %f1;"), "\n", "\r\n")
	m, r, err := edit(t, "one", text, "stores", Options{})
	if err != nil || string(r.Text) != text || len(r.Changes) != 0 || len(r.Externs) != 0 || Diff(m, r, DiffOptions{}) != "" {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestNamesDoNotCollide: names that the module has are not introduced.
func TestNamesDoNotCollide(t *testing.T) {
	text := strings.NewReplacer("%f1,", "%kmx_t,", "%f1;", "%kmx_t;", ".reg .pred", ".reg .f32 %kmx_t, %kmx1_x;\n.reg .pred").Replace(
		rounds("copysign.f32 %f2, %f1, 0f3F000000;\nadd.rz.f32 %f3, %f1, %f2;\ncvt.rzi.f32.f32 %f4, %f3;"))
	_, r, err := edit(t, "one", text, "stores", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := string(r.Text); !strings.Contains(s, "cvt.rzi.f32.f32 %kmx2_t, %kmx_t;") {
		t.Error(s)
	}
}

// TestCountsHold: what is declared rightly is accepted.
func TestCountsHold(t *testing.T) {
	m := parse(t, "round", source(t, "round"))
	for _, counts := range []map[string]string{{"round": "pairs"}, {"round": "3", "stores": "0"}, {"stores.p": "0"}} {
		if _, err := Edit(Request{Kernel: "rounds", Recipe: "stores", Module: m, Counts: counts}); err != nil {
			t.Errorf("%v: %v", counts, err)
		}
	}
}

// TestRecipes: what the recipes say of themselves is complete.
func TestRecipes(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Recipes() {
		if r.Name == "" || r.Doc == "" || len(r.Counts) == 0 || len(r.Functions) < 4 || seen[r.Name] {
			t.Errorf("%+v", r)
		}
		seen[r.Name] = true
		for _, c := range cases {
			if c.recipe != r.Name {
				continue
			}
			_, res, err := edit(t, c.module, source(t, c.module), c.recipe, c.options)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range res.Externs {
				if !slices.Contains(r.Functions, f) {
					t.Errorf("%s calls %s and does not say so", r.Name, f)
				}
			}
			for n := range res.Counts {
				if !slices.Contains(r.Counts, n) {
					t.Errorf("%s counts %s and does not say so", r.Name, n)
				}
			}
		}
	}
}

// TestEveryStatementOfTheTailCounts: a tail that lacks one statement of the
// reference's, has one twice or has two swapped is refused.
func TestEveryStatementOfTheTailCounts(t *testing.T) {
	lines := strings.SplitAfter(source(t, "enc0_other"), "\n")
	cut := 0
	for i, l := range lines {
		if strings.Contains(l, "bar.warp.sync") {
			cut = i + 1
		}
	}
	end := len(lines) - 2 // the brace
	refused := func(what string, change func([]string) []string) {
		text := strings.Join(change(slices.Clone(lines)), "")
		m, err := ptx.Parse("enc0_other.ptx", []byte(text))
		if err != nil {
			return // a label twice
		}
		_, err = Edit(Request{Kernel: "small_enc0_mvlo_ldr", Recipe: "enc0-tail", Module: m, Reference: parse(t, "enc0", source(t, "enc0"))})
		if err == nil {
			t.Errorf("edited although %s", what)
		}
	}
	if end-cut < 20 {
		t.Fatalf("the tail has %d lines", end-cut)
	}
	for i := cut; i < end; i++ {
		line := strings.TrimSpace(lines[i])
		refused(line+" is missing", func(l []string) []string { return slices.Delete(l, i, i+1) })
		refused(line+" stands twice", func(l []string) []string { return slices.Insert(l, i, lines[i]) })
		if i+1 < end {
			refused(line+" is swapped with the next", func(l []string) []string { l[i], l[i+1] = l[i+1], l[i]; return l })
		}
		for _, old := range registers.FindAllString(lines[i], -1) {
			kind := registers.FindStringSubmatch(old)[1]
			refused(line+" with another register for "+old, func(l []string) []string {
				l[i] = strings.Replace(l[i], old, "%"+kind+"2", 1)
				return l
			})
		}
	}
}
