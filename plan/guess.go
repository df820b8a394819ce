package plan

import (
	"cmp"
	"time"

	"kmx/cache"
	"kmx/engine"
)

// What building a cell is guessed to take when nothing is known: a kernel of
// middling size. Clang 19 takes 90 to 150 MiB for one (measured).
const (
	unknownWall   = 1500 * time.Millisecond
	unknownMemory = 160 << 20
)

// guesses predicts what building cells takes.
type guesses struct {
	past    func(address string) (cache.Past, bool)
	largest func(family string) int64
	family  map[string]int64 // what largest has said
}

// of is what building the cell took last. One that was never built is taken for
// as large as the largest of its family: a guess that is too small may cost the
// machine, one that is too large a little time, once.
func (g *guesses) of(address, family string) engine.Cost {
	var last cache.Past
	if g.past != nil {
		last, _ = g.past(address)
	}
	cost := engine.Cost{Wall: cmp.Or(last.Wall, unknownWall), Memory: last.PeakRSS}
	if cost.Memory <= 0 {
		cost.Memory = max(g.largestOf(family), unknownMemory)
	}
	return cost
}

func (g *guesses) largestOf(family string) int64 {
	n, asked := g.family[family]
	if !asked && g.largest != nil {
		n = g.largest(family)
		g.family[family] = n
	}
	return n
}
