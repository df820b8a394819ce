package release

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kmx/cache"
)

func only(s SetPlan, names ...string) SetPlan {
	s.Objects = slices.DeleteFunc(slices.Clone(s.Objects), func(o Object) bool { return !slices.Contains(names, o.Name) })
	return s
}

const (
	kName = "dltss_pwin_enc1_layer"
	mName = "rrlite_enc1_4x4"
)

func devNames(d DevSet) string {
	var names []string
	for _, e := range d.Set.Objects {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func build(t *testing.T, dist string, s SetPlan) DevSet {
	t.Helper()
	d, err := AssembleDev(t.Context(), dist, []SetPlan{s})
	if err != nil {
		t.Fatal(err)
	}
	if p := VerifyDir(d[0].Dir); len(p) > 0 {
		t.Errorf("the manifest is not true: %v", p)
	}
	return d[0]
}

func TestDev(t *testing.T) {
	dist := t.TempDir()
	full := sampleSet("gfx1201", "true", Accuracy)

	d := build(t, dist, only(full, mName))
	if d.Dir != filepath.Join(dist, "dev", "accuracy", "gfx1201-fp8") || devNames(d) != mName || !d.Set.Partial {
		t.Errorf("first build: %+v", d)
	}
	d = build(t, dist, only(full, kName))
	if devNames(d) != kName+" "+mName || len(d.Changed) != 1 || d.Changed[0] != kName {
		t.Errorf("second build: %s, changed %v", devNames(d), d.Changed)
	}

	// Nothing new: nothing is written.
	name := filepath.Join(d.Dir, mName+ObjectSuffix)
	before, _ := os.Stat(name)
	d = build(t, dist, full)
	after, _ := os.Stat(name)
	if len(d.Changed) != 0 || !os.SameFile(before, after) {
		t.Errorf("an object that is right was written again: %v", d.Changed)
	}

	// A file that somebody changed leaves the manifest, unless it is built.
	if err := os.WriteFile(name, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	d2, err := AssembleDev(t.Context(), dist, []SetPlan{only(full, kName)})
	if err != nil {
		t.Fatal(err)
	}
	if devNames(d2[0]) != kName || len(d2[0].Dropped) != 1 {
		t.Errorf("after a foreign change: %s, dropped %v", devNames(d2[0]), d2[0].Dropped)
	}
	d = build(t, dist, only(full, mName))
	if devNames(d) != kName+" "+mName || len(d.Dropped) != 0 || len(d.Changed) != 1 {
		t.Errorf("built again: %s, dropped %v", devNames(d), d.Dropped)
	}

	// A manifest that cannot be read vouches for nothing.
	if err := os.WriteFile(filepath.Join(d.Dir, ManifestFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	os.Remove(name)
	d = build(t, dist, only(full, kName))
	if devNames(d) != kName {
		t.Errorf("after a torn manifest: %s", devNames(d))
	}
}

// TestDevRemoved tells what is left out in this run from what is declared no more.
func TestDevRemoved(t *testing.T) {
	dist := t.TempDir()
	full := sampleSet("gfx1201", "true", Accuracy)
	build(t, dist, full)
	next := only(full, kName)
	next.Declared = []string{next.Objects[0].Address}
	for _, c := range []struct {
		name string
		out  []Missing
		want string
	}{
		{"by a rule", []Missing{{Address: only(full, mName).Objects[0].Address, Rule: "family m", Reason: "no library"}}, "no library"},
		{"for good", nil, ""},
	} {
		next.LeftOut = c.out
		d := build(t, dist, next)
		if len(d.Removed) != 1 || d.Removed[0] != mName || d.Why[mName] != c.want {
			t.Errorf("%s: removed %v, %v", c.name, d.Removed, d.Why)
		}
		build(t, dist, full)
	}
}

func TestDevManifestIsTrueInBetween(t *testing.T) {
	dist := t.TempDir()
	s := sampleSet("gfx1100", "false", Fast)
	d := build(t, dist, s)
	next := only(s, mName)
	data := []byte("the next object")
	next.Objects[0].Digest, next.Objects[0].Size = describe("", data).BLAKE3, int64(len(data))
	next.Objects[0].Bytes = func(*os.File, io.Writer) (cache.Digest, error) {
		// A kill here must not leave a manifest that speaks of the old bytes.
		m, err := ReadSet(d.Dir)
		if err != nil || len(m.Objects) != 1 || m.Objects[0].Name != kName {
			t.Errorf("in between the manifest says %+v %v", m, err)
		}
		placed := os.WriteFile(filepath.Join(d.Dir, mName+ObjectSuffix), data, fileMode)
		return cache.Sum(data), errors.Join(placed, errors.New("killed"))
	}
	if _, err := AssembleDev(t.Context(), dist, []SetPlan{next}); err == nil {
		t.Fatal("no error")
	}
	if p := VerifyDir(d.Dir); len(p) != 1 || p[0].File != mName+ObjectSuffix || !strings.HasPrefix(p[0].What, "extra") {
		t.Errorf("problems: %v", p)
	}
}
