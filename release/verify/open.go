package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kmx/internal/diag"
	"kmx/release"
	"kmx/release/pack"
)

// Opened is a release as a folder of files, wherever it came from.
type Opened struct {
	Name    string           // as it was given
	Dir     string           // the files; of an archive, where it was unpacked
	Release *release.Release // nil for a set alone
	Sets    []Set            // in the order of the manifest
	Archive *pack.Contents   // nil for a folder
	Data    []byte           // the archive's own bytes
}

// Set is a set and where it lies below Dir, "" where that is the set's folder.
type Set struct {
	At string
	*release.Set
}

// IsArchive says whether a name is that of an archive of kernels.
func IsArchive(name string) bool {
	return strings.HasSuffix(name, "."+pack.TarZst) || strings.HasSuffix(name, "."+pack.Zip)
}

// Open finds a release, a set or an archive. Only the manifests are read, and of
// these only those that can be: Prove says what is wrong with the others. A name
// that is none of these is a failure of class Usage, an unreadable archive one of
// class Verify.
func Open(name string) (*Opened, error) {
	info, err := os.Stat(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, diag.Failf(diag.Usage, "name the folder of a release, or an archive", "there is no %s", name)
		}
		return nil, diag.Failf(diag.IO, "", "%w", err)
	}
	o := &Opened{Name: name, Dir: name}
	if !info.IsDir() {
		if !IsArchive(name) {
			return nil, diag.Failf(diag.Usage, "archives end in .tar.zst or .zip", "%s is neither a folder nor an archive", name)
		}
		if o.Archive, o.Data, err = pack.Open(name); err != nil {
			return nil, err
		}
		if o.Dir, err = os.MkdirTemp("", "kmx-verify-"); err != nil {
			return nil, diag.Failf(diag.IO, "", "no place for what is in the archive: %w", err)
		}
		if err := o.Archive.Extract(o.Dir); err != nil {
			o.Close()
			return nil, diag.Failf(diag.IO, "", "%s cannot be unpacked: %w", name, err)
		}
	}
	r, err := release.ReadRelease(o.Dir)
	if err == nil {
		o.Release = r
		for _, ref := range r.Sets {
			if s, err := release.ReadSet(o.path(ref.Path)); err == nil {
				o.Sets = append(o.Sets, Set{ref.Path, s})
			}
		}
		return o, nil
	}
	if s, err := release.ReadSet(o.Dir); err == nil {
		o.Sets = []Set{{"", s}}
		return o, nil
	}
	if o.Archive == nil && errors.Is(err, fs.ErrNotExist) {
		// Nothing in it says what it should be, unless it is what was left.
		if nested, _ := filepath.Glob(filepath.Join(o.Dir, "*", release.ManifestFile)); len(nested) == 0 {
			return nil, diag.Failf(diag.Usage, "name the folder that holds the manifest.json of a release or of a set", "%s holds no release", name)
		} else if dir := filepath.Dir(nested[0]); whole(dir) {
			return nil, diag.Failf(diag.Usage, "did you mean "+dir+"?", "%s is no release, a folder in it is", name)
		}
	}
	return o, nil
}

func whole(dir string) bool {
	_, err := release.ReadRelease(dir)
	return err == nil
}

// Close removes what was unpacked.
func (o *Opened) Close() {
	if o.Archive != nil {
		_ = os.RemoveAll(o.Dir)
	}
}

// path is a slash path of the release on disk.
func (o *Opened) path(slash string) string { return filepath.Join(o.Dir, filepath.FromSlash(slash)) }

// title names the release for people: by its manifest, else as it was given.
func (o *Opened) title() string {
	if o.Release != nil {
		return o.Release.Name()
	}
	if len(o.Sets) == 1 {
		return "set " + o.Sets[0].Path
	}
	return o.Name
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
