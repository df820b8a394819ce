//go:build unix

package pack

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kmx/release"
)

// tool runs a program of the system in a folder; without it the test is skipped,
// and says what to install.
func tool(t *testing.T, dir, program, packages string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("there is no %s here: apt-get install %s", program, packages)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The usual programs open the archives, and what they unpack is whole.
func TestUsualPrograms(t *testing.T) {
	out := packedDir(t, sample(t, choice{tex: true}), network, full)
	const tarFile, zipFile = "d4r-kernels-1.2.0-nonvidia-network.tar.zst", "d4r-kernels-1.2.0-full.zip"
	whole := func(t *testing.T, dir string) {
		t.Helper()
		if problems := release.VerifyDir(dir); len(problems) > 0 {
			t.Errorf("unpacked: %v", problems)
		}
	}
	tarDir := strings.TrimSuffix(tarFile, ".tar.zst")
	t.Run("zstd and tar", func(t *testing.T) {
		dir := t.TempDir()
		tool(t, dir, "zstd", "zstd", "-q", "-t", filepath.Join(out, tarFile))
		tool(t, dir, "zstd", "zstd", "-q", "-d", filepath.Join(out, tarFile), "-o", "x.tar")
		tool(t, dir, "tar", "tar", "--extract", "--file=x.tar")
		whole(t, filepath.Join(dir, tarDir))
		owners := tool(t, dir, "tar", "tar", "--list", "--verbose", "--numeric-owner", "--utc", "--file=x.tar")
		for line := range strings.Lines(owners) {
			if !strings.Contains(line, " 0/0 ") || !strings.Contains(line, "2026-11-30 00:00") || !strings.HasPrefix(line, "-rw-r--r--") && !strings.HasPrefix(line, "drwxr-xr-x") {
				t.Errorf("entry: %s", line)
			}
		}
	})
	t.Run("GNU tar with zstd", func(t *testing.T) {
		dir := t.TempDir()
		tool(t, dir, "zstd", "zstd", "-V")
		tool(t, dir, "tar", "tar", "--zstd", "-xf", filepath.Join(out, tarFile))
		whole(t, filepath.Join(dir, tarDir))
	})
	t.Run("bsdtar", func(t *testing.T) {
		dir := t.TempDir()
		tool(t, dir, "bsdtar", "libarchive-tools", "-xf", filepath.Join(out, tarFile))
		whole(t, filepath.Join(dir, tarDir))
		tool(t, dir, "bsdtar", "libarchive-tools", "-xf", filepath.Join(out, zipFile))
		whole(t, filepath.Join(dir, "d4r", "kernels"))
	})
	t.Run("unzip", func(t *testing.T) {
		dir := t.TempDir()
		tool(t, dir, "unzip", "unzip", "-q", "-t", filepath.Join(out, zipFile))
		tool(t, dir, "unzip", "unzip", "-q", filepath.Join(out, zipFile))
		whole(t, filepath.Join(dir, "d4r", "kernels"))
	})
	t.Run("sha256sum", func(t *testing.T) {
		tool(t, out, "sha256sum", "coreutils", "--check", "--strict", "--quiet", SHA256File)
	})
	t.Run("b3sum", func(t *testing.T) {
		tool(t, out, "b3sum", "b3sum", "--check", "--quiet", B3File)
	})
}

// minisign itself verifies what is signed here.
func TestMinisign(t *testing.T) {
	if _, err := exec.LookPath("minisign"); err != nil {
		t.Skip("there is no minisign here: apt-get install minisign")
	}
	key, _ := testKey(t, 1)
	out := filepath.Join(t.TempDir(), "archives")
	if _, err := Pack(t.Context(), Options{Release: sample(t, choice{}), Out: out, Archives: []Archive{full}, Key: key}); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(out, "*"+SignatureSuffix))
	if err != nil || len(names) != 5 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		of := strings.TrimSuffix(filepath.Base(name), SignatureSuffix)
		said := tool(t, out, "minisign", "minisign", "-V", "-P", key.Public(), "-m", of)
		if !strings.Contains(said, "timestamp:1795996800\tfile:"+of+"\thashed") {
			t.Errorf("%s: %s", of, said)
		}
	}
	archive := filepath.Join(out, "d4r-kernels-1.2.0-nonvidia-full.zip")
	data := file(t, archive)
	data[len(data)/2] ^= 1
	if err := os.WriteFile(archive, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("minisign", "-V", "-P", key.Public(), "-m", archive)
	if said, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(said, []byte("verification failed")) {
		t.Errorf("a changed archive: %v, %s", err, said)
	}
}
