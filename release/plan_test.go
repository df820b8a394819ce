package release

import (
	"fmt"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/internal/diag"
)

// samplePlan is a release of two GPUs: K serves both folders of gfx1201, M
// has an object of its own for FP8.
func samplePlan() Plan {
	p := Plan{
		Project: "d4r-kernels", Version: "1.2.0", Date: "2026-11-30", Licence: "Apache-2.0",
		Libraries:  []LibraryRule{{"dlss", "nvngx_dlss.dll"}, {"dlssd", "nvngx_dlssd.dll"}},
		Matrix:     cache.Sum([]byte("matrix")),
		Sources:    cache.Sum([]byte("sources")),
		Toolchains: []Toolchain{{"hip", "clang", "19.1.7", cache.Sum([]byte("clang")), LockPinned}},
		Variables: []PlanVariable{
			{Variable{"version", "1.2.0", "0.0.0-dev"}, false},
			{Variable{"dlss", "/home/someone/nvngx_dlss.dll", ""}, true},
			{Variable{"extra_flags", "", ""}, false},
		},
		LeftOut: []LeftOut{{Rule: "family tex", Reason: "requires library dlss, which was not given", Cells: 41}},
		Runtime: Runtime{HookABI: 1, Settings: map[string]string{"D4R_ZLUDA_IMPLICIT_MAX_BLOCK": "256", "D4R_ZLUDA_FAST_MATH": "0"}},
	}
	for _, numerics := range []string{Fast, Accuracy} {
		for _, set := range []struct{ target, fp8 string }{{"gfx1100", "false"}, {"gfx1201", "false"}, {"gfx1201", "true"}} {
			p.Sets = append(p.Sets, sampleSet(set.target, set.fp8, numerics))
		}
	}
	return p
}

func sampleSet(target, fp8, numerics string) SetPlan {
	s := SetPlan{
		Path: target, Target: target, Generation: target[:5],
		Axes: map[string]string{NumericsAxis: numerics, "fp8": fp8},
	}
	suffix := ""
	if numerics == Accuracy {
		s.Path, suffix = "accuracy/"+s.Path, "+accuracy"
		s.Markers = map[string]string{"d4r-accuracy.txt": "1\n"}
	}
	fp8Suffix := ""
	if fp8 == "true" {
		s.Path, fp8Suffix = s.Path+"-fp8", "+fp8"
	}
	s.add("k", "dltss_pwin_enc1_layer", suffix)
	s.add("m", "rrlite_enc1_4x4", fp8Suffix+suffix)
	return s
}

func (s *SetPlan) add(family, name, suffix string) {
	address := fmt.Sprintf("%s/%s@%s%s", family, name, s.Target, suffix)
	prep := uint64(34)
	data := []byte("object of " + address)
	s.Declared = append(s.Declared, address)
	s.Objects = append(s.Objects, Object{
		Address: address, Name: name, Family: family, Library: "dlss", Licence: "Apache-2.0",
		Target: s.Target, Toolchain: "hip", WaveSize: 32,
		Argv:   []string{"hip:bin/clang++", "--offload-arch=" + s.Target, "-DA=<b>", "-o", name + ObjectSuffix},
		Action: cache.Sum([]byte("action " + address)),
		Kernels: []Kernel{
			{Name: name + "_prep", WaveSize: 32, VGPRs: 12, SGPRs: 16, Waves: 16, MaxWorkgroup: 256, CodeBytes: 512},
			{Name: name, WaveSize: 32, VGPRs: 192, SGPRs: 40, LDS: 14464, Waves: 8, MaxWorkgroup: 128, CodeBytes: 20480},
		},
		Symbols: []Symbol{
			{Name: name, Kind: "kernel", Size: 20480},
			{Name: "d4r_prep_blocks", Kind: "data", Size: 4, Value: &prep},
		},
		Digest: cache.Sum(data), Size: int64(len(data)), Bytes: BytesOf(data),
	})
}

func TestPlanIsCheckedBeforeAnythingIsWritten(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(p *Plan)
		class diag.Class
		want  []string // parts of the error, each on its own line
		rerun string
	}{
		{"hole in two sets", func(p *Plan) {
			p.Sets[0].Objects = p.Sets[0].Objects[:1]
			p.Sets[1].Objects[1].Bytes = nil
		}, diag.Cells, []string{
			"set gfx1100 lacks m/rrlite_enc1_4x4@gfx1100",
			"set gfx1201 lacks m/rrlite_enc1_4x4@gfx1201",
		}, "mage build m/rrlite_enc1_4x4@gfx1100,m/rrlite_enc1_4x4@gfx1201"},
		{"no accuracy twin", func(p *Plan) {
			p.Sets[3].Objects, p.Sets[3].Declared = p.Sets[3].Objects[:1], p.Sets[3].Declared[:1]
		}, diag.Matrix, []string{"set gfx1100: m/rrlite_enc1_4x4@gfx1100 has no accuracy twin"}, ""},
		{"no accuracy set", func(p *Plan) { p.Sets = p.Sets[:5] }, diag.Matrix, []string{
			"set gfx1201-fp8: k/dltss_pwin_enc1_layer@gfx1201 has no accuracy twin",
			"set gfx1201-fp8: m/rrlite_enc1_4x4@gfx1201+fp8 has no accuracy twin",
		}, ""},
		{"object of another GPU", func(p *Plan) { p.Sets[0].Objects[0].Target = "gfx1101" }, diag.Matrix,
			[]string{"k/dltss_pwin_enc1_layer@gfx1100 is for gfx1101, the set is for gfx1100"}, ""},
		{"not declared", func(p *Plan) { p.Sets[0].Declared = p.Sets[0].Declared[1:] }, diag.Matrix,
			[]string{"set gfx1100: k/dltss_pwin_enc1_layer@gfx1100 is not declared for it"}, ""},
		{"one name twice", func(p *Plan) {
			o := p.Sets[0].Objects[0]
			o.Address, o.Name = "x/other@gfx1100", strings.ToUpper(o.Name)
			p.Sets[0].Declared = append(p.Sets[0].Declared, o.Address)
			p.Sets[0].Objects = append(p.Sets[0].Objects, o)
			o.NoTwin = "test"
		}, diag.Matrix, []string{"k/dltss_pwin_enc1_layer@gfx1100 and x/other@gfx1100 both want the file"}, ""},
		{"path that leaves the folder", func(p *Plan) { p.Sets[0].Path = "../gfx1100" }, diag.Matrix,
			[]string{`set path "../gfx1100"`}, ""},
		{"version with a slash", func(p *Plan) { p.Version = "1/2" }, diag.Matrix, []string{`version "1/2" holds '/'`}, ""},
		{"marker in the way", func(p *Plan) { p.Sets[0].Markers = map[string]string{"manifest.json": ""} }, diag.Matrix,
			[]string{"marker manifest.json is a name that kmx writes itself"}, ""},
		{"no set", func(p *Plan) { p.Sets = nil }, diag.Matrix, []string{"the release has no set"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dist := t.TempDir()
			p := samplePlan()
			tt.spoil(&p)
			_, _, err := Assemble(t.Context(), dist, p, nil)
			f, ok := err.(*diag.Failure)
			if !ok {
				t.Fatalf("error is %v", err)
			}
			if f.Class != tt.class || f.Rerun != tt.rerun {
				t.Errorf("class %v, rerun %q", f.Class, f.Rerun)
			}
			for _, w := range tt.want {
				if !strings.Contains(f.Error(), w) {
					t.Errorf("error lacks %q:\n%v", w, f)
				}
			}
			if left := listing(t, dist); left != "" {
				t.Errorf("something was written:\n%s", left)
			}
		})
	}
}

func TestTwinExemption(t *testing.T) {
	p := samplePlan()
	p.Sets[3].Objects, p.Sets[3].Declared = p.Sets[3].Objects[:1], p.Sets[3].Declared[:1]
	p.Sets[0].Objects[1].NoTwin = "it exists in fast sets only"
	dir, _, err := Assemble(t.Context(), t.TempDir(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadSet(dir + "/gfx1100")
	if err != nil {
		t.Fatal(err)
	}
	if s.Objects[1].NoTwin == "" {
		t.Error("the manifest does not give the reason")
	}
}
