package release

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update writes it):\n%s", file, got)
	}
}

// The golden manifests are the formats: a difference here is a change that
// every release ever made has to be read under.
func TestFormats(t *testing.T) {
	dir := assembled(t)
	for name, file := range map[string]string{
		"release.json":              ManifestFile,
		"set-gfx1201-fp8.json":      "gfx1201-fp8/" + ManifestFile,
		"set-accuracy-gfx1100.json": "accuracy/gfx1100/" + ManifestFile,
	} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, data)
	}
}

func TestEncodeDoesNotDependOnOrder(t *testing.T) {
	dir := assembled(t)
	r, err := ReadRelease(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadSet(filepath.Join(dir, "gfx1201"))
	if err != nil {
		t.Fatal(err)
	}
	wantR, _ := r.Encode()
	wantS, _ := s.Encode()
	for range 20 { // maps change their order from copy to copy
		slices.Reverse(r.Sets)
		slices.Reverse(r.Libraries)
		r.Runtime.Settings = remade(r.Runtime.Settings)
		slices.Reverse(s.Objects)
		slices.Reverse(s.Objects[0].Kernels)
		slices.Reverse(s.Objects[0].Symbols)
		s.Axes = remade(s.Axes)
		gotR, _ := r.Encode()
		gotS, _ := s.Encode()
		if !bytes.Equal(gotR, wantR) || !bytes.Equal(gotS, wantS) {
			t.Fatal("the bytes depend on the order of lists or maps")
		}
	}
}

func remade(m map[string]string) map[string]string {
	c := map[string]string{}
	for k, v := range m {
		c[k] = v
	}
	return c
}

func TestReadersRefuse(t *testing.T) {
	dir := assembled(t)
	set, _ := os.ReadFile(filepath.Join(dir, "gfx1201", ManifestFile))
	rel, _ := os.ReadFile(filepath.Join(dir, ManifestFile))
	replaced := func(data []byte, old, new string) []byte {
		t.Helper()
		if !bytes.Contains(data, []byte(old)) {
			t.Fatalf("no %q in the manifest", old)
		}
		return bytes.Replace(data, []byte(old), []byte(new), 1)
	}
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "not JSON"},
		{"no JSON", []byte("hello"), "not JSON"},
		{"no object", []byte("[]"), `format ""`},
		{"other file", []byte(`{"format":"kmx.diag/1"}`), `format "kmx.diag/1"`},
		{"newer version", replaced(set, "kmx.set/1", "kmx.set/2"), "manifest is of version 2 of kmx.set"},
		{"unknown field", replaced(set, `"target"`, `"colour": "red",`+"\n"+`  "target"`), "line 4"},
		{"doubled key", replaced(set, `"target": "gfx1201",`, `"target": "gfx1200", "target": "gfx1201",`), "line 4"},
		{"other case", replaced(set, `"generation"`, `"Generation"`), "line 5"},
		{"text after the end", append(slices.Clone(set), "{}"...), "not a manifest"},
		{"space after the end", append(slices.Clone(set), '\n'), "text after line"},
		{"CRLF", bytes.ReplaceAll(set, []byte("\n"), []byte("\r\n")), "line 1"},
		{"way out", replaced(set, `"file": "rrlite_enc1_4x4.hsaco"`, `"file": "../x.hsaco"`), "in file \"../x.hsaco\""},
		{"foreign target", replaced(set, `"target": "gfx1201",
      "wave_size"`, `"target": "gfx1200",
      "wave_size"`), "is for gfx1200 in a set for gfx1201"},
		{"negative size", replaced(set, `"size": `, `"size": -`), "size -"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ParseSet(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := ParseRelease(set); err == nil {
		t.Error("a set is read as a release")
	}
	if _, err := ParseRelease(replaced(rel, `"path": "gfx1100"`, `"path": "/etc"`)); err == nil || !strings.Contains(err.Error(), `"/etc"`) {
		t.Errorf("absolute set path: %v", err)
	}
}

func FuzzManifest(f *testing.F) {
	for _, name := range []string{"release.json", "set-gfx1201-fp8.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"format":"kmx.set/1"}`))
	f.Add([]byte(`{"format":"kmx.release/1","sets":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		// What a reader takes is exactly what it would write.
		if s, err := ParseSet(data); err == nil {
			if again, err := s.Encode(); err != nil || !bytes.Equal(again, data) {
				t.Errorf("set is not canonical: %v", err)
			}
			for _, e := range s.Objects {
				if filepath.Base(e.File.Name) != e.File.Name {
					t.Errorf("file %q leaves the folder", e.File.Name)
				}
			}
		}
		if r, err := ParseRelease(data); err == nil {
			if again, err := r.Encode(); err != nil || !bytes.Equal(again, data) {
				t.Errorf("release is not canonical: %v", err)
			}
			for _, s := range r.Sets {
				if !filepath.IsLocal(filepath.FromSlash(s.Path)) {
					t.Errorf("set path %q leaves the folder", s.Path)
				}
			}
		}
	})
}
