package plan

import (
	"testing"
	"time"

	"kmx/cache"
	"kmx/engine"
)

func TestGuesses(t *testing.T) {
	asked := 0
	g := guesses{
		past: func(address string) (cache.Past, bool) {
			switch address {
			case "m/built@gfx1201":
				return cache.Past{Wall: 3 * time.Second, PeakRSS: 900 << 20}, true
			case "m/cheap@gfx1201":
				return cache.Past{Wall: time.Second, PeakRSS: 50 << 20}, true
			case "m/elsewhere@gfx1201": // by something that could not tell its memory
				return cache.Past{Wall: 2 * time.Second}, true
			}
			return cache.Past{}, false
		},
		largest: func(family string) int64 {
			asked++
			return map[string]int64{"m": 900 << 20, "k": 40 << 20}[family]
		},
		family: map[string]int64{},
	}
	for _, c := range []struct {
		family, kernel string
		want           engine.Cost
	}{
		{"m", "built", engine.Cost{Wall: 3 * time.Second, Memory: 900 << 20}},
		{"m", "cheap", engine.Cost{Wall: time.Second, Memory: 50 << 20}},
		{"m", "new", engine.Cost{Wall: unknownWall, Memory: 900 << 20}},
		{"m", "elsewhere", engine.Cost{Wall: 2 * time.Second, Memory: 900 << 20}},
		{"k", "new", engine.Cost{Wall: unknownWall, Memory: unknownMemory}},
		{"tex", "new", engine.Cost{Wall: unknownWall, Memory: unknownMemory}},
	} {
		if got := g.of(c.family+"/"+c.kernel+"@gfx1201", c.family); got != c.want {
			t.Errorf("%s/%s: %+v, want %+v", c.family, c.kernel, got, c.want)
		}
	}
	if asked != 3 {
		t.Errorf("the families were asked %d times", asked)
	}
	if got := (&guesses{}).of("m/x@gfx1201", "m"); got != (engine.Cost{Wall: unknownWall, Memory: unknownMemory}) {
		t.Errorf("without a history: %+v", got)
	}
}
