package release

import (
	"strings"
	"testing"
)

func TestAdvice(t *testing.T) {
	dir, libs := assembled(t), t.TempDir()
	r, err := ReadRelease(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Toolchains[0].Lock, r.Developer = LockDiffers, "built with extra_flags = -O1"
	golden(t, "advice-unstamped.txt", []byte(strings.Join(r.Advice("/srv/my kernels/d4r-kernels-1.2.0"), "\n")+"\n"))

	fakeLibrary(t, libs, "nvngx_dlss.dll", KernelHashes{kName: {7}, mName: {9}})
	if err := quick.stamp(t.Context(), dir, []string{libs}, readFake); err != nil {
		t.Fatal(err)
	}
	if r, err = ReadRelease(dir); err != nil {
		t.Fatal(err)
	}
	golden(t, "advice-stamped.txt", []byte(strings.Join(r.Advice("/srv/d4r-kernels-1.2.0"), "\n")+"\n"))

	fast, exact := sampleSet("gfx1201", "true", Fast), sampleSet("gfx1201", "true", Accuracy)
	fast.Developer = "extra_flags = -O1"
	dev := []DevSet{build(t, t.TempDir(), fast), build(t, t.TempDir(), exact)}
	dev[0].Dir, dev[1].Dir = "/w/dist/dev/gfx1201-fp8", "/w/dist/dev/accuracy/gfx1201-fp8"
	dev[1].Dropped = []string{mName + ObjectSuffix}
	dev[1].Removed = []string{"a", "b", "c", "d", "e", "f", "g", "old", "t1"}
	dev[1].Why = map[string]string{}
	for _, name := range dev[1].Removed[:7] {
		dev[1].Why[name] = "library dlss is not there"
	}
	golden(t, "advice-dev.txt", []byte(strings.Join(DevAdvice(dev), "\n")+"\n"))
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{"a/b-1.c": "a/b-1.c", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$x": "'$x'"} {
		if got := Word(in); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}
