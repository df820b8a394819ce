package pack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/internal/diag"
	"kmx/release"
)

func TestInstall(t *testing.T) {
	o := InstallOptions{Release: sample(t, choice{tex: true}), To: filepath.Join(t.TempDir(), "usr", filepath.FromSlash(InstallDir)), Notices: licence}
	_, _, err := Install(t.Context(), o)
	refused(t, err, "holds objects under LicenseRef-NVIDIA-derived")
	if exists(o.To) {
		t.Error("it was installed all the same")
	}
	network := network
	o.Archive = &network
	changed, n, err := Install(t.Context(), o)
	// Eight objects, five manifests, two markers and the licence.
	if err != nil || !changed || n != 16 {
		t.Fatalf("%v, %d files, %v", changed, n, err)
	}
	if problems := release.VerifyDir(o.To); len(problems) > 0 {
		t.Errorf("installed: %v", problems)
	}
	if strings.Contains(listing(t, o.To), "post") {
		t.Error("an object that may not be passed on is installed")
	}
	if changed, _, err := Install(t.Context(), o); changed || err != nil {
		t.Errorf("again: %v, %v", changed, err)
	}
	// Another release takes its place at once, and a damaged one is put right.
	o.Archive, o.Restricted = nil, true
	if changed, _, err := Install(t.Context(), o); !changed || err != nil || !strings.Contains(listing(t, o.To), "post") {
		t.Errorf("with everything: %v, %v", changed, err)
	}
	if err := os.Remove(filepath.Join(o.To, "gfx1100", "enc0.hsaco")); err != nil {
		t.Fatal(err)
	}
	if changed, _, err := Install(t.Context(), o); !changed || err != nil || len(release.VerifyDir(o.To)) > 0 {
		t.Errorf("a damaged one: %v, %v", changed, err)
	}
	entries, err := os.ReadDir(filepath.Dir(o.To))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside it: %v, %v", entries, err)
	}
	if n, err := Uninstall(t.Context(), o.To); err != nil || n != 21 || exists(o.To) {
		t.Errorf("removed %d files, %v", n, err)
	}
	_, err = Uninstall(t.Context(), o.To)
	refused(t, err, "no release is installed in")
}

// What is somebody else's is neither replaced nor removed.
func TestInstallLeavesAlone(t *testing.T) {
	o := InstallOptions{Release: sample(t, choice{}), To: filepath.Join(t.TempDir(), "kernels")}
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(o.To, filepath.FromSlash(name)), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(o.To, 0o755); err != nil {
		t.Fatal(err)
	}
	write("mine")
	_, _, err := Install(t.Context(), o)
	refused(t, err, "holds what no manifest of a release speaks of")
	os.Remove(filepath.Join(o.To, "mine"))
	if _, _, err := Install(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	write("gfx1201/mine")
	write("gfx1100/enc0.hsaco")
	_, _, err = Install(t.Context(), o)
	refused(t, err, "gfx1201/mine")
	_, err = Uninstall(t.Context(), o.To)
	refused(t, err, "gfx1201/mine: extra", "gfx1100/enc0.hsaco: altered")
	if diag.ExitCode(err) != int(diag.Verify) {
		t.Errorf("exit code %d", diag.ExitCode(err))
	}
	left := listing(t, o.To)
	if strings.Count(left, "\n") != 3 || !strings.Contains(left, "gfx1201/mine") || !strings.Contains(left, "gfx1100/enc0.hsaco") {
		t.Errorf("left:\n%s", left)
	}
	// Once they are gone, it can be brought to its end.
	for _, name := range []string{"gfx1201", "gfx1100"} {
		if err := os.RemoveAll(filepath.Join(o.To, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Uninstall(t.Context(), o.To); err != nil || exists(o.To) {
		t.Errorf("at last: %v", err)
	}
}
