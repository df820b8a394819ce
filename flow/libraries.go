package flow

import (
	"os"

	"kmx/cache"
	"kmx/matrix"
	"kmx/plan"
	"kmx/release"
)

func hasLibrary(l matrix.Library) bool { return ruleOf(l).Present(l.Paths) }

func ruleOf(l matrix.Library) release.LibraryRule {
	return release.LibraryRule{Name: l.Name, Match: l.Match}
}

// librarySources are the library files that cells with a recipe are made of.
func librarySources(d *declared) map[string]plan.LibrarySource {
	out := map[string]plan.LibrarySource{}
	for _, l := range d.Libraries {
		out[l.Name] = plan.LibrarySource{Files: ruleOf(l).FilesOf(l.Paths), Match: l.Match}
	}
	return out
}

// program is the digest of this program, whose steps between a library and an
// action are as much a part of what they give as their inputs. Zero where it
// cannot be read: then nothing of the steps is kept.
func program(memo *cache.Memo) cache.Digest {
	exe, err := os.Executable()
	if err != nil {
		return cache.Digest{}
	}
	d, _, err := memo.File(exe)
	if err != nil {
		return cache.Digest{}
	}
	return d
}

// planSource is what cells are planned from in this checkout.
func (p *Project) planSource(d *declared, store *cache.Cache, history *cache.History) plan.Source {
	return plan.Source{
		Root: p.Root, Memo: store.Memo(), Past: history.Last, Largest: largest(history), Hidden: p.hidden(store),
		Store: store, Libraries: librarySources(d), Program: program(store.Memo()),
	}
}
