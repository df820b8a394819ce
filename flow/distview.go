package flow

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kmx/matrix"
	"kmx/release"
)

// distChange is what a build would change in dist. Files that someone altered
// by hand are not looked into.
type distChange struct {
	Folder   string `json:"folder"`         // relative to the project
	Replaced int    `json:"replaced"`       // objects that would be others
	Bytes    int64  `json:"replaced_bytes"` // their size now
	Unknown  int    `json:"unknown"`        // of them, those that may come out the same, as they are yet to be built
	Added    int    `json:"added"`          // objects that are not there
	Kept     int    `json:"kept"`           // objects that stay as they are
	Removed  int    `json:"removed"`        // objects that no cell stands for any more
}

func (c distChange) any() bool { return c.Replaced+c.Added+c.Removed > 0 }

func (c distChange) String() string {
	stay := ""
	switch {
	case c.Kept == 1:
		stay = ", 1 object stays"
	case c.Kept > 1:
		stay = fmt.Sprintf(", %d objects stay", c.Kept)
	}
	if !c.any() {
		return c.Folder + ": nothing would change" + stay
	}
	var parts []string
	if c.Replaced > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s) would be replaced", count(c.Replaced, "object"), size(c.Bytes)))
	}
	if c.Added > 0 {
		parts = append(parts, count(c.Added, "object")+" would be new")
	}
	if c.Removed > 0 {
		parts = append(parts, count(c.Removed, "object")+" would go")
	}
	return c.Folder + ": " + strings.Join(parts, ", ") + stay
}

func size(bytes int64) string {
	switch {
	case bytes < 10_000:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 10_000_000:
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// distChange compares the plan with the manifests of the release or, for
// chosen cells, of the partial builds.
func (p *Project) distChange(q *inquiry, chosen bool) distChange {
	folder := "dist/" + (&release.Plan{Project: q.d.Project.Name, Version: q.d.Project.Version, Suffix: suffix(q.d)}).Name()
	if chosen {
		folder = "dist/dev"
	}
	c := distChange{Folder: folder}
	index := map[*matrix.Cell]int{}
	for i, cell := range q.Cells {
		index[cell] = i
	}
	placed := map[*matrix.Cell]bool{}
	for _, s := range q.d.Sets {
		var cells []int
		for _, cell := range s.Cells {
			if i, ok := index[cell]; ok {
				cells = append(cells, i)
				placed[cell] = true
			}
		}
		q.setChange(&c, filepath.Join(p.path(folder), filepath.FromSlash(s.Path)), cells, !chosen)
	}
	if chosen {
		for i, cell := range q.Cells {
			if !placed[cell] { // as addLoose places it
				_, path, _ := strings.Cut(cell.Address(), "@")
				q.setChange(&c, filepath.Join(p.path(folder), filepath.FromSlash(path)), []int{i}, false)
			}
		}
	}
	return c
}

// setChange adds what would change in one folder; whole says that it holds
// nothing but these cells afterwards.
func (q *inquiry) setChange(c *distChange, dir string, cells []int, whole bool) {
	there := map[string]release.Entry{}
	if set, err := release.ReadSet(dir); err == nil {
		for _, e := range set.Objects {
			there[e.Name] = e
		}
	}
	for _, i := range cells {
		name := q.Cells[i].Kernel
		e, ok := there[name]
		delete(there, name)
		if info, err := os.Stat(filepath.Join(dir, name+release.ObjectSuffix)); !ok || err != nil || info.Size() != e.Size {
			c.Added++
			continue
		}
		l := q.look(i)
		switch {
		case e.Action == l.key, l.err == nil && len(l.record.Outputs) == 1 && l.record.Outputs[0].Digest == e.BLAKE3:
			c.Kept++
			continue
		case l.err != nil:
			c.Unknown++
		}
		c.Replaced++
		c.Bytes += e.Size
	}
	if whole {
		c.Removed += len(there)
	}
}
