package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/release"
)

const folded = "rrlite_enc1_4x4"

// fold says of enc1 in a set that it is derived from the one at an address.
func fold(set, from string) func(*release.Set) {
	leader := codeobjtest.New(folded, "gfx1201").Bytes()
	return func(s *release.Set) {
		for i := range s.Objects {
			if e := &s.Objects[i]; s.Path == set && e.Name == folded {
				e.DerivedFrom = &release.DerivedFrom{Address: from, BLAKE3: release.Describe("x", leader).BLAKE3}
			}
		}
	}
}

func all(sets ...func(*release.Set)) func(*release.Set) {
	return func(s *release.Set) {
		for _, set := range sets {
			set(s)
		}
	}
}

// What manifests say of derived objects is recomputed, and a lie is named.
func TestDerived(t *testing.T) {
	const leader = "m/" + folded + "@gfx1201"
	other := func(o *codeobjtest.Object) []byte { // another instruction in the kernel
		o.Text = []byte{0x00, 0x00, 0x80, 0xbf, 0x00, 0x00, 0xb0, 0xbf}
		return o.Bytes()
	}
	for _, c := range []struct {
		name   string
		files  map[string][]byte
		sets   func(*release.Set)
		wanted string
	}{
		{name: "as it is", sets: fold("gfx1201-fp8", leader)},
		{name: "another instruction", sets: fold("gfx1201-fp8", leader), files: map[string][]byte{"gfx1201-fp8": other(codeobjtest.New(folded, "gfx1201"))},
			wanted: "gfx1201-fp8/rrlite_enc1_4x4.hsaco: derived from " + leader + ": the bytes are not what is derived from it: ISA changed, first in rrlite_enc1_4x4"},
		{name: "nothing of that address", sets: fold("gfx1201-fp8", "m/"+folded+"@gfx1102"), wanted: "derived from m/rrlite_enc1_4x4@gfx1102: no set has that object"},
		{name: "another kernel", sets: fold("gfx1201-fp8", "m/rrlite_downsample_kernel@gfx1201"), wanted: "that is another kernel"},
		{name: "of another generation", sets: fold("gfx1201-fp8", "m/"+folded+"@gfx1100"), wanted: "the manifest says"},
		{name: "derived from a derived one", sets: all(fold("gfx1201-fp8", leader), fold("gfx1201", leader+"+accuracy")), wanted: "that one is derived itself"},
		{name: "another object at the address", sets: fold("gfx1201-fp8", leader), files: map[string][]byte{"gfx1201": other(codeobjtest.New(folded, "gfx1201"))},
			wanted: "derived from " + leader + ": that one has BLAKE3"},
	} {
		dir := sample(t, false)
		for set, data := range c.files {
			write(t, data, dir, set, folded+".hsaco")
		}
		reseal(t, dir, nil, c.sets)
		got := problems(t, dir, Options{})
		if c.wanted == "" && got != "" || !strings.Contains(got, c.wanted) {
			t.Errorf("%s: got %s, want %s", c.name, got, c.wanted)
		}
	}
}

// Where the object that it is derived from is elsewhere, that is told and no more.
func TestDerivedElsewhere(t *testing.T) {
	dir := sample(t, false)
	reseal(t, dir, nil, fold("gfx1201-fp8", "m/"+folded+"@gfx1201"))
	notes := func(dir string) string {
		t.Helper()
		p, err := Prove(t.Context(), dir, Options{})
		if err != nil || len(p.Problems) > 0 {
			t.Fatal(err, p.Problems)
		}
		return strings.Join(p.Notes, "\n")
	}
	if got := notes(dir); !strings.Contains(got, "1 object derived from equal ones, as the manifests say") {
		t.Error(got)
	}
	if got := notes(filepath.Join(dir, "gfx1201-fp8")); !strings.Contains(got, "1 object derived from objects that are not in it") {
		t.Error(got)
	}
	// As in the archive of one set.
	for _, set := range []string{"gfx1100", "gfx1201", "accuracy/gfx1100", "accuracy/gfx1201"} {
		if err := os.RemoveAll(filepath.Join(dir, set)); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(r *release.Release) {
		var refs []release.SetRef
		for _, ref := range r.Sets {
			if strings.HasSuffix(ref.Path, "-fp8") {
				refs = append(refs, ref)
			}
		}
		r.Sets = refs
		r.LeftOut = append(r.LeftOut[:1], release.LeftOut{Rule: "set gfx1201-fp8", Reason: "holds this set only", Cells: 10})
	}
	r, err := release.ReadRelease(dir)
	if err != nil {
		t.Fatal(err)
	}
	kept(r)
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, data, dir, release.ManifestFile)
	if got := notes(dir); !strings.Contains(got, "1 object derived from objects that are not in it") {
		t.Error(got)
	}
}

// A manifest that derives an object from itself, or from nothing, is refused.
func TestDerivedFaults(t *testing.T) {
	dir := sample(t, false)
	for _, from := range []string{"", "m/" + folded + "@gfx1201"} {
		s, err := release.ReadSet(filepath.Join(dir, "gfx1201"))
		if err != nil {
			t.Fatal(err)
		}
		fold("gfx1201", from)(s)
		data, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := release.ParseSet(data); err == nil || !strings.Contains(err.Error(), "which is no other object") {
			t.Errorf("%q: %v", from, err)
		}
	}
}
