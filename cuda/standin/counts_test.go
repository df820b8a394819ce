package standin_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"kmx/cuda/standin"
)

// bodies cuts a module into the texts of its entries, by nothing but their
// first and last lines.
func bodies(t *testing.T, m standin.Module) map[string]string {
	t.Helper()
	text := strings.ReplaceAll(string(m.Text), "\r\n", "\n")
	all := map[string]string{}
	for _, part := range strings.Split(text, ".visible .entry ")[1:] {
		name, rest, ok := strings.Cut(part, "(\n")
		body, _, ended := strings.Cut(rest, "\n}\n")
		if !ok || !ended {
			t.Fatalf("%s: an entry without an end", m.Name)
		}
		all[name] = body
	}
	return all
}

func everyBody(t *testing.T) map[string]string {
	all := map[string]string{}
	for _, m := range firstModules() {
		for name, body := range bodies(t, m) {
			all[name] = body
		}
	}
	return all
}

func TestPromises(t *testing.T) {
	texts := everyBody(t)
	stores := []string{"sust.b.2d.v2.b16.zero ", "sust.b.2d.b32.zero ", "sust.p.2d.v4.b32.zero ", "sust.b.2d.v4.b16.zero "}
	for _, k := range standin.Kernels() {
		text, want := texts[k.Name], k.Counts()
		for _, s := range append(stores, "bar.warp.sync -1;", "cvt.rn.f16x2.e4m3x2 ", "mma.sync.") {
			key := strings.TrimRight(strings.TrimSuffix(s, "-1;"), " .")
			if got := strings.Count(text, s); got != want[key] {
				t.Errorf("%s: %d of %s, promised %d", k.Name, got, key, want[key])
			}
		}
		if got, all := strings.Count(text, "sust."), want[pair]+want[word]+want[colour]+want[quad]; got != all {
			t.Errorf("%s: %d surface stores, promised %d", k.Name, got, all)
		}
		adds, cuts := strings.Count(text, "add.rz.ftz.f32"), strings.Count(text, "cvt.rzi.f32.f32")
		if adds != want[standin.Roundf] || cuts != want[standin.Roundf] || strings.Count(text, ".rz.") != adds {
			t.Errorf("%s: %d add.rz and %d cvt.rzi, promised %d of each", k.Name, adds, cuts, want[standin.Roundf])
		}
	}
}

const (
	pair   = "sust.b.2d.v2.b16.zero"
	word   = "sust.b.2d.b32.zero"
	colour = "sust.p.2d.v4.b32.zero"
	quad   = "sust.b.2d.v4.b16.zero"
)

// TestGroups counts the kernels that must be there, by the names of the list.
func TestGroups(t *testing.T) {
	got := map[standin.Group]int{}
	seen := map[string]bool{}
	for _, k := range standin.Kernels() {
		got[k.Group]++
		if seen[k.Name] {
			t.Errorf("%s is there twice", k.Name)
		}
		seen[k.Name] = true
	}
	for g, n := range map[standin.Group]int{
		standin.KOutput: 24, standin.KInput: 8, standin.KLayer: 11, standin.MPost: 8, standin.MDownsample: 4,
		standin.MEnc0: 4, standin.MDec0: 1, standin.MLayer: 5, standin.LPost: 8, standin.LEnc0: 4, standin.LDec0: 1,
	} {
		if got[g] != n {
			t.Errorf("%s: %d kernels, want %d", g, got[g], n)
		}
	}
	for _, name := range strings.Fields(`hiluma_engine_output_depthinv_mvlo_ldr_max_v2_rel hiluma_engine_output_depthreg_mvhi_hdr_v1_rel
		hiluma_engine_input_depthreg_mvlo_hdr_v2_rel rrlite_post_3_2_mvlo_hdr_folded rrlite_post_3_1_mvhi_ldr
		rrlite_downsample_kernel_dynamic_hdr rrlite_enc0_4x4_mvhi_hdr_folded rrlite_enc0_4x4_mvlo_ldr rrlite_dec0_4x4_folded
		rrlite_dec0_4x4 dltss_pwin_enc0_layer dltss_pwin_dec5_layer rrlite_enc3_tube_4x4 rrlite_dec1_4x4`) {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestFormsOfRoundf: sign bits, copysign, or both; other statements between
// the halves in most places, a label in some.
func TestFormsOfRoundf(t *testing.T) {
	texts := everyBody(t)
	between, labels := 0, 0
	for name, text := range texts {
		if !strings.HasPrefix(name, "hiluma_engine_output_") {
			continue
		}
		signs, copies := strings.Count(text, "1056964608"), strings.Count(text, "copysign.f32")
		v1, top := strings.HasSuffix(name, "_v1_rel"), strings.HasSuffix(name, "_max_v2_rel")
		if (signs > 0) != (v1 || top) || (copies > 0) != !v1 || signs+copies != strings.Count(text, "add.rz.ftz.f32") {
			t.Errorf("%s: %d with sign bits, %d with copysign", name, signs, copies)
		}
		for _, m := range regexp.MustCompile(`add\.rz\.ftz\.f32 \t(%f\d+),`).FindAllStringSubmatchIndex(text, -1) {
			sum := text[m[2]:m[3]]
			rest := text[m[1]:]
			cut := regexp.MustCompile(`cvt\.rzi\.f32\.f32 \t%f\d+, ` + sum + `;`).FindStringIndex(rest)
			if cut == nil {
				t.Fatalf("%s: %s is not truncated behind its sum", name, sum)
			}
			if strings.Count(rest[:cut[0]], ";") > 1 {
				between++
			}
			if strings.Contains(rest[:cut[0]], "\n$L__BB") {
				labels++
			}
		}
	}
	if between < 50 || labels < 24 {
		t.Errorf("%d pairs with statements between, %d with a label", between, labels)
	}
}

// TestEncoders holds the folded and the unfolded encoders against what the
// public descriptions say of them.
func TestEncoders(t *testing.T) {
	texts := everyBody(t)
	tails := map[string][]string{}
	for name, text := range texts {
		if !strings.HasPrefix(name, "rrlite_enc0_4x4_") {
			continue
		}
		folded := strings.HasSuffix(name, "_folded")
		if strings.Count(text, ".shared .align") != 1 || strings.Count(text, "[2048];") != 1 {
			t.Errorf("%s: not one shared array of 2,048 bytes", name)
		}
		if !strings.Contains(text, "_param_0[360]") {
			t.Errorf("%s: its parameter block has not 360 bytes", name)
		}
		cuts := strings.Split(text, "bar.warp.sync -1;\n")
		if len(cuts) != 4 {
			t.Fatalf("%s: %d barriers", name, len(cuts)-1)
		}
		count := func(re, in string) int { return len(regexp.MustCompile(re).FindAllString(in, -1)) }
		if count(`ld\.param\.u64 \t%rd\d+, \[\w+\+40\]`, text) != 1 {
			t.Errorf("%s: not one load at +40", name)
		}
		if !folded {
			if n := strings.Count(cuts[0], "mma.sync"); n != 0 {
				t.Errorf("%s: %d MMAs before the first barrier", name, n)
			}
			for _, re := range []string{`ld\.param\.u64 .*_param_0\]`, `ld\.param\.v2\.u32 .*\+8\]`, `ld\.param\.v2\.u32 .*\+16\]`, `ld\.param\.u64 .*\+48\]`} {
				if count(re, text) != 1 {
					t.Errorf("%s: not one %s", name, re)
				}
			}
			continue
		}
		if count(`ld\.param\.v2\.u32 \t\{%r\d+, %r\d+\}, \[\w+\+8\]`, text) != 1 {
			t.Errorf("%s: not one load of two words at +8", name)
		}
		tail := cuts[3]
		if strings.Count(tail, "mma.sync") != 32 || strings.Contains(tail, "ld.param") || strings.Contains(tail, "_4x4") {
			t.Errorf("%s: its tail has %d MMAs, or reads parameters", name, strings.Count(tail, "mma.sync"))
		}
		// the origin is halved first, y before x
		halved := regexp.MustCompile(`shr\.u32 \t%r\d+, (%r\d+), 31;`).FindAllStringSubmatch(tail, -1)
		if len(halved) != 4 {
			t.Fatalf("%s: %d numbers are halved in its tail", name, len(halved))
		}
		dims := regexp.MustCompile(`ld\.param\.v2\.u32 \t\{(%r\d+), (%r\d+)\}, \[\w+\+8\]`).FindStringSubmatch(text)
		if halved[2][1] != dims[1] || halved[3][1] != dims[2] {
			t.Errorf("%s: %v are halved, the dimensions are %v", name, halved, dims[1:])
		}
		tails[renamed(tail)] = append(tails[renamed(tail)], name)
	}
	if len(tails) != 1 {
		t.Errorf("%d tails differ after renaming: %q", len(tails), slices.Collect(values(tails)))
	}
}

func values(m map[string][]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, names := range m {
			if !yield(strings.Join(names, " ")) {
				return
			}
		}
	}
}

// renamed gives registers and labels numbers in the order they come in.
func renamed(text string) string {
	seen := map[string]string{}
	return regexp.MustCompile(`%(?:p|rs|rd|r|f)\d+|\$L__BB\d+_\d+`).ReplaceAllStringFunc(text, func(s string) string {
		if seen[s] == "" {
			seen[s] = strings.TrimRight(s, "0123456789") + string(rune('A'+len(seen)%26)) + strings.Repeat("'", len(seen)/26)
			if strings.HasPrefix(s, "$L") {
				seen[s] = "label" + strings.Repeat("'", len(seen))
			}
		}
		return seen[s]
	})
}

// TestVariantsDiffer: registers have other numbers in the variants' tails.
func TestVariantsDiffer(t *testing.T) {
	tails := map[string]bool{}
	for name, text := range everyBody(t) {
		if strings.HasPrefix(name, "rrlite_enc0_4x4_") && strings.HasSuffix(name, "_folded") {
			cuts := strings.Split(text, "bar.warp.sync -1;\n")
			tails[cuts[len(cuts)-1]] = true
		}
	}
	if len(tails) != 4 {
		t.Errorf("%d different tails of four", len(tails))
	}
}

// TestDecoders holds the decoders against the descriptions.
func TestDecoders(t *testing.T) {
	texts := everyBody(t)
	folded, unfolded := texts["rrlite_dec0_4x4_folded"], texts["rrlite_dec0_4x4"]
	for name, text := range map[string]string{"folded": folded, "unfolded": unfolded} {
		if !strings.Contains(text, "_param_0[168]") {
			t.Errorf("%s: its parameter block has not 168 bytes", name)
		}
	}
	lane, last := strings.Index(folded, "%laneid"), strings.LastIndex(folded, "st.shared")
	if strings.Count(folded, "%laneid") != 1 || lane > last || strings.Count(folded[lane:last], "mma.sync") != 32 {
		t.Error("folded: the MMAs are not between the read of %laneid and the last shared store")
	}
	if n := strings.Count(folded[last:], "cvt.rn.f16x2.e4m3x2 "); n != 32 {
		t.Errorf("folded: %d conversions in the tail", n)
	}
	if strings.Contains(folded[:lane], "mma.sync") || strings.Contains(folded[last:], "mma.sync") {
		t.Error("folded: MMAs outside of the head")
	}
	end := unfolded[strings.LastIndex(unfolded, "mma.sync"):]
	if n := strings.Count(end, "sust."); n != 8 || strings.Count(unfolded, "sust.") != 8 {
		t.Errorf("unfolded: %d surface stores behind the last MMA", n)
	}
}
