package engine

import "kmx/cache"

// complete gives the action with the inputs that other nodes make, from the records of the nodes that it needs, in the order
// of its needs, and what all stored inputs were made from. Of a need that is its key: its record says the rest.
func (n *Node) complete(records []*cache.Record) (Action, []cache.Field) {
	a, origin := n.Action, n.Origin
	if len(n.Needs) == 0 {
		return a, origin
	}
	a.Inputs = append(make([]Input, 0, len(a.Inputs)+len(n.Needs)), a.Inputs...)
	origin = append(make([]cache.Field, 0, len(origin)+len(n.Needs)), origin...)
	for i, need := range n.Needs {
		in := Input{Path: need.Path}
		for _, out := range records[i].Outputs {
			if out.Path == need.Output {
				in.Digest = out.Digest
			}
		}
		a.Inputs = append(a.Inputs, in)
		origin = append(origin, cache.Field{Tag: NeedTag, Name: need.Path, Value: records[i].Key.String()})
	}
	return a, origin
}

// NeedTag is the tag of a field in a record that names the key of the action which made an input.
const NeedTag = "need"

// Resolved is a node as it would be run now, as far as that is known without running anything.
type Resolved struct {
	Action Action
	Fields []cache.Field // for the record: of the action, and what its inputs were made from
	// Missing is the index of a node that has to be built before the action is known, or that cannot be built; -1 if the
	// action is known.
	Missing int
}

// Resolve completes the action of a node from the records of what it needs. find gives the record of a key, nil if there is
// none; the graph must be valid.
func (g *Graph) Resolve(node int, find func(key cache.Digest) *cache.Record) Resolved {
	n := g.Nodes[node]
	if n.Err != nil {
		return Resolved{Missing: node}
	}
	records := make([]*cache.Record, len(n.Needs))
	for i, need := range n.Needs {
		r := g.Resolve(need.Node, find)
		if r.Missing >= 0 {
			return r
		}
		if records[i] = find(r.Action.Key()); records[i] == nil {
			return Resolved{Missing: need.Node}
		}
	}
	a, origin := n.complete(records)
	return Resolved{Action: a, Fields: append(a.Fields(), origin...), Missing: -1}
}
