package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/release"
)

// InstallDir is where kernels lie below a prefix.
const InstallDir = "lib/d4r/kernels"

// InstallOptions say what to install where.
type InstallOptions struct {
	Release    string   // folder
	To         string   // folder that becomes the release
	Archive    *Archive // only what this archive holds; nil: everything
	Restricted bool     // also what may not be passed on
	Notices    []Notice
}

// Install makes a folder the release, at once: a reader sees what was there, or
// all of the new. It is proved like an archive. A folder that is this release
// already is left alone; one with files that no manifest speaks of is refused. It
// reports whether anything changed, and how many files the release has.
func Install(ctx context.Context, o InstallOptions) (changed bool, files int, err error) {
	t, err := Load(o.Release)
	if err != nil {
		return false, 0, err
	}
	a := o.Archive
	if a == nil {
		a = &Archive{Name: "all"}
	}
	if t, err = t.Subset(a, "", o.Notices); err != nil {
		return false, 0, err
	}
	if len(t.Release.Restricted) > 0 && !o.Restricted {
		return false, 0, diag.Failf(diag.Usage, "choose a part of it with -archive, or say -restricted on a machine of your own",
			"the release holds objects under %s, which may not be passed on", strings.Join(t.Release.Restricted, ", "))
	}
	if err := FindingsError(o.Release, ScanTree(t)); err != nil {
		return false, 0, err
	}
	failed := func(err error) error { return diag.Failf(diag.IO, durable.Advice(err), "%w", err) }
	if err := apart(o.Release, o.To); err != nil {
		return false, 0, err
	}
	same, err := isTree(o.To, t)
	if err != nil || same {
		return false, len(t.Items), err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(o.To)), dirMode); err != nil {
		return false, 0, failed(err)
	}
	fresh, err := durable.Fresh(o.To)
	if err != nil {
		return false, 0, failed(err)
	}
	defer fresh.Discard()
	if err := (&Contents{Items: t.Items}).Extract(fresh.Path); err != nil {
		return false, 0, failed(err)
	}
	if err := folderModes(fresh.Path); err != nil {
		return false, 0, failed(err)
	}
	if err := release.ProblemsError(o.To, release.VerifyDir(fresh.Path)); err != nil {
		return false, 0, err
	}
	if err := ctx.Err(); err != nil {
		return false, 0, err
	}
	if err := fresh.Exchange(); err != nil {
		return false, 0, failed(err)
	}
	return true, len(t.Items), nil
}

// isTree says whether dir is the tree already. A folder that is neither missing
// nor a release and nothing else is an error: it would be lost.
func isTree(dir string, t *Tree) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return false, nil
	}
	if err != nil {
		return false, diag.Failf(diag.IO, "", "%w", err)
	}
	problems := release.VerifyDir(dir)
	for _, p := range problems {
		if strings.HasPrefix(p.What, "extra") || p.Set == "" && p.File == release.ManifestFile {
			return false, diag.Failf(diag.Usage, "move it away first", "%s holds what no manifest of a release speaks of: %s", dir, p)
		}
	}
	was, err := os.ReadFile(filepath.Join(dir, release.ManifestFile))
	return err == nil && len(problems) == 0 && bytes.Equal(was, t.item(release.ManifestFile).Data), nil
}

// folderModes gives folders their mode, whatever the umask made of it.
func folderModes(dir string) error {
	return filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			err = os.Chmod(p, dirMode)
		}
		return err
	})
}

// Uninstall removes the files of a release that its manifests name, then the
// folders that are empty by that. What was changed, and what no manifest speaks
// of, stays and is an error of class Verify afterwards; without a readable
// manifest nothing is removed.
func Uninstall(ctx context.Context, dir string) (removed int, err error) {
	r, err := release.ReadRelease(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, diag.Failf(diag.Usage, "install puts a release there; -prefix and -destdir have to be those it was given", "no release is installed in %s: it has no %s", dir, release.ManifestFile)
	}
	if err != nil {
		return 0, diag.Failf(diag.Usage, "give the folder of an installed release", "%s: %w", dir, err)
	}
	var problems []release.Problem // what cannot be removed
	keep := map[string]bool{}
	for _, p := range release.VerifyDir(dir) {
		keep[path.Join(p.Set, p.File)] = true
		if p.What != "missing" || p.File == release.ManifestFile && exists(filepath.Join(dir, filepath.FromSlash(p.Set))) {
			problems = append(problems, p)
		}
	}
	var names []string
	for _, ref := range r.Sets {
		s, err := release.ReadSet(filepath.Join(dir, filepath.FromSlash(ref.Path)))
		if err != nil {
			continue // its problem is in the list
		}
		for _, e := range s.Objects {
			names = append(names, ref.Path+"/"+e.File.Name)
		}
		for _, f := range s.Files {
			names = append(names, ref.Path+"/"+f.Name)
		}
		names = append(names, ref.Path+"/"+release.ManifestFile)
	}
	for _, f := range r.Files {
		names = append(names, f.Name)
	}
	for _, name := range append(names, release.ManifestFile) { // the root's last: until then it can be done again
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		if keep[name] || name == release.ManifestFile && len(problems) > 0 {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return removed, diag.Failf(diag.IO, "", "%w", err)
		}
		removed++
	}
	for _, ref := range slices.Backward(r.Sets) {
		for _, d := range slices.Backward(parents(ref.Path + "/x")) {
			os.Remove(filepath.Join(dir, filepath.FromSlash(d))) // stays where something is left in it
		}
	}
	os.Remove(dir)
	if len(problems) > 0 {
		err := release.ProblemsError(dir, problems).(*diag.Failure)
		err.Messages[len(err.Messages)-1].Hint = fmt.Sprintf("%d files were removed; these are yours to look at", removed)
		return removed, err
	}
	return removed, nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
