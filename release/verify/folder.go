package verify

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"kmx/internal/diag"
	"kmx/release"
	"kmx/release/pack"
)

// IsArchives says whether a folder is one of archives with their lists of digests.
func IsArchives(dir string) bool {
	for _, list := range []string{pack.SHA256File, pack.B3File} {
		if info, err := os.Stat(filepath.Join(dir, list)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// ProveArchives looks at a folder of archives: both lists and everything they name,
// every archive by itself, and its bill of materials and provenance, which have to
// be there. With a key every file has to be signed, the lists too.
func ProveArchives(ctx context.Context, dir string, o Options) ([]*Proof, error) {
	whole := &Proof{Name: dir, Title: dir, Problems: pack.CheckSums(dir)}
	say := func(file, what string) {
		whole.Problems = append(whole.Problems, release.Problem{File: file, What: what})
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, diag.Failf(diag.IO, "", "%w", err)
	}
	proofs := []*Proof{whole}
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || filepath.Ext(name) == pack.SignatureSuffix {
			continue
		}
		whole.Files++
		file := filepath.Join(dir, name)
		if IsArchive(name) {
			proof, err := Prove(ctx, file, o)
			if err != nil {
				return nil, err
			}
			for i := range proof.Problems {
				problem := &proof.Problems[i]
				if problem.File != name {
					problem.Set = path.Join(name, problem.Set)
				}
			}
			for _, kind := range []struct{ suffix, what string }{{pack.SBOMSuffix, "bill of materials"}, {pack.ProvenanceSuffix, "provenance"}} {
				if beside(dir, name, kind.suffix) == "" {
					say(name, "has no "+kind.what+" beside it")
				}
			}
			proofs = append(proofs, proof)
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, diag.Failf(diag.IO, "", "%w", err)
		}
		if _, what := signed(file, name, data, o.Key); what != "" {
			say(name, what)
		}
	}
	if len(proofs) == 1 {
		say(".", "holds no archive")
	}
	slices.SortStableFunc(whole.Problems, func(a, b release.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.What, b.What))
	})
	return proofs, nil
}
