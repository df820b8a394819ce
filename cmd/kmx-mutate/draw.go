package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A draw is a mutant: a site, and the kernel that has to show it.
type draw struct {
	site
	kernel int // index
}

// catalogue is all sites of all sources of some kernels, by file.
func catalogue(root string, ks []kernel) (map[string][]site, error) {
	all := map[string][]site{}
	for _, k := range ks {
		for _, f := range k.files {
			if _, ok := all[f]; ok {
				continue
			}
			src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f)))
			if err != nil {
				return nil, err
			}
			all[f] = sites(newSource(f, string(src)))
		}
	}
	return all, nil
}

// draws puts all sites in the order of a seed: kernels in turn, of each the
// operator and the file that were used least. Any beginning of the list is spread
// evenly. Each site stands in it once.
func draws(seed uint64, ks []kernel, all map[string][]site) []draw {
	r := rand.New(rand.NewPCG(seed, 0))
	left := map[string]map[string][]site{} // operator, file
	for _, op := range operators() {
		left[op.name] = map[string][]site{}
	}
	total := 0
	for _, k := range ks {
		for _, f := range k.files {
			for _, s := range all[f] {
				if !containsSite(left[s.Operator][f], s) {
					left[s.Operator][f] = append(left[s.Operator][f], s)
					total++
				}
			}
		}
	}
	ofOperator, ofFile := map[string]int{}, map[string]int{}
	var list []draw
	for len(list) < total {
		for _, k := range r.Perm(len(ks)) {
			op, file := pick(r, ks[k], left, ofOperator, ofFile)
			if op == "" {
				continue
			}
			rest := left[op][file]
			n := r.IntN(len(rest))
			list = append(list, draw{rest[n], k})
			rest[n] = rest[len(rest)-1]
			left[op][file] = rest[:len(rest)-1]
			ofOperator[op]++
			ofFile[file]++
		}
	}
	return list
}

func containsSite(list []site, s site) bool {
	for _, x := range list {
		if x.change == s.change {
			return true
		}
	}
	return false
}

// pick is the operator and the file that were used least together, among those that
// a kernel has sites of; chance decides between equals. A file counts twice, as
// there are twice as many.
func pick(r *rand.Rand, k kernel, left map[string]map[string][]site, ofOperator, ofFile map[string]int) (op, file string) {
	ops := operators()
	fewest := 0
	files := r.Perm(len(k.files))
	for _, i := range r.Perm(len(ops)) {
		name := ops[i].name
		for _, n := range files {
			f := k.files[n]
			if used := ofOperator[name] + 2*ofFile[f]; len(left[name][f]) > 0 && (op == "" || used < fewest) {
				op, file, fewest = name, f, used
			}
		}
	}
	return op, file
}
