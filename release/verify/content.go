package verify

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"kmx/internal/diag"
	"kmx/release/pack"
)

// content looks through every file for what may not be passed on, and holds what
// the manifest says of licences against the objects.
func (p *prover) content(ctx context.Context) error {
	t := &pack.Tree{Release: p.Release}
	at := "" // of a set alone, whose path its files do not have
	for _, s := range p.Sets {
		t.Sets = append(t.Sets, s.Set)
		if s.At == "" {
			at = s.Path
		}
	}
	if p.Archive != nil {
		t.Items = p.Archive.Items
	} else {
		items, err := p.items(ctx, at)
		if err != nil {
			return err
		}
		t.Items = items
	}
	for _, f := range pack.ScanTree(t) {
		file := strings.TrimPrefix(strings.TrimPrefix(f.File, at), "/")
		set := path.Dir(file)
		if set == "." {
			set = ""
		}
		p.say(set, path.Base(file), "offset %d (%#x): %s", f.Offset, f.Offset, f.What)
	}
	if p.Archive == nil || p.Release == nil {
		return nil
	}
	said := map[string]bool{}
	for _, l := range p.Release.Restricted {
		said[l] = true
	}
	for _, e := range t.Entries() {
		if why := pack.Restricted(e.Entry); why != "" && !said[e.Licence] {
			p.say(path.Dir(e.Path), path.Base(e.Path), "may not be passed on (%s), and the archive does not say so", why)
		}
	}
	if len(p.Release.Restricted) > 0 {
		p.note("not for passing on: it holds objects under %s", diag.And(p.Release.Restricted))
	}
	return nil
}

// items reads every plain file below the folder; what else lies there was told.
func (p *prover) items(ctx context.Context, at string) ([]pack.Item, error) {
	var items []pack.Item
	root := p.Dir
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		items = append(items, pack.Item{Path: path.Join(at, filepath.ToSlash(rel)), Data: data})
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = diag.Failf(diag.IO, "", "%w", err)
	}
	return items, err
}
