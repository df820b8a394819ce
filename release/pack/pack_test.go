package pack

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kmx/internal/diag"
	"kmx/release"
)

func TestPackNames(t *testing.T) {
	out := packedDir(t, sample(t, choice{}), network, full)
	var names []string
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode() != fileMode {
			t.Errorf("%s: mode %v, %v", e.Name(), info.Mode(), err)
		}
		names = append(names, e.Name())
	}
	want := strings.Fields(`B3SUMS SHA256SUMS
		d4r-kernels-1.2.0-nonvidia-full.provenance.json d4r-kernels-1.2.0-nonvidia-full.spdx.json d4r-kernels-1.2.0-nonvidia-full.zip
		d4r-kernels-1.2.0-nonvidia-network-accuracy-gfx1100.tar.zst d4r-kernels-1.2.0-nonvidia-network-accuracy-gfx1201.tar.zst
		d4r-kernels-1.2.0-nonvidia-network-gfx1100.tar.zst d4r-kernels-1.2.0-nonvidia-network-gfx1201.tar.zst
		d4r-kernels-1.2.0-nonvidia-network.provenance.json d4r-kernels-1.2.0-nonvidia-network.spdx.json d4r-kernels-1.2.0-nonvidia-network.tar.zst`)
	if strings.Join(names, "\n") != strings.Join(want, "\n") {
		t.Errorf("files:\n%s", strings.Join(names, "\n"))
	}
	if problems := CheckSums(out); len(problems) > 0 {
		t.Errorf("sums: %v", problems)
	}
}

// Each archive, unpacked, is a release that its own manifests prove, and speaks
// of nothing that is not in it.
func TestArchivesAreReleases(t *testing.T) {
	out := packedDir(t, sample(t, choice{tex: true}), network, full)
	for _, c := range []struct {
		name             string
		sets, objects    int
		restricted, left bool
	}{
		{"d4r-kernels-1.2.0-nonvidia-network.tar.zst", 4, 8, false, true},
		{"d4r-kernels-1.2.0-nonvidia-network-gfx1201.tar.zst", 1, 2, false, true},
		{"d4r-kernels-1.2.0-full.zip", 4, 12, true, false},
	} {
		contents, data, err := Open(filepath.Join(out, c.name))
		if err != nil {
			t.Fatal(err)
		}
		if !contents.Time.Equal(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: time %s", c.name, contents.Time)
		}
		dir := t.TempDir()
		if err := contents.Extract(dir); err != nil {
			t.Fatal(err)
		}
		if problems := release.VerifyDir(dir); len(problems) > 0 {
			t.Errorf("%s: %v", c.name, problems)
		}
		tree, problems := Parse(contents.Items)
		if len(problems) > 0 {
			t.Errorf("%s: %v", c.name, problems)
		}
		if len(tree.Sets) != c.sets || len(tree.Entries()) != c.objects {
			t.Errorf("%s: %d sets, %d objects", c.name, len(tree.Sets), len(tree.Entries()))
		}
		if (len(tree.Release.Restricted) > 0) != c.restricted || (tree.item(RestrictedFile) != nil) != c.restricted {
			t.Errorf("%s: restricted %v", c.name, tree.Release.Restricted)
		}
		if (len(tree.Release.LeftOut) > 0) != c.left {
			t.Errorf("%s: left out %v", c.name, tree.Release.LeftOut)
		}
		if text := tree.item("LICENSE"); text == nil || !bytes.Equal(text.Data, licence[0].Data) {
			t.Errorf("%s has no licence", c.name)
		}
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(c.name, ".zip"), ".tar.zst"), "-gfx1201")
		if wrong := CheckSBOM(file(t, out, base+SBOMSuffix), c.name, data, contents.Items); len(wrong) > 0 {
			t.Errorf("%s: %v", c.name, wrong)
		}
		if wrong := CheckProvenance(file(t, out, base+ProvenanceSuffix), c.name, data, tree); len(wrong) > 0 {
			t.Errorf("%s: %v", c.name, wrong)
		}
	}
}

// Packing again, elsewhere and in whatever order, gives the same bytes.
func TestPackAgain(t *testing.T) {
	dir := sample(t, choice{tex: true})
	first := listing(t, packedDir(t, dir, network, full))
	t.Setenv("TZ", "Pacific/Auckland")
	elsewhere := filepath.Join(t.TempDir(), "another place", filepath.Base(dir))
	if err := os.CopyFS(elsewhere, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if again := listing(t, packedDir(t, elsewhere, full, network)); again != first {
		t.Errorf("first:\n%s\nagain:\n%s", first, again)
	}
	for _, line := range strings.Split(first, "\n") {
		if strings.Contains(line, "network") && !strings.Contains(listing(t, packedDir(t, dir, network)), line) {
			t.Errorf("%s depends on which archives are packed beside it", line)
		}
	}
}

func TestPackTime(t *testing.T) {
	dir := sample(t, choice{})
	at := func(epoch string) (*Result, error) {
		return Pack(t.Context(), Options{Release: dir, Out: filepath.Join(t.TempDir(), "a"), Archives: []Archive{full}, Notices: licence, Epoch: epoch})
	}
	r, err := at("1000000000")
	if err != nil || r.Time.Unix() != 1000000000 {
		t.Errorf("time %v, %v", r, err)
	}
	for _, bad := range []string{"yesterday", "-1", "1e9", " 5", "0x10", "253402300800", "999999999999999", "99999999999999999999"} {
		_, err := at(bad)
		refused(t, err, "SOURCE_DATE_EPOCH="+bad+" is no time")
	}
}

func TestPackRefuses(t *testing.T) {
	flip := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			data := file(t, dir, name)
			data[len(data)/2] ^= 1
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		o     Options
		want  string
		class diag.Class
	}{
		{"a byte of an object", flip("gfx1201/enc0.hsaco"), Options{}, "gfx1201/enc0.hsaco: altered", diag.Verify},
		{"a byte of a marker", flip("accuracy/gfx1100/d4r-accuracy.txt"), Options{}, "d4r-accuracy.txt: altered", diag.Verify},
		{"a byte of a set's manifest", flip("gfx1201/manifest.json"), Options{}, "gfx1201/manifest.json: altered", diag.Verify},
		{"a byte of the manifest", flip("manifest.json"), Options{}, "manifest", diag.Verify},
		{"a kernel gone", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "gfx1100", "enc1.hsaco")) }, Options{}, "gfx1100/enc1.hsaco: missing", diag.Verify},
		{"a stray file", func(t *testing.T, dir string) { os.WriteFile(filepath.Join(dir, "gfx1100", "x"), nil, 0o644) }, Options{}, "gfx1100/x: extra", diag.Verify},
		{"no release", func(t *testing.T, dir string) { os.RemoveAll(dir) }, Options{}, "there is no release", diag.Usage},
		{"NVIDIA's in what may be passed on", nil, Options{Archives: []Archive{{Name: "all", Formats: []string{TarZst}, Redistributable: true}}},
			"gfx1201/post.hsaco is not for archive all, which may be passed on: its licence is LicenseRef-NVIDIA-derived", diag.Verify},
		{"nothing to pack", nil, Options{Archives: []Archive{}}, "there is no archive", diag.Matrix},
		{"no family of it", nil, Options{Archives: []Archive{{Name: "rr", Families: []string{"rr"}, Formats: []string{Zip}}}}, "archive rr would hold no object", diag.Matrix},
		{"one name for two", nil, Options{Archives: []Archive{full, {Name: "full-gfx1201", Formats: []string{TarZst}}}}, "would have one name", diag.Matrix},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := sample(t, choice{tex: true})
			if c.spoil != nil {
				c.spoil(t, dir)
			}
			c.o.Release, c.o.Out = dir, filepath.Join(t.TempDir(), "archives")
			if c.o.Archives == nil {
				c.o.Archives = []Archive{network, full}
			}
			_, err := Pack(t.Context(), c.o)
			refused(t, err, c.want)
			if diag.ExitCode(err) != int(c.class) {
				t.Errorf("exit code %d: %v", diag.ExitCode(err), err)
			}
			if left, _ := os.ReadDir(filepath.Dir(c.o.Out)); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A folder that is something else is never replaced, one of archives is.
func TestPackReplaces(t *testing.T) {
	dir, out := sample(t, choice{}), t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Pack(t.Context(), Options{Release: dir, Out: out, Archives: []Archive{full}})
	refused(t, err, "is no folder of archives")
	file(t, out, "thesis.txt")
	archives := packedDir(t, dir, full, network)
	before := listing(t, archives)
	r, err := Pack(t.Context(), Options{Release: dir, Out: archives, Archives: []Archive{full}, Notices: licence})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range r.Gone {
		if !strings.Contains(name, "network") || !strings.Contains(before, name) || strings.Contains(listing(t, archives), name) {
			t.Errorf("%s is told to be gone", name)
		}
	}
	if len(r.Gone) == 0 {
		t.Error("nobody was told of an archive that is gone")
	}
	if again, err := Pack(t.Context(), Options{Release: dir, Out: archives, Archives: []Archive{full}, Notices: licence}); err != nil || len(again.Gone) != 0 {
		t.Errorf("packed again: %v, gone are %v", err, again)
	}
	if strings.Contains(listing(t, archives), "network") {
		t.Error("an archive of the last time is still there")
	}
	for _, mine := range []string{"thesis.txt", "thesis.txt.minisig", "folder/thesis.txt"} {
		name := filepath.Join(archives, filepath.FromSlash(mine))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Pack(t.Context(), Options{Release: dir, Out: archives, Archives: []Archive{full}})
		refused(t, err, "would be lost", strings.Split(mine, "/")[0])
		file(t, name)
		if err := os.RemoveAll(filepath.Join(archives, strings.Split(mine, "/")[0])); err != nil {
			t.Fatal(err)
		}
	}
}

// Nothing is made in the release itself, nor around it.
func TestApart(t *testing.T) {
	dir := sample(t, choice{})
	inside := filepath.Join(dir, "new", "archives")
	for _, to := range []string{dir, inside, filepath.Dir(dir), filepath.Join(dir, "..", filepath.Base(dir), "x")} {
		_, err := Pack(t.Context(), Options{Release: dir, Out: to, Archives: []Archive{full}})
		refused(t, err, "lie in one another")
		_, _, err = Install(t.Context(), InstallOptions{Release: dir, To: to})
		refused(t, err, "lie in one another")
	}
	if exists(filepath.Dir(inside)) {
		t.Error("a folder was made in the release")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("no links here:", err)
	}
	_, err := Pack(t.Context(), Options{Release: dir, Out: filepath.Join(link, "x"), Archives: []Archive{full}})
	refused(t, err, "lie in one another")
	if _, err := Pack(t.Context(), Options{Release: dir, Out: dir + "-x", Archives: []Archive{full}}); err != nil {
		t.Errorf("beside it, with a name that begins alike: %v", err)
	}
}

// An object that says nothing of its origin is still known by its module.
func TestRestricted(t *testing.T) {
	for _, c := range []struct {
		licence, module string
		want            string
	}{
		{"Apache-2.0", "", ""},
		{"Apache-2.0 OR MIT", "", ""},
		{"GPL-2.0-only WITH Classpath-exception-2.0", "", ""},
		{"Apache-2.0", "0123456789abcdef", "PTX module 0123456789abcdef"},
		{nvidiaLicence, "", "its licence is"},
		{"Apache-2.0 AND (MIT OR DocumentRef-x:LicenseRef-y)", "", "its licence is"},
		{"", "", "no licence"},
		{"NOASSERTION", "", "no licence"},
	} {
		got := Restricted(release.Entry{Licence: c.licence, Module: c.module})
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q, %q: %q", c.licence, c.module, got)
		}
	}
}
