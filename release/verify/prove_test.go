package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/internal/diag"
	"kmx/release"
)

func TestWhole(t *testing.T) {
	for _, stamped := range []bool{false, true} {
		dir := sample(t, stamped)
		p, err := Prove(t.Context(), dir, Options{})
		if err != nil || len(p.Problems) > 0 {
			t.Fatalf("%v %v", err, p.Problems)
		}
		if p.Sets != 6 || p.Objects != 16 || p.Title != "d4r-kernels-1.2.0-nonvidia" || p.Err() != nil {
			t.Errorf("%+v", p)
		}
		if unstamped := strings.Contains(strings.Join(p.Notes, "\n"), "not stamped"); unstamped == stamped {
			t.Errorf("stamped = %v, notes %v", stamped, p.Notes)
		}
	}
	if got := problems(t, filepath.Join(sample(t, true), "accuracy", "gfx1201-fp8"), Options{}); got != "" {
		t.Errorf("a set alone: %s", got)
	}
}

// One byte in each file of a release is found, and the file named. A byte of a
// manifest of a set is the root manifest's to find; one of the root manifest, its
// own shape's or a digest's.
func TestEveryByteOfEveryFile(t *testing.T) {
	dir := sample(t, true)
	files := filesBelow(t, dir)
	kinds := map[string]int{}
	for _, f := range files {
		kinds[filepath.Base(f)]++
	}
	if kinds[release.ManifestFile] != 7 || kinds[release.KernelsFile] != 6 || kinds[AccuracyMarker] != 3 || len(files) != 32 {
		t.Fatalf("%d files: %v", len(files), kinds)
	}
	for _, name := range files {
		data := read(t, dir, name)
		for _, at := range []int{0, len(data) / 2, len(data) - 1} {
			flip(t, at, dir, name)
			got := problems(t, dir, Options{})
			flip(t, at, dir, name)
			if !strings.HasPrefix(got, name+": ") && !strings.Contains(got, "\n"+name+": ") {
				// The root manifest vouches for others: a byte of a digest in it shows
				// as another file's.
				if name != release.ManifestFile || got == "" {
					t.Errorf("byte %d of %s: %q", at, name, got)
				}
			}
		}
	}
	if got := problems(t, dir, Options{}); got != "" {
		t.Errorf("afterwards: %s", got)
	}
}

// The manifests are consistent, the release is not what it should be.
func TestForgeries(t *testing.T) {
	const enc1 = "rrlite_enc1_4x4"
	object := func(target string, change func(*codeobjtest.Object)) []byte {
		o := codeobjtest.New(enc1, target)
		if change != nil {
			change(o)
		}
		return o.Bytes()
	}
	entry := func(set string, change func(*release.Entry)) func(*release.Set) {
		return func(s *release.Set) {
			for i := range s.Objects {
				if s.Path == set && s.Objects[i].Name == enc1 {
					change(&s.Objects[i])
				}
			}
		}
	}
	for _, c := range []struct {
		name   string
		files  func(t *testing.T, dir string)
		root   func(*release.Release)
		set    func(*release.Set)
		o      Options
		wanted string
	}{
		{name: "a foreign GPU's object", files: func(t *testing.T, dir string) { write(t, object("gfx1100", nil), dir, "gfx1201", enc1+".hsaco") },
			wanted: "gfx1201/rrlite_enc1_4x4.hsaco: this is a gfx1100 object in a gfx1201 folder"},
		{name: "another wave size", files: func(t *testing.T, dir string) {
			write(t, object("gfx1201", func(o *codeobjtest.Object) { o.Kernels[0].Wave = 64 }), dir, "gfx1201", enc1+".hsaco")
		}, wanted: "gfx1201/rrlite_enc1_4x4.hsaco: "},
		{name: "another hook value", files: func(t *testing.T, dir string) {
			write(t, object("gfx1201", func(o *codeobjtest.Object) { o.Vars[0].Value = 41 }), dir, "gfx1201", enc1+".hsaco")
		}, wanted: "d4r_prep_blocks has another value than declared"},
		{name: "another kernel's object", files: func(t *testing.T, dir string) {
			write(t, codeobjtest.New("other", "gfx1201").Bytes(), dir, "gfx1201", enc1+".hsaco")
		}, wanted: "gfx1201/rrlite_enc1_4x4.hsaco: "},
		{name: "more registers than said", files: func(t *testing.T, dir string) {
			write(t, object("gfx1201", func(o *codeobjtest.Object) { o.Kernels[0].VGPRs = 104 }), dir, "gfx1201", enc1+".hsaco")
		}, wanted: "the manifest is wrong about kernel rrlite_enc1_4x4: vgprs is 104, the manifest says 96"},
		{name: "a control symbol that nobody lists", set: entry("gfx1201", func(e *release.Entry) { e.Symbols = e.Symbols[1:] }),
			wanted: "d4r_block_z = 4 is exported and would steer the launch, but it is not declared"},
		{name: "an export that nobody lists", set: entry("gfx1201", func(e *release.Entry) { e.Symbols = e.Symbols[:len(e.Symbols)-1] }),
			wanted: "the object has symbol rrlite_enc1_4x4_prep.kd, the manifest does not list it"},
		{name: "a symbol that is not there", set: entry("gfx1201", func(e *release.Entry) {
			e.Symbols = append(e.Symbols, release.Symbol{Name: "more", Kind: "data", Size: 4})
		}), wanted: "the manifest lists symbol more, the object has none of that name"},
		{name: "another address", set: entry("gfx1201", func(e *release.Entry) { e.Address = "k/x@gfx1201" }),
			wanted: "its address k/x@gfx1201 is not one of m/rrlite_enc1_4x4@gfx1201"},
		{name: "an accuracy kernel less", files: func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "accuracy/gfx1201", enc1+".hsaco")) },
			set: func(s *release.Set) {
				if s.Path == "accuracy/gfx1201" {
					s.Objects = s.Objects[:len(s.Objects)-1]
				}
			}, wanted: "gfx1201/rrlite_enc1_4x4.hsaco: has no accuracy twin"},
		{name: "no marker", files: func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "accuracy/gfx1100", AccuracyMarker)) },
			set: func(s *release.Set) {
				if s.Path == "accuracy/gfx1100" {
					s.Files = nil
				}
			}, wanted: "accuracy/gfx1100/d4r-accuracy.txt: missing: an accuracy set without it is never served"},
		{name: "another marker", files: func(t *testing.T, dir string) { write(t, []byte("0\n"), dir, "accuracy/gfx1100", AccuracyMarker) },
			wanted: `accuracy/gfx1100/d4r-accuracy.txt: holds "0\n"`},
		{name: "a fast set with a marker", files: func(t *testing.T, dir string) { write(t, []byte("1\n"), dir, "gfx1100", AccuracyMarker) },
			set: func(s *release.Set) {
				if s.Path == "gfx1100" {
					s.Files = append(s.Files, release.File{Name: AccuracyMarker})
				}
			}, wanted: "gfx1100/d4r-accuracy.txt: this is no accuracy set"},
		{name: "an expired exclusion", root: func(r *release.Release) { r.Date = "2027-01-01" },
			wanted: `manifest.json: expired: exclude "slow" (spills too much) held until 2026-12-31, and it is 2027-01-01 by the date of the release`},
		{name: "an exclusion that will have expired", o: Options{Today: "2027-02-03"},
			wanted: `manifest.json: expired: exclude "slow" (spills too much) held until 2026-12-31, and it is 2027-02-03 as asked`},
		{name: "its last day", o: Options{Today: "2026-12-31"}},
		{name: "no date", root: func(r *release.Release) { r.Date = "" }, wanted: "nothing says what day it is"},
		{name: "a date that is no day", root: func(r *release.Release) { r.Date = "0000" }, wanted: `manifest.json: its date is "0000", no day`},
		{name: "a last day that is no day", root: func(r *release.Release) { r.LeftOut[0].Until = "soon" }, wanted: `manifest.json: exclude "slow" holds until "soon", no day`},
		{name: "a last day of another form", root: func(r *release.Release) { r.LeftOut[0].Until = "9999-1-1" }, wanted: `holds until "9999-1-1", no day`},
		{name: "a rule that nobody has", root: func(r *release.Release) { r.LeftOut = r.LeftOut[1:] },
			wanted: `gfx1100/manifest.json: k/dltss_pwin_enc0_layer@gfx1100 is left out by exclude "slow", which the release does not know`},
		{name: "more left out than said", root: func(r *release.Release) { r.LeftOut[0].Cells = 1 },
			wanted: `manifest.json: exclude "slow" leaves out 1 cell, the sets name 2`},
		{name: "left out and there", set: func(s *release.Set) {
			if s.Path == "gfx1201" {
				s.LeftOut = []release.Missing{{Address: s.Objects[0].Address, Rule: `exclude "slow"`, Reason: "spills too much"}}
			}
		}, wanted: "there all the same"},
		{name: "a required signature", o: Options{Key: &testPublic}, wanted: "a signature is required and a folder carries none"},
		{name: "PTX beside the objects", files: func(t *testing.T, dir string) {
			write(t, []byte("//\n.version 8.4\n.target sm_89\n.address_size 64\n.visible .entry k() { ret; }\n"), dir, "gfx1201", "notes.txt")
		}, set: func(s *release.Set) {
			if s.Path == "gfx1201" {
				s.Files = append(s.Files, release.File{Name: "notes.txt"})
			}
		}, wanted: "gfx1201/notes.txt: offset "},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := sample(t, false)
			if c.files != nil {
				c.files(t, dir)
			}
			reseal(t, dir, c.root, c.set)
			got := problems(t, dir, c.o)
			if c.wanted == "" && got != "" || !strings.Contains(got, c.wanted) {
				t.Errorf("got  %s\nwant %s", got, c.wanted)
			}
		})
	}
}

// What is simply not as the manifests say, all at once.
func TestAllProblemsAtOnce(t *testing.T) {
	dir := sample(t, true)
	for _, gone := range []string{"gfx1201/rrlite_enc1_4x4.hsaco", "accuracy/gfx1201/d4r-accuracy.txt"} {
		if err := os.Remove(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, []byte("x"), dir, "gfx1100", "stray.bin")
	write(t, []byte("x"), dir, "gfx9", "stray.hsaco")
	flip(t, 100, dir, "gfx1201-fp8", "rrlite_downsample_kernel.hsaco")
	p, err := Prove(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := p.Err().Error()
	for _, want := range []string{
		"gfx1201/rrlite_enc1_4x4.hsaco: missing", "accuracy/gfx1201/d4r-accuracy.txt: missing", "gfx1100/stray.bin: extra", "gfx9: extra folder",
		"gfx1201-fp8/rrlite_downsample_kernel.hsaco: altered: BLAKE3",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nobody says %s in\n%s", want, all)
		}
	}
	if len(p.Problems) != 5 || diag.ExitCode(p.Err()) != int(diag.Verify) {
		t.Errorf("exit code %d, %d problems:\n%s", diag.ExitCode(p.Err()), len(p.Problems), all)
	}
}

func TestNoRelease(t *testing.T) {
	dir := t.TempDir()
	write(t, []byte("x"), dir, "file.txt")
	write(t, []byte("no archive"), dir, "a.tar.zst")
	for name, code := range map[string]diag.Class{"": diag.Usage, "absent": diag.Usage, "file.txt": diag.Usage} {
		if _, err := Prove(t.Context(), filepath.Join(dir, name), Options{}); diag.ExitCode(err) != int(code) {
			t.Errorf("%q: %v", name, err)
		}
	}
	p, err := Prove(t.Context(), filepath.Join(dir, "a.tar.zst"), Options{})
	if err != nil || diag.ExitCode(p.Err()) != int(diag.Verify) {
		t.Errorf("%v %v", p, err)
	}
	whole := sample(t, false)
	if err := os.Remove(filepath.Join(whole, release.ManifestFile)); err != nil {
		t.Fatal(err)
	}
	if got := problems(t, whole, Options{}); got != "manifest.json: missing" {
		t.Errorf("without the root manifest: %s", got)
	}
}
