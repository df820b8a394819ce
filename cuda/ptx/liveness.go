package ptx

import "slices"

// LiveIn is the set of registers whose value before the instruction may still
// be read, by it or after it.
func (fl *Flow) LiveIn(in *Instruction) map[string]bool { return fl.live(in, 0) }

// LiveOut is the set of registers whose value after the instruction may still
// be read.
func (fl *Flow) LiveOut(in *Instruction) map[string]bool { return fl.live(in, 1) }

func (fl *Flow) live(in *Instruction, after int32) map[string]bool {
	at, ok := fl.index[in]
	if !ok {
		return nil
	}
	fl.liveOnce.Do(fl.findLive)
	b := fl.blocks[fl.blockOf[at]]
	set := map[int32]bool{}
	for _, n := range b.next {
		for _, r := range fl.liveIn[n] {
			set[r] = true
		}
	}
	for i := b.to - 1; i >= at+after; i-- {
		e := fl.effects[i]
		if !e.partial {
			for _, r := range e.writes {
				delete(set, r)
			}
		}
		for _, r := range e.reads {
			set[r] = true
		}
	}
	names := make(map[string]bool, len(set))
	for r := range set {
		names[fl.names[r]] = true
	}
	return names
}

// findLive finds for every block the registers that are live where it begins.
// It takes each register by itself and goes from its uses backwards to its
// definitions, so that work and memory are what the answer has: few registers
// live through many blocks.
func (fl *Flow) findLive() {
	fl.liveIn = make([][]int32, len(fl.blocks))
	mark := make([]int32, len(fl.blocks)) // the last register found live in; +1
	kills := make([]int32, len(fl.blocks))
	var todo []int32
	for r := range fl.names {
		tag := int32(r) + 1
		for _, d := range fl.defs[r] {
			if !fl.effects[d].partial {
				kills[fl.blockOf[d]] = tag
			}
		}
		enter := func(b int32) {
			if mark[b] != tag {
				mark[b] = tag
				fl.liveIn[b] = append(fl.liveIn[b], int32(r))
				todo = append(todo, b)
			}
		}
		for _, u := range fl.uses[r] {
			b := fl.blockOf[u]
			if mark[b] != tag && !fl.killedBefore(int32(r), fl.blocks[b].from, u) {
				enter(b)
			}
		}
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, p := range fl.blocks[b].prev {
				if kills[p] != tag {
					enter(p)
				}
			}
		}
	}
}

// killedBefore reports whether an instruction in [from, to) certainly writes r.
func (fl *Flow) killedBefore(r, from, to int32) bool {
	defs := fl.defs[r]
	i, _ := slices.BinarySearch(defs, from)
	for ; i < len(defs) && defs[i] < to; i++ {
		if !fl.effects[defs[i]].partial {
			return true
		}
	}
	return false
}
