package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/internal/durable"
)

// listing is every file and folder below dir, one a line with mode, name and
// digest.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		info, err := e.Info()
		if err != nil {
			return err
		}
		if e.IsDir() {
			fmt.Fprintf(&b, "%v %s\n", info.Mode(), filepath.ToSlash(rel))
			return nil
		}
		data, err := os.ReadFile(p)
		fmt.Fprintf(&b, "%v %s %s\n", info.Mode(), filepath.ToSlash(rel), cache.Sum(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// quick is the real disk without the sync, which waits for whatever else the
// machine is writing.
var quick = disk{sync: func(string) error { return nil }, exchange: realDisk.exchange}

func assembled(t *testing.T) string {
	t.Helper()
	dir, _, err := quick.assemble(t.Context(), t.TempDir(), samplePlan(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAssemble(t *testing.T) {
	dir := assembled(t)
	if got := filepath.Base(dir); got != "d4r-kernels-1.2.0" {
		t.Errorf("folder is %s", got)
	}
	if p := VerifyDir(dir); len(p) > 0 {
		t.Errorf("the fresh release has problems: %v", p)
	}
	r, err := ReadRelease(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sets) != 6 || r.Stamped || len(r.Variables) != 1 || r.Variables[0].Name != "version" {
		t.Errorf("manifest: %+v", r)
	}
	data, _ := os.ReadFile(filepath.Join(dir, ManifestFile))
	if strings.Contains(string(data), "/home/") {
		t.Error("a machine's path is in the manifest")
	}
	s, err := ReadSet(filepath.Join(dir, "accuracy", "gfx1201-fp8"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Numerics != Accuracy || s.Axes["fp8"] != "true" || len(s.Objects) != 2 || len(s.Files) != 1 || s.Files[0].Name != "d4r-accuracy.txt" {
		t.Errorf("set manifest: %+v", s)
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the release: %v %v", entries, err)
	}
}

func TestAssembleAgainIsTheSameBytes(t *testing.T) {
	dir := assembled(t)
	before := listing(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "stray"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := samplePlan()
	for i, j := 0, len(p.Sets)-1; i < j; i, j = i+1, j-1 { // the order of a plan does not matter
		p.Sets[i], p.Sets[j] = p.Sets[j], p.Sets[i]
	}
	if _, _, err := quick.assemble(t.Context(), filepath.Dir(dir), p, nil); err != nil {
		t.Fatal(err)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestFailingStepsLeaveTheOldRelease(t *testing.T) {
	broken := errors.New("broken")
	// A step fails in the middle; what was there stays, nothing lies beside it.
	steps := map[string]func(d *disk, p *Plan, cancel func()){
		"sync":     func(d *disk, p *Plan, _ func()) { d.sync = func(string) error { return broken } },
		"exchange": func(d *disk, p *Plan, _ func()) { d.exchange = func(*durable.Tree) error { return broken } },
		"place": func(d *disk, p *Plan, _ func()) {
			p.Sets[4].Objects[1].Bytes = func(*os.File, io.Writer) (cache.Digest, error) { return cache.Digest{}, broken }
		},
		"other bytes": func(d *disk, p *Plan, _ func()) { p.Sets[4].Objects[1].Bytes = BytesOf([]byte("other")) },
		"other size":  func(d *disk, p *Plan, _ func()) { p.Sets[4].Objects[1].Size++ },
		"other sha":   func(d *disk, p *Plan, _ func()) { p.Sets[4].Objects[1].SHA256 = strings.Repeat("0", 64) },
		"interrupt": func(d *disk, p *Plan, cancel func()) {
			p.Sets[4].Objects[1].Bytes = func(*os.File, io.Writer) (cache.Digest, error) { cancel(); return cache.Digest{}, context.Canceled }
		},
	}
	for name, spoil := range steps {
		t.Run(name, func(t *testing.T) {
			dir := assembled(t)
			before := listing(t, filepath.Dir(dir))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d, p := quick, samplePlan()
			p.LeftOut = nil // it would be another release
			spoil(&d, &p, cancel)
			_, _, err := d.assemble(ctx, filepath.Dir(dir), p, nil)
			want := int(diag.IO)
			if name == "interrupt" {
				want = int(diag.Interrupted)
			}
			if got := diag.ExitCode(err); got != want {
				t.Errorf("exit code %d for %v", got, err)
			}
			if name == "other bytes" && !strings.Contains(err.Error(), "m/rrlite_enc1_4x4@gfx1201+accuracy: the placed file has BLAKE3") {
				t.Errorf("error is %v", err)
			}
			if after := listing(t, filepath.Dir(dir)); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

// Building a cell again helps where the cache has lost its object, and not
// where the disk is full.
func TestPlacingSaysWhatHelps(t *testing.T) {
	for name, test := range map[string]struct {
		err   error
		rerun string
	}{
		"lost": {&cache.Miss{Reason: cache.Damaged}, "mage build m/rrlite_enc1_4x4@gfx1201"},
		"full": {syscall.ENOSPC, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := samplePlan()
			at := ""
			for i, s := range p.Sets {
				if s.Path == "gfx1201" {
					p.Sets[i].Objects[1].Bytes = func(*os.File, io.Writer) (cache.Digest, error) { return cache.Digest{}, test.err }
					at = p.Sets[i].Objects[1].Address
				}
			}
			_, _, err := quick.assemble(t.Context(), t.TempDir(), p, nil)
			var f *diag.Failure
			if !errors.As(err, &f) || f.Class != diag.IO || f.Rerun != test.rerun || !strings.Contains(f.Error(), at) {
				t.Errorf("%v", err)
			}
		})
	}
}
