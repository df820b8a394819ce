package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/cuda/fatbin/fatbintest"
	"kmx/internal/diag"
	"kmx/release"
)

// topology writes nodes "SIMDS VERSION", "cpu" or "" for a node that is not there.
func topology(t *testing.T, nodes ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, n := range nodes {
		if n == "" {
			continue
		}
		simds, version, _ := strings.Cut(n, " ")
		if n == "cpu" {
			simds, version = "0", "0"
		}
		text := fmt.Sprintf("cpu_cores_count 16\nsimd_count %s\nmem_banks_count 1\ngfx_target_version %s\nmax_waves_per_simd 16\n", simds, version)
		write(t, []byte(text), dir, fmt.Sprint(i), "properties")
	}
	return dir
}

const (
	navi48  = "128 120001" // gfx1201
	navi44  = "64 120000"  // gfx1200
	navi31  = "192 110000" // gfx1100
	phoenix = "24 110003"  // gfx1103
	raphael = "4 100306"   // gfx1036
)

var (
	fp8On      = map[string]string{fp8Setting: "1"}
	accuracyOn = map[string]string{accuracySetting: "1"}
	bothOn     = map[string]string{accuracySetting: "1", fp8Setting: "1"}
)

// with is a setting more.
func with(settings map[string]string, name, value string) map[string]string {
	m := map[string]string{"D4R_ZLUDA_FAST_MATH": "0", name: value}
	for k, v := range settings {
		m[k] = v
	}
	return m
}

func TestSelect(t *testing.T) {
	remove := func(names ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for _, name := range names {
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, c := range []struct {
		name      string
		nodes     []string
		settings  map[string]string
		unstamped bool
		at        string // folder below the release that is given
		change    func(*testing.T, string)
		gpu       string
		folder    string // "" where native kernels stay off
		mode      string
		served    int
		says      []string // of all that is said
	}{
		{name: "no node", folder: "", says: []string{"the topology has no node", "there is no GPU"}},
		{name: "processors only", nodes: []string{"cpu", "cpu"}, says: []string{"none of its 2 nodes is a GPU"}},
		{name: "one card", nodes: []string{"cpu", navi31}, gpu: "gfx1100", folder: "gfx1100", mode: HashChecked, served: 2,
			says: []string{"node 1 is the only GPU (192 SIMDs)", ".: passed over, not looked at, another came first"}},
		{name: "one card of gfx12, FP8 off", nodes: []string{"cpu", navi48}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3},
		{name: "FP8 on", nodes: []string{"cpu", navi48}, settings: fp8On, gpu: "gfx1201", folder: "gfx1201-fp8", mode: HashChecked, served: 3},
		{name: "FP8 neither on nor off", nodes: []string{navi48}, settings: map[string]string{fp8Setting: "true"}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3},
		{name: "FP8 on for gfx11", nodes: []string{navi31}, settings: fp8On, gpu: "gfx1100", folder: "gfx1100", mode: HashChecked, served: 2},
		{name: "no FP8 set", nodes: []string{navi48}, settings: fp8On, change: remove("gfx1201-fp8"), gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3,
			says: []string{"gfx1201-fp8: refused, there is no such folder"}},
		{name: "FP8 set without hashes", nodes: []string{navi48}, settings: fp8On, change: remove("gfx1201-fp8/d4r-kernels.txt"), gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3,
			says: []string{"gfx1201-fp8: refused, it has no d4r-kernels.txt, and a fast set without is served only from a folder without gfx* folders"}},
		{name: "two cards", nodes: []string{"cpu", navi48, navi31}, gpu: "gfx1100", folder: "gfx1100", mode: HashChecked, served: 2,
			says: []string{"node 2 has the most SIMDs, 192"}},
		{name: "APU and card", nodes: []string{phoenix, navi48}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3},
		{name: "card and graphics of a processor", nodes: []string{"cpu", navi31, raphael}, gpu: "gfx1100", folder: "gfx1100", mode: HashChecked, served: 2},
		{name: "a tie", nodes: []string{"cpu", "128 110000", navi48}, gpu: "gfx1100", folder: "gfx1100", mode: HashChecked, served: 2,
			says: []string{"the first of those with that many"}},
		{name: "a tie the other way round", nodes: []string{"cpu", navi48, "128 110000"}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3},
		{name: "a hole in the numbers", nodes: []string{"cpu", "", "", navi31}, gpu: "gfx1100", folder: "gfx1100", mode: HashChecked, served: 2},
		{name: "node 15", nodes: append(make([]string, 15), navi31), gpu: "gfx1100", folder: "gfx1100", mode: HashChecked, served: 2},
		{name: "node 16 is not looked at", nodes: append(make([]string, 16), navi31), says: []string{"the topology has no node"}},
		{name: "SIMDs without a version", nodes: []string{"64 0", navi31}, gpu: "gfx1100", folder: "gfx1100", mode: HashChecked, served: 2},
		{name: "no number", nodes: []string{"many 120001", "-1 120001", "64 120000x"}, says: []string{`simd_count is "many", no number`, `simd_count is "-1", no number`, "there is no GPU"}},
		{name: "a stepping in hex", nodes: []string{"440 90010"}, gpu: "gfx90a", says: []string{"native kernels stay off: no folder is served to gfx90a"}},
		{name: "another stepping", nodes: []string{"64 100306"}, gpu: "gfx1036", says: []string{"no folder is served to gfx1036"}},
		{name: "minor version", nodes: []string{"80 110501"}, gpu: "gfx1151", says: []string{"no folder is served to gfx1151"}},
		{name: "a GPU that the release is not for", nodes: []string{navi44}, settings: fp8On, gpu: "gfx1200",
			says: []string{"gfx1200-fp8: refused, there is no such folder", "gfx1200: refused, there is no such folder", ".: refused, it has no d4r-kernels.txt"}},
		{name: "override", nodes: []string{navi31}, settings: map[string]string{archSetting: "gfx1201"}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3,
			says: []string{"D4R_GPU_ARCH says so"}},
		{name: "override without a GPU", settings: map[string]string{archSetting: "gfx1201", fp8Setting: "1"}, gpu: "gfx1201", folder: "gfx1201-fp8", mode: HashChecked, served: 3},
		{name: "an override that is none", nodes: []string{navi31}, settings: map[string]string{archSetting: "1201"}, gpu: "gfx1100", folder: "gfx1100", mode: HashChecked, served: 2,
			says: []string{"D4R_GPU_ARCH=1201 does not begin with gfx"}},
		{name: "accuracy", nodes: []string{navi48}, settings: accuracyOn, gpu: "gfx1201", folder: "accuracy/gfx1201", mode: HashChecked, served: 3},
		{name: "accuracy and FP8", nodes: []string{navi48}, settings: bothOn, gpu: "gfx1201", folder: "accuracy/gfx1201-fp8", mode: HashChecked, served: 3},
		{name: "accuracy of an unstamped release", unstamped: true, nodes: []string{navi48}, settings: accuracyOn, gpu: "gfx1201", folder: "accuracy/gfx1201", mode: Developer, served: 3},
		{name: "accuracy folder given", nodes: []string{navi31}, settings: accuracyOn, at: "accuracy/gfx1100", gpu: "gfx1100", folder: "accuracy/gfx1100", mode: HashChecked, served: 2,
			says: []string{"gfx1100: refused, there is no such folder", ".: accepted"}},
		{name: "no accuracy sets", nodes: []string{navi48}, settings: accuracyOn, change: remove("accuracy"), gpu: "gfx1201",
			says: []string{"there is no accuracy set for gfx1201, and a fast one is never taken in its place"}},
		{name: "the accuracy set is missing", nodes: []string{navi48}, settings: accuracyOn, change: remove("accuracy/gfx1201"), gpu: "gfx1201",
			says: []string{"gfx1201: refused, there is no such folder", ".: refused, it has no d4r-accuracy.txt"}},
		{name: "the accuracy set is unmarked", nodes: []string{navi48}, settings: accuracyOn, change: remove("accuracy/gfx1201/d4r-accuracy.txt"), gpu: "gfx1201",
			says: []string{"gfx1201: refused, it has no d4r-accuracy.txt, so it is no accuracy set"}},
		{name: "the FP8 accuracy set is unmarked", nodes: []string{navi48}, settings: bothOn, change: remove("accuracy/gfx1201-fp8/d4r-accuracy.txt"),
			gpu: "gfx1201", folder: "accuracy/gfx1201", mode: HashChecked, served: 3},
		{name: "unmarked and unstamped", unstamped: true, nodes: []string{navi48}, settings: accuracyOn, change: remove("accuracy/gfx1201/d4r-accuracy.txt"), gpu: "gfx1201"},
		{name: "accuracy asked of a fast folder", nodes: []string{navi48}, settings: accuracyOn, at: "gfx1201", gpu: "gfx1201",
			says: []string{"there is no accuracy set"}},
		{name: "unstamped", unstamped: true, nodes: []string{navi48}, gpu: "gfx1201",
			says: []string{"gfx1201: refused, it has no d4r-kernels.txt", ".: refused, it has no d4r-kernels.txt"}},
		{name: "unstamped, the set itself", unstamped: true, nodes: []string{navi48}, at: "gfx1201", gpu: "gfx1201", folder: "gfx1201", mode: Unchecked, served: 3},
		{name: "unstamped, the set itself, of another GPU", unstamped: true, nodes: []string{navi31}, at: "gfx1201", gpu: "gfx1100", folder: "gfx1201", mode: Unchecked, served: 0,
			says: []string{"wrong: rrlite_enc1_4x4: it is for gfx1201, the GPU is gfx1100"}},
		{name: "no folder gfx*, a file of that name", unstamped: true, nodes: []string{navi48}, at: "gfx1201", change: func(t *testing.T, dir string) { write(t, nil, dir, "gfx1201", "gfx1201.txt") },
			gpu: "gfx1201", folder: "gfx1201", mode: Unchecked, served: 3},
		{name: "encoders off", nodes: []string{navi48}, settings: map[string]string{swinSetting: "0"}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 2,
			says: []string{"rrlite_enc1_4x4: not served, D4R_NATIVE_SWIN_ENCODERS=0 drops it", "drops 1 kernel"}},
		{name: "encoders off and unstamped", unstamped: true, nodes: []string{navi48}, settings: with(accuracyOn, swinSetting, "0"), gpu: "gfx1201",
			says: []string{"D4R_NATIVE_SWIN_ENCODERS=0 turns down what has none"}},
		{name: "a kernel without a hash", nodes: []string{navi48}, change: func(t *testing.T, dir string) {
			write(t, release.KernelHashes{"rrlite_enc1_4x4": {1}, "gone": {2}}.Text(), dir, "gfx1201", release.KernelsFile)
		}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 1,
			says: []string{"wrong: gone: it has a hash and no object", "wrong: rrlite_downsample_kernel: it has no hash in d4r-kernels.txt", "output is not direct"}},
		{name: "an object that is none", nodes: []string{navi48}, change: func(t *testing.T, dir string) { write(t, []byte("x"), dir, "gfx1201", "rrlite_enc1_4x4.hsaco") },
			gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 2, says: []string{"wrong: rrlite_enc1_4x4: it is no code object"}},
		{name: "settings as needed", nodes: []string{navi48}, settings: with(nil, "D4R_X", "1"), gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3,
			says: []string{"its objects need hook ABI 1"}},
		{name: "a setting that nobody says", nodes: []string{navi48}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3,
			says: []string{"wrong: its objects need D4R_ZLUDA_FAST_MATH=0, which the settings do not say"}},
		{name: "another setting", nodes: []string{navi48}, settings: map[string]string{"D4R_ZLUDA_FAST_MATH": "1"}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3,
			says: []string{"wrong: its objects need D4R_ZLUDA_FAST_MATH=0, the settings say 1"}},
		{name: "a setting that accuracy decides", nodes: []string{navi48}, settings: with(accuracyOn, "D4R_ZLUDA_WAVE64", "1"), change: func(t *testing.T, dir string) {
			reseal(t, dir, func(r *release.Release) {
				r.Runtime.Settings = map[string]string{"D4R_ZLUDA_FAST_MATH": "0", "D4R_ZLUDA_WAVE64": "1"}
			}, nil)
		}, gpu: "gfx1201", folder: "accuracy/gfx1201", mode: HashChecked, served: 3,
			says: []string{"wrong: its objects need D4R_ZLUDA_WAVE64=1, and D4R_PREFER_ACCURACY=1 makes it 0"}},
		{name: "another folder in the settings", nodes: []string{navi48}, settings: map[string]string{dirSetting: "/opt/d4r/kernels"}, gpu: "gfx1201", folder: "gfx1201", mode: HashChecked, served: 3,
			says: []string{"D4R_ZLUDA_NATIVE_DIR is /opt/d4r/kernels in the settings"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := sample(t, !c.unstamped)
			if c.change != nil {
				c.change(t, root)
			}
			nodes, err := ReadTopology(topology(t, c.nodes...))
			if err != nil {
				t.Fatal(err)
			}
			s, err := Select(t.Context(), filepath.Join(root, c.at), Machine{Nodes: nodes, Settings: c.settings})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := s.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			folder, served := "", 0
			if s.Folder != "" {
				folder, _ = filepath.Rel(root, s.Folder)
				folder = filepath.ToSlash(folder)
			}
			for _, k := range s.Kernels {
				if k.Served {
					served++
				}
			}
			if s.GPU != c.gpu || folder != c.folder || s.Mode != c.mode || served != c.served {
				t.Errorf("GPU %q, folder %q %s, %d kernels; want %q, %q %s, %d\n%s", s.GPU, folder, s.Mode, served, c.gpu, c.folder, c.mode, c.served, b.String())
			}
			if (s.Folder == "") != strings.Contains(b.String(), "native kernels stay off") {
				t.Errorf("whether native kernels are off is not said:\n%s", b.String())
			}
			for _, want := range c.says {
				if !strings.Contains(b.String(), want) {
					t.Errorf("nobody says %s in\n%s", want, b.String())
				}
			}
		})
	}
}

// Hashes are held against the libraries that will be loaded.
func TestSelectLibraries(t *testing.T) {
	dir := sample(t, true)
	text := fatbintest.Text("rrlite_enc1_4x4", "\r\n")
	lib := filepath.Join(t.TempDir(), "nvngx_dlss.dll")
	write(t, fatbintest.PE(fatbintest.Container(fatbintest.Entry{PTX: text}, fatbintest.Entry{PTX: fatbintest.Text("dltss_pwin_enc0_layer", "\n")})), lib)
	var h uint64 = 0xcbf29ce484222325
	for _, c := range text {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	write(t, release.KernelHashes{"rrlite_enc1_4x4": {7, h}, "dltss_pwin_enc0_layer": {8}, "rrlite_downsample_kernel": {9}}.Text(), dir, "gfx1201", release.KernelsFile)
	for _, given := range []string{lib, filepath.Dir(lib)} {
		s, err := Select(t.Context(), dir, Machine{Settings: map[string]string{archSetting: "gfx1201"}, Libraries: []string{given}})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"rrlite_enc1_4x4":          fmt.Sprintf("module %016x is in the libraries", h),
			"dltss_pwin_enc0_layer":    "stale: the libraries define it in module ",
			"rrlite_downsample_kernel": "no module of the libraries defines it",
		} {
			found := false
			for _, k := range s.Kernels {
				if k.Name == name {
					found = strings.HasPrefix(k.Why, want) && k.Served == (name == "rrlite_enc1_4x4")
				}
			}
			if !found {
				t.Errorf("%s: %+v, want %s", name, s.Kernels, want)
			}
		}
		if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, "2 of 3 kernels would never be served") {
			t.Errorf("notes: %s", notes)
		}
	}
	if _, err := Select(t.Context(), dir, Machine{Settings: map[string]string{archSetting: "gfx1201"}, Libraries: []string{dir}}); diag.ExitCode(err) != int(diag.Usage) {
		t.Errorf("a folder without a library: %v", err)
	}
}

func TestSettings(t *testing.T) {
	dir := t.TempDir()
	write(t, []byte("\ufeff; comment\r\n[d4r]\r\nD4R_PREFER_ACCURACY = 1\r\n# D4R_GPU_ARCH=gfx1\r\nD4R_GPU_ARCH=\"gfx1201\"\nA=b=c\nA=d\n"), dir, "d4r.ini")
	s, err := ReadSettings(filepath.Join(dir, "d4r.ini"))
	if err != nil || s[accuracySetting] != "1" || s[archSetting] != "gfx1201" || s["A"] != "d" || len(s) != 3 {
		t.Errorf("%v %v", s, err)
	}
	if err := s.Set("A=e,B="); err != nil || s["A"] != "e" || s["B"] != "" || len(s) != 4 {
		t.Errorf("%v %v", s, err)
	}
	if err := s.Set("A"); diag.ExitCode(err) != int(diag.Usage) {
		t.Errorf("%v", err)
	}
	write(t, []byte("A=1\nwhat\n=2\n"), dir, "bad.ini")
	if _, err := ReadSettings(filepath.Join(dir, "bad.ini")); err == nil || !strings.Contains(err.Error(), "bad.ini:2:") || !strings.Contains(err.Error(), "bad.ini:3:") {
		t.Errorf("%v", err)
	}
	if _, err := ReadSettings(filepath.Join(dir, "absent")); diag.ExitCode(err) != int(diag.Usage) {
		t.Errorf("%v", err)
	}
}

func TestReadTopology(t *testing.T) {
	dir := topology(t, "cpu", navi48)
	above := t.TempDir()
	if err := os.Rename(dir, filepath.Join(above, "nodes")); err != nil {
		t.Fatal(err)
	}
	nodes, err := ReadTopology(above)
	if err != nil || len(nodes) != 2 || nodes[0].GPU() || nodes[1].Name() != "gfx1201" {
		t.Errorf("%v %v", nodes, err)
	}
	if nodes, err := ReadTopology(filepath.Join(above, "absent")); err != nil || len(nodes) != 0 {
		t.Errorf("%v %v", nodes, err)
	}
	if _, err := ReadTopology(filepath.Join(above, "nodes", "0", "properties")); diag.ExitCode(err) != int(diag.Usage) {
		t.Errorf("%v", err)
	}
}

func FuzzProperties(f *testing.F) {
	f.Add("simd_count 4\ngfx_target_version 90010\n")
	f.Fuzz(func(t *testing.T, text string) {
		var n Node
		n.read(text)
		if name := n.Name(); !strings.HasPrefix(name, "gfx") {
			t.Error(name)
		}
	})
}

func FuzzSettings(f *testing.F) {
	f.Add("[a]\nA=1\n;x\n")
	f.Fuzz(func(t *testing.T, text string) {
		name := filepath.Join(t.TempDir(), "d4r.ini")
		write(t, []byte(text), name)
		s, err := ReadSettings(name)
		if (s == nil) != (err != nil) {
			t.Errorf("%v %v", s, err)
		}
	})
}
