package verify

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/cache"
	"kmx/release"
)

// The kernels of the sample, by family.
var sampleKernels = []struct{ family, name string }{
	{"k", "dltss_pwin_enc0_layer"}, {"m", "rrlite_enc1_4x4"}, {"m", "rrlite_downsample_kernel"},
}

// sampleSets are the folders of the sample: GPU, FP8, numerics.
func sampleSets() []release.SetPlan {
	var sets []release.SetPlan
	for _, numerics := range []string{release.Fast, release.Accuracy} {
		for _, g := range []struct{ target, fp8 string }{{"gfx1100", "false"}, {"gfx1201", "false"}, {"gfx1201", "true"}} {
			s := release.SetPlan{
				Path: g.target, Target: g.target, Generation: g.target[:5],
				Axes: map[string]string{release.NumericsAxis: numerics, "fp8": g.fp8},
			}
			if g.fp8 == "true" {
				s.Path += "-fp8"
			}
			if numerics == release.Accuracy {
				s.Path = "accuracy/" + s.Path
				s.Markers = map[string]string{AccuracyMarker: "1\n"}
			}
			sets = append(sets, s)
		}
	}
	return sets
}

func samplePlan() (release.Plan, error) {
	p := release.Plan{
		Project: "d4r-kernels", Version: "1.2.0", Suffix: "nonvidia", Date: "2026-11-30", Licence: "Apache-2.0",
		Matrix: cache.Sum([]byte("matrix")), Sources: cache.Sum([]byte("sources")),
		Toolchains: []release.Toolchain{{Name: "hip", Kind: "clang", Version: "19.1.7", Closure: cache.Sum([]byte("clang")), Lock: release.LockPinned}},
		Libraries:  []release.LibraryRule{{Name: "dlss", Match: "nvngx_dlss.dll"}},
		LeftOut: []release.LeftOut{
			{Rule: "family tex", Reason: "requires library dlss", Cells: 6},
			{Rule: `exclude "slow"`, Reason: "spills too much", Cells: 2, Until: "2026-12-31"},
		},
		Runtime: release.Runtime{HookABI: 1, Settings: map[string]string{"D4R_ZLUDA_FAST_MATH": "0"}},
	}
	for _, s := range sampleSets() {
		for _, k := range sampleKernels {
			address := fmt.Sprintf("%s/%s@%s", k.family, k.name, s.Target)
			if s.Axes["fp8"] == "true" {
				address += "+fp8"
			}
			if s.Axes[release.NumericsAxis] == release.Accuracy {
				address += "+accuracy"
			}
			if k.family == "k" && s.Target == "gfx1100" { // in the fast set and in the accuracy set
				s.LeftOut = append(s.LeftOut, release.Missing{Address: address, Rule: `exclude "slow"`, Reason: "spills too much"})
				continue
			}
			data := codeobjtest.New(k.name, s.Target).Bytes()
			obj, err := codeobj.Read(data)
			if err != nil {
				return p, err
			}
			s.Declared = append(s.Declared, address)
			s.Objects = append(s.Objects, release.Object{
				Address: address, Name: k.name, Family: k.family, Library: "dlss", Licence: "Apache-2.0",
				Target: s.Target, Toolchain: "hip", WaveSize: 32, Argv: []string{"hip:bin/clang++", "-o", k.name + ".hsaco"},
				Kernels: release.KernelsOf(obj), Symbols: release.SymbolsOf(obj),
				Action: cache.Sum([]byte(address)), Digest: cache.Sum(data), Size: int64(len(data)), Bytes: release.BytesOf(data),
			})
		}
		p.Sets = append(p.Sets, s)
	}
	return p, nil
}

// assembled is the sample, made once: assembling waits for the disk.
var assembled = sync.OnceValues(func() (string, error) {
	p, err := samplePlan()
	if err != nil {
		return "", err
	}
	dir, _, err := release.Assemble(ctx, parent, p, nil)
	return dir, err
})

// sample is a copy of the sample release, stamped if wanted.
func sample(t *testing.T, stamped bool) string {
	t.Helper()
	from, err := assembled()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "d4r-kernels-1.2.0-nonvidia")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if stamped {
		stamp(t, dir)
	}
	return dir
}

// stamp writes hashes as release:stamp would from a library of the test.
func stamp(t *testing.T, dir string) {
	t.Helper()
	for _, s := range setsOf(t, dir) {
		k := release.KernelHashes{}
		for _, e := range s.Objects {
			k[e.Name] = []uint64{hashOf(e.Name)}
		}
		write(t, k.Text(), dir, s.Path, release.KernelsFile)
	}
	reseal(t, dir, func(r *release.Release) { r.Stamped = true }, func(s *release.Set) {
		s.Files = append(s.Files, release.File{Name: release.KernelsFile})
	})
}

// hashOf is the hash of the module of a kernel in the tests.
func hashOf(name string) uint64 { return 0x1000000000000000 + uint64(len(name)) }

func setsOf(t *testing.T, dir string) []*release.Set {
	t.Helper()
	r, err := release.ReadRelease(dir)
	if err != nil {
		t.Fatal(err)
	}
	var sets []*release.Set
	for _, ref := range r.Sets {
		s, err := release.ReadSet(filepath.Join(dir, ref.Path))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	return sets
}

// reseal changes manifests and makes every digest fit what lies in the folders:
// what a forger would do who has no key.
func reseal(t *testing.T, dir string, change func(*release.Release), sets func(*release.Set)) {
	t.Helper()
	r, err := release.ReadRelease(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Sets {
		ref := &r.Sets[i]
		s, err := release.ReadSet(filepath.Join(dir, ref.Path))
		if err != nil {
			t.Fatal(err)
		}
		if sets != nil {
			sets(s)
		}
		for j := range s.Objects {
			if e := &s.Objects[j]; exists(dir, ref.Path, e.File.Name) {
				e.File = release.Describe(e.File.Name, read(t, dir, ref.Path, e.File.Name))
			}
		}
		for j := range s.Files {
			if f := &s.Files[j]; exists(dir, ref.Path, f.Name) {
				*f = release.Describe(f.Name, read(t, dir, ref.Path, f.Name))
			}
		}
		data, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		write(t, data, dir, ref.Path, release.ManifestFile)
		ref.Manifest, ref.Objects = release.Describe(release.ManifestFile, data), len(s.Objects)
	}
	if change != nil {
		change(r)
	}
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, data, dir, release.ManifestFile)
}

func exists(parts ...string) bool {
	_, err := os.Stat(filepath.Join(parts...))
	return err == nil
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, data []byte, parts ...string) {
	t.Helper()
	name := filepath.Join(parts...)
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// flip changes one byte of a file.
func flip(t *testing.T, at int, parts ...string) {
	t.Helper()
	data := read(t, parts...)
	data[at] ^= 1
	write(t, data, parts...)
}

// problems are what Prove says, one a line.
func problems(t *testing.T, name string, o Options) string {
	t.Helper()
	p, err := Prove(t.Context(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, problem := range p.Problems {
		all = append(all, problem.String())
	}
	return strings.Join(all, "\n")
}

// filesBelow lists the files below a folder by slash path.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			found[filepath.ToSlash(rel)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}
