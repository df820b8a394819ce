package flow

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/matrix"
	"kmx/report"
)

// emulatedName is the file of emulated statistics in a checkout's state.
const emulatedName = "stats.json"

// Stats are the choices of validate:stats.
type Stats struct {
	Selectors string // cells; "" is those of all sets
	Workers   int    // work-groups at a time; 0: one per processor
	Again     bool   // also what is known
	JSON      bool
	Build
}

// Stats builds cells and has the validator run one seeded launch of each whose
// statistics are not known yet. What it counts stays in the checkout's state,
// where builds find it by the objects' digests.
func (p *Project) Stats(ctx context.Context, s Stats) error {
	if err := s.check(); err != nil {
		return err
	}
	d, err := p.load(s.Vars)
	if err != nil {
		return err
	}
	cells := cellsOf(d.Sets)
	if s.Selectors != "" {
		var list diag.List
		if cells, list = d.Select(s.Selectors, ""); list.HasErrors() {
			return &diag.Failure{Class: diag.Usage, Messages: list}
		}
	}
	build := s.Build
	build.shows = showBuilt
	m, err := p.make(ctx, d, cells, build, false)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kmx-stats-")
	if err != nil {
		return diag.Failf(diag.IO, "", "%w", err)
	}
	defer os.RemoveAll(dir)
	list, err := p.counted(m, cells, dir)
	if err != nil {
		return diag.Failf(diag.IO, elsewhere, "%w", err)
	}
	state, err := p.state()
	if err != nil {
		return err
	}
	args := []string{"stats", list, filepath.Join(state, emulatedName)}
	for _, c := range []struct {
		word string
		set  bool
	}{{"-again", s.Again}, {"-json", s.JSON}} {
		if c.set {
			args = append(args, c.word)
		}
	}
	if s.Workers != 0 {
		workers, err := json.Marshal(s.Workers)
		if err != nil {
			return err
		}
		args = append(args, "-workers="+string(workers))
	}
	return p.validateWith(ctx, validator, args)
}

// counted writes the objects of cells into a folder and a list of them for the
// validator, each object once.
func (p *Project) counted(m *made, cells []*matrix.Cell, dir string) (list string, err error) {
	type object struct {
		Address string       `json:"address"`
		Kernel  string       `json:"kernel"`
		Digest  cache.Digest `json:"digest"`
		Path    string       `json:"path"`
	}
	objects, err := p.objects(m)
	if err != nil {
		return "", err
	}
	var out []object
	seen := map[cache.Digest]bool{}
	for _, c := range cells {
		o := objects[c.Address()]
		if seen[o.Digest] {
			continue
		}
		seen[o.Digest] = true
		e := object{c.Address(), c.Kernel, o.Digest, filepath.Join(dir, o.Digest.String())}
		f, err := os.OpenFile(e.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return "", err
		}
		_, err = o.Bytes(f, io.Discard)
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return "", err
		}
		out = append(out, e)
	}
	data, err := json.Marshal(out)
	if err != nil {
		return "", err
	}
	list = filepath.Join(dir, "objects.json")
	return list, os.WriteFile(list, data, 0o600)
}

// emulated gives what is known of a finished cell's object from the emulator, as
// words for its line. The file is read when the first cell asks; one that cannot
// be read costs these words, never a build.
func (p *Project) emulated(store *cache.Cache, state string) func(label string, key cache.Digest) string {
	known := sync.OnceValue(func() report.Emulations {
		e, err := report.ReadEmulations(filepath.Join(state, emulatedName))
		if err != nil {
			p.Warn("statistics of the emulator are not shown: " + strings.TrimSpace(err.Error()))
		}
		return e
	})
	return func(_ string, key cache.Digest) string {
		if len(known()) == 0 {
			return ""
		}
		r, err := store.Lookup(key)
		if err != nil || len(r.Outputs) != 1 {
			return ""
		}
		if e := known()[r.Outputs[0].Digest]; e != nil {
			return e.String()
		}
		return ""
	}
}
