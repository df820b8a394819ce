package verify

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/internal/diag"
	"kmx/release"
)

// update writes the golden files anew.
var update = flag.Bool("update", false, "write the golden files anew")

func opened(t *testing.T, name string) *Opened {
	t.Helper()
	o, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

func compared(t *testing.T, a, b string) *Diff {
	t.Helper()
	d, err := Compare(t.Context(), opened(t, a), opened(t, b))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// other is the sample after a change of toolchain: one object with other
// metadata, one with another constant, two with other code of which one spills, one
// kernel gone and one new.
func other(t *testing.T) string {
	t.Helper()
	dir := sample(t, false)
	objects := map[string]*codeobjtest.Object{}
	edit := func(set, name string, change func(*codeobjtest.Object)) {
		target, _, _ := strings.Cut(filepath.Base(set), "-")
		o := codeobjtest.New(name, target)
		change(o)
		objects[set+"/"+name] = o
	}
	edit("gfx1201", "rrlite_enc1_4x4", func(o *codeobjtest.Object) { o.Comment = "Linker: another\x00" })
	edit("gfx1201-fp8", "rrlite_enc1_4x4", func(o *codeobjtest.Object) { o.Vars[0].Value = 41 })
	edit("gfx1201", "rrlite_downsample_kernel", func(o *codeobjtest.Object) { o.Text = []byte("\x00\x00\xb0\xbf\x01\x02\x03\x05") })
	edit("gfx1100", "rrlite_enc1_4x4", func(o *codeobjtest.Object) {
		o.Text = []byte("\x00\x00\xb0\xbf\x01\x02\x03\x05")
		o.Kernels[0].VGPRs, o.Kernels[0].VGPRSpills, o.Kernels[0].Scratch, o.Kernels[0].LDS = 192, 5, 20, 9216
	})
	edit("accuracy/gfx1201", "new", func(*codeobjtest.Object) {})
	for at, o := range objects {
		write(t, o.Bytes(), dir, at+release.ObjectSuffix)
	}
	if err := os.Remove(filepath.Join(dir, "accuracy", "gfx1100", "rrlite_enc1_4x4.hsaco")); err != nil {
		t.Fatal(err)
	}
	reseal(t, dir, func(r *release.Release) {
		r.Toolchains[0].Version, r.Version = "20.1.0", "1.3.0"
	}, func(s *release.Set) {
		switch s.Path {
		case "accuracy/gfx1100":
			for i, e := range s.Objects {
				if e.Name == "rrlite_enc1_4x4" {
					s.Objects = append(s.Objects[:i], s.Objects[i+1:]...)
					break
				}
			}
		case "accuracy/gfx1201":
			e := s.Objects[0]
			e.Name, e.Address, e.File.Name = "new", "m/new@gfx1201+accuracy", "new.hsaco"
			s.Objects = append(s.Objects, e)
		}
		for i := range s.Objects {
			e := &s.Objects[i]
			data := read(t, dir, s.Path, e.File.Name)
			obj, err := codeobj.Read(data)
			if err != nil {
				t.Fatal(err)
			}
			e.Kernels, e.Symbols = release.KernelsOf(obj), release.SymbolsOf(obj)
		}
	})
	return dir
}

func TestDiff(t *testing.T) {
	a, b := sample(t, true), other(t)
	d := compared(t, a, b)
	if d.Compared != 15 || d.Identical != 11 || d.MetadataOnly != 1 || d.Constants != 1 || d.Code != 2 || d.Same() {
		t.Errorf("%s", d.Summary())
	}
	if strings.Join(d.Added, " ") != "accuracy/gfx1201/new" || strings.Join(d.Removed, " ") != "accuracy/gfx1100/rrlite_enc1_4x4" {
		t.Errorf("added %v, removed %v", d.Added, d.Removed)
	}
	var order []string
	for _, o := range d.Objects {
		order = append(order, o.Object+" "+o.Likeness)
	}
	want := "gfx1100/rrlite_enc1_4x4 ISA changed, gfx1201/rrlite_downsample_kernel ISA changed, gfx1201-fp8/rrlite_enc1_4x4 constants changed, gfx1201/rrlite_enc1_4x4 metadata only"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("worst first: %s", got)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(w *bytes.Buffer) error { return d.WriteText(w) },
		"markdown": func(w *bytes.Buffer) error { return d.WriteMarkdown(w) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "diff."+name)
		if *update {
			if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want := read(t, golden); !bytes.Equal(want, out.Bytes()) {
			t.Errorf("%s:\n%s\nwant\n%s", name, out.String(), want)
		}
	}
	var out bytes.Buffer
	if err := d.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var again Diff
	if err := json.Unmarshal(out.Bytes(), &again); err != nil || again.Format != DiffFormat || len(again.Objects) != 4 || again.Objects[0].Kernels[0].After.Scratch != 20 {
		t.Errorf("%v %+v", err, again)
	}
}

func TestDiffOfTheSame(t *testing.T) {
	a := sample(t, false)
	d := compared(t, a, sample(t, true))
	if !d.Same() || d.Identical != 16 || len(d.Objects) != 0 || strings.Join(d.Notes, " ") != "stamped: false -> true" {
		t.Errorf("%+v", d)
	}
	// An archive is what was packed; two sets alone are compared whatever their names.
	zip := filepath.Join(packed(t, false), "d4r-kernels-1.2.0-nonvidia-network.zip")
	if d := compared(t, a, zip); !d.Same() || d.Identical != 16 {
		t.Errorf("an archive: %+v", d)
	}
	if d := compared(t, filepath.Join(a, "gfx1201"), filepath.Join(a, "gfx1201-fp8")); !d.Same() || d.Identical != 3 {
		t.Errorf("two sets: %+v", d)
	}
	if d := compared(t, filepath.Join(a, "gfx1201"), a); d.Identical != 3 || len(d.Added) != 13 {
		t.Errorf("a set and a release: %+v", d)
	}
}

func TestDiffOfDamage(t *testing.T) {
	a, b := sample(t, false), sample(t, false)
	flip(t, 700, a, "gfx1201", "rrlite_enc1_4x4.hsaco")
	if err := os.Remove(filepath.Join(b, "gfx1100", "rrlite_enc1_4x4.hsaco")); err != nil {
		t.Fatal(err)
	}
	_, err := Compare(t.Context(), opened(t, a), opened(t, b))
	if diag.ExitCode(err) != int(diag.Verify) || !strings.Contains(err.Error(), "gfx1201/rrlite_enc1_4x4.hsaco is not what its manifest says") ||
		!strings.Contains(err.Error(), filepath.Join("gfx1100", "rrlite_enc1_4x4.hsaco")) {
		t.Errorf("%v", err)
	}
}
