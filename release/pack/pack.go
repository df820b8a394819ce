package pack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kmx/internal/diag"
	"kmx/internal/durable"
	"kmx/release"
)

// Options say what to pack.
type Options struct {
	Release  string // folder
	Out      string // folder of the archives, which is replaced as a whole
	Archives []Archive
	Notices  []Notice // files for the root of every archive
	Epoch    string   // SOURCE_DATE_EPOCH, or "" for the date of the release
	Builder  string   // URI of who builds, for the provenance; "" where nobody says
	Key      Key
}

// Result is what was packed.
type Result struct {
	Files  []File // by name, the lists and signatures among them
	Signed bool
	Time   time.Time
	Gone   []string // archives that were in the folder before and are not now: names, " (signed)" after them where they were
}

// File is a file of the result.
type File struct {
	Name string
	Size int64
}

// Pack makes the archives of a release. It holds the release against its
// manifests first, looks into every file, and reads back what it wrote; the folder
// Out appears whole, or what was there stays.
//
// Errors are failures of class Usage, Matrix, Verify and IO.
func Pack(ctx context.Context, o Options) (*Result, error) {
	t, err := Load(o.Release)
	if err != nil {
		return nil, err
	}
	if t.Release.Developer != "" {
		return nil, diag.Failf(diag.Usage, "build the release as declared", "%s is not for shipping: %s", o.Release, t.Release.Developer)
	}
	if err := apart(o.Release, o.Out); err != nil {
		return nil, err
	}
	if len(o.Archives) == 0 {
		return nil, diag.Failf(diag.Matrix, "declare one in the release block of matrix.hcl, such as archive \"all\" { families = \"*\", formats = [\"tar.zst\"] }", "there is no archive to pack")
	}
	if why := clash(o.Archives, t.Release.Sets); why != "" {
		return nil, diag.Failf(diag.Matrix, "name the archive otherwise", "%s", why)
	}
	at, err := timeOf(t.Release, o.Epoch)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for i := range o.Archives {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := o.block(t, &o.Archives[i], at, files); err != nil {
			return nil, err
		}
	}
	sha, b3 := sums(files, sha256Of), sums(files, blake3Of)
	files[SHA256File], files[B3File] = sha, b3
	if o.Key.Signs() {
		for _, name := range sortedNames(files) {
			s, err := o.Key.sign(name, files[name], at.Unix())
			if err != nil {
				return nil, err
			}
			files[name+SignatureSuffix] = s
		}
	}
	r := &Result{Signed: o.Key.Signs(), Time: at, Gone: gone(o.Out, files)}
	if err := o.write(ctx, files); err != nil {
		return nil, err
	}
	for _, name := range sortedNames(files) {
		r.Files = append(r.Files, File{name, int64(len(files[name]))})
	}
	return r, nil
}

// gone are the archives in a folder that will not be there when these files
// take its place.
func gone(dir string, files map[string][]byte) []string {
	entries, _ := os.ReadDir(dir) // one that cannot be read is refused when it is replaced
	var names []string
	for _, e := range entries {
		name := e.Name()
		if _, stays := files[name]; stays || !strings.HasSuffix(name, "."+TarZst) && !strings.HasSuffix(name, "."+Zip) {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, name+SignatureSuffix)); err == nil {
			name += " (signed)"
		}
		names = append(names, name)
	}
	return names
}

// Epoch is the time that SOURCE_DATE_EPOCH says, up to the year 9999.
func Epoch(seconds string) (time.Time, error) {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || n < 0 || n > 253402300799 {
		return time.Time{}, diag.Failf(diag.Usage, "seconds since 1970, as date +%s prints them", "SOURCE_DATE_EPOCH=%s is no time", seconds)
	}
	return time.Unix(n, 0).UTC(), nil
}

// timeOf is the time of everything that is packed.
func timeOf(r *release.Release, epoch string) (time.Time, error) {
	if epoch != "" {
		return Epoch(epoch)
	}
	at, err := time.Parse(time.DateOnly, r.Date)
	if err != nil {
		return time.Time{}, diag.Failf(diag.Usage, "set SOURCE_DATE_EPOCH", "the release has no date to pack by: %w", err)
	}
	return at, nil
}

// block adds the files of one archive block.
func (o *Options) block(t *Tree, a *Archive, at time.Time, files map[string][]byte) error {
	whole, err := t.Subset(a, "", o.Notices)
	if err != nil {
		return err
	}
	if err := a.allowed(whole); err != nil {
		return err
	}
	if err := FindingsError(o.Release, ScanTree(whole)); err != nil {
		return err
	}
	var archives []made
	for _, format := range a.Formats {
		trees := []*Tree{whole}
		if format == TarZst {
			for _, s := range whole.Release.Sets {
				one, err := t.Subset(a, s.Path, o.Notices)
				if err != nil {
					return err
				}
				trees = append(trees, one)
			}
		}
		for i, tree := range trees {
			set := ""
			if i > 0 {
				set = tree.Release.Sets[0].Path
			}
			m, err := write(format, a.base(tree.Release, set), tree, at)
			if err != nil {
				return err
			}
			archives = append(archives, m)
			files[m.name] = m.data
		}
	}
	base := a.base(whole.Release, "")
	bill, err := sbom(base, archives, at)
	if err != nil {
		return err
	}
	files[base+SBOMSuffix] = bill
	statement, err := provenance(a, t.Release, archives, digested(base+SBOMSuffix, bill), o.Builder, at)
	if err != nil {
		return err
	}
	files[base+ProvenanceSuffix] = statement
	for _, m := range archives {
		if err := proved(m, bill, statement); err != nil {
			return err
		}
	}
	return nil
}

// write makes one archive file.
func write(format, base string, t *Tree, at time.Time) (made, error) {
	m := made{name: base + "." + format, tree: t}
	var err error
	switch format {
	case TarZst:
		if m.data, err = tarOf(root(format, base), t.Items, at); err == nil {
			m.data, err = compress(m.data)
		}
	case Zip:
		m.data, err = zipOf(root(format, base), t.Items, at)
	default:
		err = diag.Failf(diag.Matrix, "", "there is no archive format %s", format)
	}
	return m, err
}

// proved reads an archive back as somebody who downloads it would.
func proved(m made, bill, statement []byte) error {
	c, err := Read(m.name, m.data)
	if err != nil {
		return diag.Failf(diag.Verify, "", "%s cannot be read back: %w", m.name, err)
	}
	t, problems := Parse(c.Items)
	if err := release.ProblemsError(m.name, problems); err != nil {
		return err
	}
	for _, wrong := range append(CheckSBOM(bill, m.name, m.data, c.Items), CheckProvenance(statement, m.name, m.data, t)...) {
		return diag.Failf(diag.Verify, "", "%s: what is said of it: %s", m.name, wrong)
	}
	return nil
}

// write puts the files into a folder that then takes its place.
func (o *Options) write(ctx context.Context, files map[string][]byte) error {
	failed := func(err error) error { return diag.Failf(diag.IO, durable.Advice(err), "%w", err) }
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(o.Out)), dirMode); err != nil {
		return failed(err)
	}
	if err := ours(o.Out); err != nil {
		return err
	}
	fresh, err := durable.Fresh(o.Out)
	if err != nil {
		return failed(err)
	}
	defer fresh.Discard()
	if err := os.Chmod(fresh.Path, dirMode); err != nil {
		return failed(err)
	}
	for _, name := range sortedNames(files) {
		if err := durable.WriteFile(filepath.Join(fresh.Path, name), files[name], fileMode); err != nil {
			return failed(err)
		}
	}
	if err := sumsError(fresh.Path, CheckSums(fresh.Path)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := syncFS(fresh.Path); err != nil {
		return failed(err)
	}
	if err := fresh.Exchange(); err != nil {
		return failed(err)
	}
	return nil
}

// syncFS waits until what was written would survive a power cut; tests do not.
var syncFS = durable.SyncFS

func sortedNames(files map[string][]byte) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// String is a line about the file.
func (f File) String() string { return fmt.Sprintf("%10s  %s", size(f.Size), f.Name) }
