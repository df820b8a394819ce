package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/release"
)

// packer is the program behind release:pack, install and uninstall: compressors
// and signatures are no part of the front door.
const packer = "kmx-pack"

// Pack says what of a release to pack, and how.
type Pack struct {
	Dir     string // of the release; "" for the one that the matrix names
	Out     string // folder of the archives; "" for the release's with -archives
	Only    string // names of archive blocks, comma-separated; "" for all
	Key     string // file of minisign's secret key; "" for what KMX_SIGN_KEY names
	Builder string // URI for the provenance
	Vars    string
}

// archive is an archive block as the packer takes it.
type archive struct {
	Name            string   `json:"name"`
	Families        []string `json:"families,omitempty"`
	Formats         []string `json:"formats"`
	Redistributable bool     `json:"redistributable"`
	Without         []string `json:"without,omitempty"`
}

// Pack makes the archives that the matrix declares of a release that is whole.
func (p *Project) Pack(ctx context.Context, o Pack) error {
	d, err := p.load(o.Vars)
	if err != nil {
		return err
	}
	dir, err := p.releaseDir(d, o.Dir)
	if err != nil {
		return err
	}
	archives, err := chosen(d, o.Only)
	if err != nil {
		return err
	}
	text, err := json.Marshal(archives)
	if err != nil {
		return err
	}
	out := o.Out
	if out == "" {
		out = dir + "-archives"
	}
	args := []string{"pack", "-release=" + dir, "-out=" + out, "-archives=" + string(text)}
	if o.Key != "" {
		args = append(args, "-key="+o.Key)
	}
	if o.Builder != "" {
		args = append(args, "-builder="+o.Builder)
	}
	return p.validateWith(ctx, packer, append(args, p.notice()...))
}

// notice hands on the licence of the project, where it has one.
func (p *Project) notice() []string {
	if _, err := os.Stat(p.path("LICENSE")); err != nil {
		return nil
	}
	return []string{"-notice=" + p.path("LICENSE")}
}

// releaseDir is the folder of the release that the matrix names, or the one that
// is given, which this matrix has to have made: what goes into which archive is
// declared in it.
func (p *Project) releaseDir(d *declared, given string) (string, error) {
	dir := given
	if dir == "" {
		r := release.Plan{Project: d.Project.Name, Version: d.Project.Version, Suffix: suffix(d)}
		dir = filepath.Join(p.path("dist"), r.Name())
	}
	r, err := release.ReadRelease(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", diag.Failf(diag.Usage, "build it first: mage release", "there is no release in %s", dir)
	case err != nil:
		return dir, nil // what is wrong with it, the packer says
	case r.Matrix != declarationDigest(d):
		return "", diag.Failf(diag.Usage, "build it again: mage release", "%s was built from another %s than there is now", dir, matrixFile)
	}
	return dir, nil
}

// chosen are the archive blocks of those names; all where there is none.
func chosen(d *declared, only string) ([]archive, error) {
	var all []matrix.Archive
	var names []string
	for _, r := range d.Releases {
		for _, a := range r.Archives {
			all, names = append(all, a), append(names, a.Name)
		}
	}
	wanted := splitList(only)
	for _, w := range wanted {
		if !slices.Contains(names, w) {
			return nil, diag.Failf(diag.Usage, diag.DidYouMean(w, names), "%s declares no archive %s, only %s", matrixFile, w, strings.Join(names, ", "))
		}
	}
	if len(all) == 0 {
		return nil, diag.Failf(diag.Matrix, `such as archive "all" { families = "*", formats = ["tar.zst"] }, in several lines`, "no release block of %s has an archive", matrixFile)
	}
	var list []archive
	for _, a := range all {
		if len(wanted) == 0 || slices.Contains(wanted, a.Name) {
			list = append(list, archive{a.Name, a.Families, a.Formats, a.Redistributable, without(d, a)})
		}
	}
	return list, nil
}

// without are the words that end the name of an archive for the families that it
// leaves out and that need a library.
func without(d *declared, a matrix.Archive) []string {
	var words []string
	for _, f := range d.Families {
		if a.Families == nil || slices.Contains(a.Families, f.Name) {
			continue
		}
		for _, l := range d.Libraries {
			if l.Without != "" && slices.Contains(f.Requires, l.Name) && !slices.Contains(words, l.Without) {
				words = append(words, l.Without)
			}
		}
	}
	return words
}

// Install says what of a release to install where.
type Install struct {
	Dir        string // of the release; "" for the one that the matrix names
	DestDir    string // put before the prefix, for packagers
	Prefix     string // "/usr/local" unless given
	Archive    string // only what this archive block holds
	Restricted bool   // also what may not be passed on
	Remove     bool   // uninstall
	Vars       string
}

// Install puts a release into PREFIX/lib/d4r/kernels below DESTDIR, or removes
// it from there.
func (p *Project) Install(ctx context.Context, o Install) error {
	if o.Prefix == "" {
		o.Prefix = "/usr/local"
	}
	if !filepath.IsAbs(o.Prefix) {
		return diag.Failf(diag.Usage, "such as -prefix=/usr", "the prefix %q is no absolute path", o.Prefix)
	}
	to := filepath.Join(o.DestDir, o.Prefix, "lib", "d4r", "kernels")
	if o.Remove {
		return p.validateWith(ctx, packer, []string{"uninstall", "-from=" + to})
	}
	d, err := p.load(o.Vars)
	if err != nil {
		return err
	}
	dir, err := p.releaseDir(d, o.Dir)
	if err != nil {
		return err
	}
	args := []string{"install", "-release=" + dir, "-to=" + to, fmt.Sprintf("-restricted=%t", o.Restricted)}
	if o.Archive != "" {
		archives, err := chosen(d, o.Archive)
		if err != nil {
			return err
		}
		if len(archives) != 1 {
			return diag.Failf(diag.Usage, "name one", "-archive=%s names %d archives", o.Archive, len(archives))
		}
		text, err := json.Marshal(archives[0])
		if err != nil {
			return err
		}
		args = append(args, "-archive="+string(text))
	}
	return p.validateWith(ctx, packer, append(args, p.notice()...))
}
