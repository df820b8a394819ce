package ci

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"kmx/cache"
	"kmx/internal/diag"
)

// FindBundles opens every bundle below a folder, by path. All of those that are
// not whole are named.
func FindBundles(paths []string) ([]*Bundle, diag.List) {
	var bundles []*Bundle
	var list diag.List
	for _, path := range paths {
		b, err := OpenBundle(path)
		if err != nil {
			list = append(list, diag.Message{
				Summary: fmt.Sprintf("%s is no whole bundle: %v", filepath.Base(path), err),
				Where:   diag.Range{File: filepath.ToSlash(path)},
				Hint:    "run its shard again, or fetch its artefact again",
			})
			continue
		}
		bundles = append(bundles, b)
	}
	return bundles, list
}

// Agree proves that bundles are those of a plan, on a machine whose identity is
// here. The list says of each bundle that is not in what it differs, which
// shards are missing, and which two made different things of one action.
func Agree(p *Plan, here *Identity, bundles []*Bundle) diag.List {
	var list diag.List
	there := map[int]bool{}
	for _, b := range bundles {
		there[b.Shard] = true
		unlike := here.Unlike(&b.Identity)
		switch {
		case len(unlike) > 0:
			list = append(list, diag.Message{
				Summary: fmt.Sprintf("shard %s was built from something else than what is here", b.Name()),
				Where:   diag.Range{File: filepath.ToSlash(b.Path)},
				Detail:  strings.Join(unlike, "\n"),
				Hint:    "shards of one release share matrix, sources and toolchain; build this one again where they are as here",
			})
		case b.Plan != p.Digest || b.Of != len(p.Shards) || b.Shard < 1 || b.Shard > b.Of:
			list = append(list, diag.Message{
				Summary: fmt.Sprintf("shard %s is of another plan than %s", b.Name(), short(p.Digest)),
				Where:   diag.Range{File: filepath.ToSlash(b.Path)},
				Detail:  "it was built from the same matrix, sources and toolchain, but other shards were to build the rest",
				Hint:    "merge the bundles of one run",
			})
		}
	}
	var missing []string
	for i := range p.Shards {
		if !there[i+1] {
			missing = append(missing, p.Name(i).String())
		}
	}
	if len(missing) > 0 {
		shards, hint := fmt.Sprintf("%d shards are", len(p.Shards)), "mage ci:build "+missing[0]+" builds the first of them"
		if len(missing) == 1 {
			shards, hint = fmt.Sprintf("%d shards is", len(p.Shards)), "mage ci:build "+missing[0]+" builds it"
		}
		if len(p.Shards) == 1 {
			shards = "1 shard is"
		}
		list = append(list, diag.Message{
			Summary: fmt.Sprintf("%d of %s missing: %s", len(missing), shards, strings.Join(missing, ", ")),
			Hint:    hint,
		})
	}
	return append(list, same(bundles)...)
}

// same reports actions of which two bundles have different outputs.
func same(bundles []*Bundle) diag.List {
	type maker struct {
		record *cache.Record
		bundle *Bundle
	}
	first := map[cache.Digest]maker{}
	var list diag.List
	for _, b := range bundles {
		for _, r := range b.Records {
			m, known := first[r.Key]
			if !known {
				first[r.Key] = maker{r, b}
				continue
			}
			if !slices.Equal(m.record.Outputs, r.Outputs) {
				list = append(list, diag.Message{
					Summary: fmt.Sprintf("%s: shards %s and %s made different bytes of one action", r.Label, m.bundle.Name(), b.Name()),
					Where:   diag.Range{File: filepath.ToSlash(b.Path)},
					Notes:   []diag.Note{{Where: diag.Range{File: filepath.ToSlash(m.bundle.Path)}, Text: "the other one is here"}},
					Hint:    "the action is not deterministic, or one of the machines is broken; mage cache:verify -sample=100 finds out",
				})
			}
		}
	}
	return list
}

// Results are the records of bundles by their keys.
func Results(bundles []*Bundle) map[cache.Digest]*cache.Record {
	all := map[cache.Digest]*cache.Record{}
	for _, b := range bundles {
		for _, r := range b.Records {
			all[r.Key] = r
		}
	}
	return all
}

// Take puts the results of bundles into a cache. Only those whose keys are
// wanted are taken; the others are counted.
func Take(store *cache.Cache, bundles []*Bundle, wanted map[cache.Digest]bool) (taken, left int, err error) {
	done := map[cache.Digest]bool{}
	for _, b := range bundles {
		need := map[cache.Digest]bool{}
		for _, r := range b.Records {
			for _, o := range r.Outputs {
				need[o.Digest] = need[o.Digest] || wanted[r.Key]
			}
		}
		err := b.Blobs(func(d cache.Digest, data []byte) error {
			if !need[d] {
				return nil
			}
			_, err := store.PutBytes(data)
			return err
		})
		if err != nil {
			return taken, left, fmt.Errorf("%s: %w", b.Path, err)
		}
		for _, r := range b.Records {
			switch {
			case !wanted[r.Key]:
				left++
			case done[r.Key]:
			default:
				done[r.Key] = true
				if err := store.Store(r); err != nil {
					return taken, left, err
				}
				taken++
			}
		}
	}
	return taken, left, nil
}
