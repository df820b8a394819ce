package matrix

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// The example is the matrix of the whole project as the language was designed
// for: testdata/example.hcl. Its cells of releases are 1,076 with preset L;
// cells at other variants, which join no set, come on top.
func TestExampleCounts(t *testing.T) {
	for _, c := range []struct {
		vars                   map[string]string
		cells, people, kernels int
		leftOut                string
	}{
		{nil, 1076, 1268, 70, "native 48, rr 32, gfx1103 0"},
		{map[string]string{"preset_l": "false"}, 868, 1008, 57, "l 468, native 48, rr 32, gfx1103 0"},
	} {
		_, x := good(t, "testdata/example.hcl", Options{Vars: c.vars})
		cells, people := 0, 0
		byFamily := map[string]int{}
		for _, cell := range x.Cells {
			if cell.DeveloperOnly {
				people++
				continue
			}
			cells++
			byFamily[cell.Family]++
		}
		if cells != c.cells || people != c.people {
			t.Errorf("%v: %d cells of releases and %d others, want %d and %d", c.vars, cells, people, c.cells, c.people)
		}
		want := map[string]int{"k": 11 * 12, "m": 5 * 16, "tex": 41 * 16, "l": 13 * 16}
		if c.vars != nil {
			delete(want, "l")
		}
		if !maps.Equal(byFamily, want) {
			t.Errorf("%v: %v, want %v", c.vars, byFamily, want)
		}
		var paths, leftOut []string
		for _, s := range x.Sets {
			paths = append(paths, s.Path)
			if len(s.Cells) != c.kernels || len(s.LeftOut) != 0 {
				t.Errorf("%v: %s holds %d kernels, want %d", c.vars, s.Path, len(s.Cells), c.kernels)
			}
		}
		wantPaths := "gfx1100 gfx1101 gfx1102 gfx1103 gfx1200 gfx1200-fp8 gfx1201 gfx1201-fp8"
		wantPaths += " " + "accuracy/" + strings.ReplaceAll(wantPaths, " ", " accuracy/")
		if strings.Join(paths, " ") != wantPaths {
			t.Errorf("sets %v", paths)
		}
		for _, l := range x.LeftOut {
			name := strings.Trim(strings.TrimSuffix(strings.Fields(l.Rule)[1], ","), `"`)
			leftOut = append(leftOut, fmt.Sprintf("%s %d", name, l.Cells))
		}
		if got := strings.Join(leftOut, ", "); got != c.leftOut {
			t.Errorf("%v: left out %s", c.vars, got)
		}
	}
}

// TestExampleTable shows chosen cells, one for each rule of the file.
func TestExampleTable(t *testing.T) {
	m, x := good(t, "testdata/example.hcl", Options{})
	var b strings.Builder
	for _, part := range []struct{ what, selectors string }{
		{"K: accuracy, scalar unit mode, no fp8 axis", "k/*_enc1_*@gfx1100,k/*_enc1_*@gfx1201+accuracy"},
		{"K: the other operand layout, for tests", "k/*_dec5_*@gfx1102+shim12"},
		{"M: what fp8 on gfx12 changes, and that no_token_lanes takes it back", "m/*_enc3_tube_*@gfx1201,m/*_enc3_tube_*@gfx1201+fp8,m/*_enc3_tube_*@gfx1201+fp8+no_token_lanes"},
		{"M: adjusts of gfx1101", "m@gfx1101,m/*_dec1_*@gfx1101+*,m@gfx1100"},
		{"tex: wave size by numerics", "tex/*_output_depthinv_mvhi_hdr_max_v2_*@gfx1100,tex/*_output_depthinv_mvhi_hdr_max_v2_*@gfx1100+accuracy"},
		{"tex: wave size by numerics and generation", "tex/*_post_3_1_mvhi_hdr_*@gfx1100+accuracy,tex/*_post_3_1_mvhi_hdr_*@gfx1201+accuracy"},
		{"tex: wave size by generation", "tex/*_downsample_*static_hdr@gfx1100,tex/*_downsample_*static_hdr@gfx1201"},
		{"tex: hooks, counts and the helper", "tex/*_dec0_*@gfx1201,tex/*_dec0_*@gfx1201+fp8,tex/*_dec0_*@gfx1201+fp8+accuracy+soft_e4m3,tex/*_enc0_*_mvhi_hdr_*@gfx1103"},
		{"L: the native part", "l/*_enc0_*_mvlo_ldr@gfx1201,l/*_enc0_*_mvlo_ldr@gfx1201+fp8,l/*_dec0_*@gfx1200+fp8+accuracy,l/*_post_3_2_mvlo_ldr@gfx1103+accuracy"},
	} {
		cells, l := x.Select(part.selectors, "")
		if len(l) > 0 {
			t.Fatal(printed(m, l))
		}
		fmt.Fprintf(&b, "---- %s\n", part.what)
		for _, c := range cells {
			dumpCell(&b, c)
		}
	}
	golden(t, "testdata/example.golden", b.String())
}

// TestExampleRules compares every cell with the rules of the example said once
// more, in Go.
func TestExampleRules(t *testing.T) {
	_, x := good(t, "testdata/example.hcl", Options{})
	for _, c := range x.Cells {
		axis := func(name string) string { v, _ := c.Axis(name); return v.Text }
		fast, fp8, variant := axis("numerics") == "fast", axis("fp8") == "true", axis("variant")
		gfx12 := c.Target.Generation == "gfx12"
		hw8 := fp8 && gfx12
		want := rules{recipe: "stores", toolchain: "emit", licence: "LicenseRef-NVIDIA-derived", hook: map[string]uint32{}}
		switch c.Family + " " + c.Group {
		case "k layers":
			want.native(c, "kernels/k/")
			want.hook = hookOf(c, "prep_blocks", map[string]uint32{"enc0": 21, "enc1": 40, "enc2": 44, "enc3": 100, "enc4": 160, "dec5": 252, "dec4": 152, "dec3": 100, "dec2": 44, "dec1": 40, "dec0": 21})
			want.hook["prep_key_offset"] = 64
			maps.Copy(want.hook, hookOf(c, "block_z", map[string]uint32{"enc0": 2, "enc1": 4, "enc2": 4, "enc3": 8, "enc4": 16, "dec5": 16, "dec4": 16, "dec3": 8, "dec2": 4, "dec1": 4, "dec0": 2}))
			if slices.Contains([]string{"enc1", "dec2", "dec1"}, id(c)) {
				want.flags = []string{"-mcumode"}
			}
			want.define(!fast, "D4R_ACCURACY=1")
			want.define(variant == "shim12", "D4R_WMMA_LAYOUT=12")
			want.define(fast && slices.Contains([]string{"enc0", "enc1", "enc2", "dec2", "dec1", "dec0"}, id(c)), "PWIN_F32ACC=1")
			if gfx12 {
				want.limits = "spills=0 scratch=0"
			}
		case "m layers":
			want.native(c, "kernels/m/")
			tok := hw8 && variant != "no_token_lanes"
			want.hook = hookOf(c, "prep_blocks", map[string]uint32{"enc1": 34, "enc2": 78, "enc3_tube": 88, "dec2": 78, "dec1": 34})
			want.hook["prep_key_at"] = 1
			if id(c) == "enc3_tube" {
				want.hook["prep_key_at"] = 0
			}
			want.hook["block_z"] = 8
			if tok || id(c) == "enc1" {
				want.hook["block_z"] = 4
			}
			want.define(!fast, "D4R_ACCURACY=1")
			want.define(fp8, "D4R_FP8_WMMA=1")
			want.define(variant == "no_token_lanes", "SWIN_NO_TOKEN_LANES=1")
			want.define(variant == "k32_mix", "D4R_SWIN_K32_MIX=1")
			want.define(variant == "shim12", "D4R_WMMA_LAYOUT=12")
			want.define(id(c) == "enc1", "SWIN_SCALAR_BLOAD=1")
			want.limits = "vgprs=192"
			if id(c) == "dec1" {
				want.limits = "vgprs=128"
			}
			only := c.Target.Name == "gfx1101" && fast && variant == "" // what a selector without points means
			switch {
			case id(c) == "dec1" && c.Target.Name == "gfx1101":
				want.limits = "vgprs=160"
				want.defines = append(want.defines, "SWIN_VGPRS=160")
			case id(c) == "dec2" && only:
				want.flags = []string{"-O3", "-mllvm", "-misched=gcn-max-memory-clause"}
			case id(c) == "enc2" && only:
				want.defines = append(want.defines, "SWIN_PACKED_INPUT=1", "SWIN_BPERMUTE=1", "SWIN_MLP_UNROLL=4")
			}
		case "tex k_output":
			want.wave64, want.redirect, want.counts = fast, true, "round=pairs"
		case "tex m_post", "l post":
			want.wave64 = fast || gfx12
		case "tex m_downsample":
			want.wave64, want.redirect = gfx12, true
		case "tex m_enc0":
			want.recipe = "enc0-tail"
			want.hook = map[string]uint32{"prep_blocks": 4, "prep_key_at": 1}
		case "tex rrlite_dec0_4x4_folded":
			want.recipe, want.counts = "dec0-head", "e4m3=0"
			if hw8 {
				want.counts = "e4m3=32"
			}
			want.hook = map[string]uint32{"prep_blocks": 4, "prep_key_at": 1}
		case "l enc0":
			if hw8 {
				want.recipe = "l-enc0-tail"
				want.hook = map[string]uint32{"prep_blocks": 12, "prep_key_at": 1}
			}
		case "l rrlite_dec0_4x4":
			if hw8 {
				want.recipe = "l-dec0-block"
				want.hook = map[string]uint32{"prep_blocks": 11, "prep_key_at": 1}
			}
		default:
			t.Fatalf("%s: group %s", c.Address(), c.Group)
		}
		if want.toolchain == "emit" {
			env := map[string]string{
				"D4R_ZLUDA_WMMA": "1", "D4R_ZLUDA_WMMA_FP8": "1", "D4R_ZLUDA_WMMA_FP8_NATIVE": bit(fp8),
				"D4R_ZLUDA_IGNORE_DENORMAL": bit(fast), "D4R_ZLUDA_WMMA_F32ACC": "0", "D4R_ZLUDA_FAST_MATH": "0",
				"D4R_ZLUDA_IMPLICIT_MAX_BLOCK": "256", "D4R_ZLUDA_WAVE64": bit(want.wave64),
			}
			for _, e := range c.Env {
				if env[e.Name] != e.Value {
					t.Errorf("%s: %s=%s", c.Address(), e.Name, e.Value)
				}
			}
			if len(c.Env) != len(env) || len(c.Bitcode) != 1 {
				t.Fatalf("%s: %d environment entries, %d helpers", c.Address(), len(c.Env), len(c.Bitcode))
			}
			h := rules{}
			h.define(fp8, "D4R_TEX_FP8=1")
			h.define(!fast, "D4R_ACCURACY=1")
			h.define(variant == "soft_e4m3", "D4R_TEX_SOFT_E4M3=1")
			h.define(true, "D4R_KERNEL_NAME="+c.Kernel)
			got := c.Bitcode[0]
			if got.Name != "tex" || got.Toolchain != "hip" || got.Source.Text != "tex/stores.hip" || len(got.Flags) != 7 ||
				!slices.Equal(spelledOut(got.Defines), h.defines) {
				t.Errorf("%s: bitcode %+v", c.Address(), got)
			}
		}
		if got := rulesOf(c); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n got %v\nwant %v", c.Address(), got, want)
		}
	}
}

// rules is what the example decides for a cell.
type rules struct {
	toolchain, licence, source, recipe, counts, limits string
	wave64, redirect                                   bool
	flags, defines                                     []string
	hook                                               map[string]uint32
}

func (r *rules) native(c *Cell, folder string) {
	r.recipe, r.toolchain, r.licence, r.source = "", "hip", "Apache-2.0", folder+id(c)+".hip"
}

func (r *rules) define(when bool, text string) {
	if when {
		r.defines = append(r.defines, text)
	}
}

func rulesOf(c *Cell) rules {
	r := rules{
		toolchain: c.Toolchain, licence: c.Licence, source: c.Source, recipe: c.Recipe, wave64: c.Wave64, redirect: c.Redirect,
		defines: spelledOut(c.Defines), counts: strings.Join(spelledOut(c.Counts), " "), hook: map[string]uint32{},
	}
	for _, f := range c.Flags {
		if !strings.HasPrefix(f.From.What, "toolchain ") {
			r.flags = append(r.flags, f.Text)
		}
	}
	for _, h := range c.Hook {
		r.hook[h.Name] = h.Value
	}
	var limits []string
	for _, l := range c.Bounds {
		limits = append(limits, fmt.Sprintf("%s=%d", l.Name, l.Value))
	}
	r.limits = strings.Join(limits, " ")
	return r
}

func spelledOut(ds []Define) []string {
	var out []string
	for _, d := range ds {
		out = append(out, d.Name+"="+d.Value)
	}
	return out
}

// id is the part of a layer's name that differs.
func id(c *Cell) string {
	name := strings.TrimPrefix(strings.TrimPrefix(c.Kernel, "dltss_pwin_"), "rrlite_")
	return strings.TrimSuffix(strings.TrimSuffix(name, "_layer"), "_4x4")
}

func hookOf(c *Cell, name string, values map[string]uint32) map[string]uint32 {
	return map[string]uint32{name: values[id(c)]}
}

func bit(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// TestExampleVariables holds what the variables of the example switch on. Its
// kernels_per_set does not count these kernels, which is what is reported.
func TestExampleVariables(t *testing.T) {
	data, err := os.ReadFile("testdata/example.hcl")
	if err != nil {
		t.Fatal(err)
	}
	on := Options{Vars: map[string]string{"native_inputs": "true", "rr": "yes"}}
	m, l := load(t, string(data), on)
	_, more := m.Expand()
	if l = append(l, more...); len(l) != 1 || l[0].Summary != "16 of 16 sets do not hold 70 kernels" {
		t.Errorf("got\n%s", printed(m, l))
	}
	text := strings.Replace(string(data), "(var.preset_l ? 13 : 0)",
		`(var.preset_l ? 13 : 0) + (var.rr ? 2 : 0) + (var.native_inputs && numerics == "fast" ? 8 : 0)`, 1)
	m, l = load(t, text, on)
	x, more := m.Expand()
	if l = append(l, more...); len(l) != 0 {
		t.Fatal(printed(m, l))
	}
	native, overridden, rr := 0, 0, 0
	for _, c := range x.Cells {
		v, _ := c.Axis("numerics")
		fast := v.Text == "fast"
		switch {
		case c.Family == "native":
			native++
			if !fast || !c.NoTwin {
				t.Errorf("%s exists", c.Address())
			}
		case c.Family == "rr":
			rr++
			if c.Library != "dlssd" || c.Wave64 != fast {
				t.Errorf("%s: library %s, wave64 %v", c.Address(), c.Library, c.Wave64)
			}
		case c.Group == "k_output":
			want, source := "stores", ""
			if fast && strings.Contains(c.Kernel, "_hdr_max_v2_") {
				overridden++
				want, source = "native", "kernels/native/max_hdr.hip"
			}
			if c.Recipe != want || c.Source != source {
				t.Errorf("%s: recipe %s, source %s", c.Address(), c.Recipe, c.Source)
			}
		}
	}
	if native != 48 || rr != 32 || overridden == 0 {
		t.Errorf("%d native, %d rr, %d overridden", native, rr, overridden)
	}
}
