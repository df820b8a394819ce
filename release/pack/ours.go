package pack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// ours refuses to replace a folder that holds anything else than archives: what
// its lists name, the lists, and signatures of these.
func ours(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return diag.Failf(diag.IO, "name a folder", "the archives cannot be put into %s: %w", dir, err)
	}
	data, err := durable.ReadFile(filepath.Join(dir, SHA256File), MaxText)
	if err != nil {
		return diag.Failf(diag.Usage, "name another folder, or empty it", "%s is no folder of archives: it has no %s", dir, SHA256File)
	}
	named := map[string]bool{SHA256File: true, B3File: true}
	for line := range strings.Lines(string(data)) { // read leniently: an altered archive is replaced as well
		if _, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  "); ok {
			named[name] = true
		}
	}
	for _, e := range entries {
		if !named[strings.TrimSuffix(e.Name(), SignatureSuffix)] || !e.Type().IsRegular() {
			return diag.Failf(diag.Usage, "move it away, or name another folder", "%s would be lost: %s does not name it, and the folder is replaced as a whole",
				filepath.Join(dir, e.Name()), SHA256File)
		}
	}
	return nil
}

// apart refuses a folder for what is made of a release that lies in the release,
// or around it: it would not be whole afterwards, or gone.
func apart(release, to string) error {
	inside := func(dir, in string) bool {
		rel, err := filepath.Rel(in, dir)
		return err == nil && filepath.IsLocal(rel)
	}
	r, t := located(release), located(to)
	if inside(t, r) || inside(r, t) {
		return diag.Failf(diag.Usage, "name a folder beside it", "%s and the release %s lie in one another", to, release)
	}
	return nil
}

// located is where a folder lies, or will lie, without links.
func located(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Clean(dir)
	}
	for at, rest := abs, "."; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return abs
		}
	}
}
