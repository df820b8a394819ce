package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/cache"
	"kmx/release"
)

const nvidiaLicence = "LicenseRef-NVIDIA-derived"

// network and full are the archive blocks of the tests.
var (
	network = Archive{Name: "network", Families: []string{"k", "m"}, Formats: []string{TarZst}, Redistributable: true, Without: []string{"nonvidia"}}
	full    = Archive{Name: "full", Formats: []string{Zip}}
	licence = []Notice{{"LICENSE", []byte("Apache License, in full\n")}}
)

// choice changes the release of a test.
type choice struct {
	tex    bool                // with objects made of NVIDIA's code
	object func([]byte) []byte // changes the bytes of one object, k/enc0 for gfx1201
}

func TestMain(m *testing.M) {
	syncFS = func(string) error { return nil }
	code := m.Run()
	for _, dir := range samples {
		os.RemoveAll(filepath.Dir(dir))
	}
	os.Exit(code)
}

// samples are releases without and with NVIDIA's code, made once: making one
// waits for the disk.
var samples = map[bool]string{}

// sample is a copy of a small release: two kernels, for two GPUs, fast and accuracy.
func sample(t *testing.T, c choice) string {
	t.Helper()
	if c.object != nil {
		return assembled(t, t.TempDir(), c)
	}
	if samples[c.tex] == "" {
		dir, err := os.MkdirTemp("", "kmx-pack-test")
		if err != nil {
			t.Fatal(err)
		}
		samples[c.tex] = assembled(t, dir, c)
	}
	to := filepath.Join(t.TempDir(), filepath.Base(samples[c.tex]))
	if err := os.CopyFS(to, os.DirFS(samples[c.tex])); err != nil {
		t.Fatal(err)
	}
	return to
}

// assembled makes such a release below a folder.
func assembled(t *testing.T, dist string, c choice) string {
	t.Helper()
	p := release.Plan{
		Project: "d4r-kernels", Version: "1.2.0", Date: "2026-11-30", Licence: "Apache-2.0",
		Matrix: cache.Sum([]byte("matrix")), Sources: cache.Sum([]byte("sources")),
		Toolchains: []release.Toolchain{{Name: "hip", Kind: "clang", Version: "19.1.7", Closure: cache.Sum([]byte("clang")), Lock: release.LockPinned}},
		Variables:  []release.PlanVariable{{Variable: release.Variable{Name: "version", Value: "1.2.0", Default: "0.0.0-dev"}}},
		Libraries:  []release.LibraryRule{{Name: "dlss", Match: "nvngx_dlss.dll"}},
	}
	if !c.tex {
		p.Suffix = "nonvidia"
		p.LeftOut = []release.LeftOut{{Rule: "family tex", Reason: "requires library dlss", Cells: 4}}
	}
	for _, numerics := range []string{release.Fast, release.Accuracy} {
		for _, target := range []string{"gfx1100", "gfx1201"} {
			s := release.SetPlan{Path: target, Target: target, Generation: target[:5], Axes: map[string]string{release.NumericsAxis: numerics}}
			if numerics == release.Accuracy {
				s.Path = "accuracy/" + target
				s.Markers = map[string]string{"d4r-accuracy.txt": "1\n"}
			}
			for _, k := range []struct{ family, name, licence, module string }{
				{"k", "enc0", "Apache-2.0", ""}, {"m", "enc1", "Apache-2.0", ""}, {"tex", "post", nvidiaLicence, "0123456789abcdef"},
			} {
				if k.family == "tex" && !c.tex {
					continue
				}
				data := codeobjtest.New(k.name, target).Bytes()
				if c.object != nil && k.family == "k" && s.Path == "gfx1201" {
					data = c.object(data)
				}
				address := fmt.Sprintf("%s/%s@%s", k.family, k.name, target)
				if numerics == release.Accuracy {
					address += "+accuracy"
				}
				s.Declared = append(s.Declared, address)
				s.Objects = append(s.Objects, release.Object{
					Address: address, Name: k.name, Family: k.family, Library: "dlss", Licence: k.licence, Module: k.module,
					Target: target, Toolchain: "hip", WaveSize: 32, Argv: []string{"hip:bin/clang++", "-o", k.name + ".hsaco"},
					Action: cache.Sum([]byte(address)), Digest: cache.Sum(data), Size: int64(len(data)), Bytes: release.BytesOf(data),
				})
			}
			p.Sets = append(p.Sets, s)
		}
	}
	dir, _, err := release.Assemble(t.Context(), dist, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// packedDir packs a release and returns the folder of archives.
func packedDir(t *testing.T, dir string, archives ...Archive) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "archives")
	if _, err := Pack(t.Context(), Options{Release: dir, Out: out, Archives: archives, Notices: licence}); err != nil {
		t.Fatal(err)
	}
	return out
}

// file is the content of a file.
func file(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// listing is every file below dir with its digest, one a line.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		fmt.Fprintf(&b, "%s %s\n", filepath.ToSlash(rel), sha256Of(file(t, p)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// refused checks that err says each of the texts.
func refused(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
