package pack

import (
	"path"
	"slices"
	"strings"

	"kmx/release"
)

// Item is one file of a release, of an archive or on its way into one.
type Item struct {
	Path string // slash path below the root of the release
	Data []byte
}

// Tree is a whole release in memory.
type Tree struct {
	Release *release.Release
	Sets    []*release.Set // in the order of Release.Sets
	Items   []Item         // by path
}

// Entries lists the objects with their paths, by path.
func (t *Tree) Entries() []Object {
	var all []Object
	for _, s := range t.Sets {
		for _, e := range s.Objects {
			all = append(all, Object{path.Join(s.Path, e.File.Name), e})
		}
	}
	slices.SortFunc(all, func(a, b Object) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// Object is an object of a release and what its manifest says of it.
type Object struct {
	Path string
	release.Entry
}

// item finds a file by its path; nil if there is none.
func (t *Tree) item(path string) *Item {
	i, ok := slices.BinarySearchFunc(t.Items, path, func(i Item, p string) int { return strings.Compare(i.Path, p) })
	if !ok {
		return nil
	}
	return &t.Items[i]
}

func (t *Tree) sort() {
	slices.SortFunc(t.Items, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
}
