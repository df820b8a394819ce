package flow

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/term"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/report"
)

// matrixFile names the declaration, and thereby the project's directory.
const matrixFile = "matrix.hcl"

// Project is one checkout, opened for one command.
type Project struct {
	Root     string // absolute
	Out, Err io.Writer
	Color    bool // Err shows colours

	store *cache.Cache
	live  *report.Printer // while a build is shown

	// unlocked: the toolchains are those of another tree, which has held them
	// against its lock.
	unlocked bool

	limits  *limits    // once something was built
	leaving *interrupt // of the command; nil where nobody listens
}

// open finds the project around the working directory.
func open(out, errOut io.Writer) (*Project, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, matrixFile))
		if err == nil {
			return &Project{Root: dir, Out: out, Err: errOut, Color: colours(errOut)}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, diag.Failf(diag.IO, "", "cannot look for %s: %v", matrixFile, err)
		}
		if dir == filepath.Dir(dir) {
			return nil, diag.Failf(diag.Usage, "run kmx inside a checkout that declares a matrix",
				"there is no %s in %s or above it", matrixFile, wd)
		}
	}
}

// colours says whether w is a terminal whose user has not declined colour
// (https://no-color.org).
func colours(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// elsewhere is what helps where the cache's file system refuses.
const elsewhere = "make the directory writable, or set KMX_CACHE to another one"

// Cache opens the content-addressed store on first use.
func (p *Project) Cache() (*cache.Cache, error) {
	if p.store != nil {
		return p.store, nil
	}
	dir, err := cache.DefaultDir()
	if err != nil {
		return nil, diag.Failf(diag.IO, "set KMX_CACHE to a directory for the cache", "no cache directory: %v", err)
	}
	if rel, err := filepath.Rel(p.path("dist"), dir); err == nil && filepath.IsLocal(rel) {
		return nil, diag.Failf(diag.Usage, "set KMX_CACHE to a directory outside dist", "the cache may not lie in dist, which releases replace and clean removes: %s", dir)
	}
	p.store, err = cache.Open(dir, p.Warn)
	if err != nil {
		return nil, diag.Failf(diag.IO, elsewhere, "the cache cannot be opened: %v", err)
	}
	if who := exposed(dir); who != "" {
		p.Warn(fmt.Sprintf("the cache %s is not yours alone: %s; what others put there would be taken for what you have built (mage cache:verify -sample=100 tells)", dir, who))
	}
	return p.store, nil
}

// close ends the work on the cache; what it learned about files is kept.
func (p *Project) close() {
	if p.store == nil {
		return
	}
	if err := p.store.Memo().Save(); err != nil {
		p.Warn("what is known about files was not saved, the next build hashes them again: " + err.Error())
	}
	p.store.Close()
}

// state is where logs, history and snapshots of this checkout are kept.
func (p *Project) state() (string, error) {
	c, err := p.Cache()
	if err != nil {
		return "", err
	}
	dir, err := c.State(p.Root)
	if err != nil {
		return "", diag.Failf(diag.IO, "set KMX_CACHE to a writable directory", "no place for this checkout's state: %v", err)
	}
	return dir, nil
}

// Say tells people something, on standard error.
func (p *Project) Say(format string, args ...any) {
	fmt.Fprintln(p.Err, p.words(fmt.Sprintf(format, args...)))
}

// Warn tells people about something odd that did not stop the work.
func (p *Project) Warn(text string) {
	if p.live != nil {
		p.live.Warn(text)
		return
	}
	p.Say("warning: %s", text)
}

// show prints diagnostics with their snippets.
func (p *Project) show(l diag.List) {
	l = slices.Clone(l)
	for i := range l {
		l[i].Detail, l[i].Hint = p.words(l[i].Detail), p.words(l[i].Hint)
	}
	diag.Print(p.Err, l, diag.Style{Color: p.Color, Source: p.source})
	if report.GitHub(os.Getenv) {
		diag.PrintGitHub(p.Err, l)
	}
}

// source reads a file of the project for a snippet; nil if it cannot.
func (p *Project) source(file string) []byte {
	data, err := os.ReadFile(p.path(file))
	if err != nil {
		return nil
	}
	return data
}

// path is the absolute form of a slash path of the project.
func (p *Project) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Root, filepath.FromSlash(name))
}
