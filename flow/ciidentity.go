package flow

import (
	"fmt"
	"maps"
	"slices"

	"kmx/cache"
	"kmx/plan"
	"kmx/report/ci"
)

// identity is everything that the results of this plan depend on.
func (q *inquiry) identity() ci.Identity {
	id := ci.Identity{Matrix: []ci.File{}, Sources: []ci.File{}, Toolchains: []ci.Toolchain{}, Variables: []ci.Variable{}, LeftOut: []string{}}
	for _, f := range q.d.Files {
		id.Matrix = append(id.Matrix, ci.File{Name: f.Name, Digest: cache.Sum(f.Bytes)})
	}
	sources := map[string]cache.Digest{}
	var actions []string
	for _, n := range q.Graph.Nodes {
		for _, in := range n.Action.Inputs {
			if !n.Stored[in.Path] {
				sources[in.Path] = in.Content()
			}
		}
		actions = append(actions, fmt.Sprintf("%s %s %v %v", n.Label, n.Action.Key(), n.Needs, n.Err))
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		id.Sources = append(id.Sources, ci.File{Name: name, Digest: sources[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(q.found)) {
		tc := q.found[name]
		id.Toolchains = append(id.Toolchains, ci.Toolchain{Closure: plan.ClosureOf(tc), Core: tc.Core})
	}
	vars := differing(q.d)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		id.Variables = append(id.Variables, ci.Variable{Name: name, Value: vars[name]})
	}
	for _, l := range q.d.LeftOut {
		id.LeftOut = append(id.LeftOut, fmt.Sprintf("%s (%s)", l.Rule, l.Reason))
	}
	slices.Sort(actions)
	h := cache.NewHasher()
	for _, a := range actions {
		fmt.Fprintf(h, "%d %s ", len(a), a)
	}
	id.Actions = h.Sum()
	return id
}
