package flow

import (
	"fmt"
	"time"

	"kmx/cache"
	"kmx/engine"
	"kmx/internal/diag"
)

// limits are what the environment says about time and space.
type limits struct {
	action time.Duration // of one compiler; 0: none
	size   int64         // bytes, above which a cache is collected after a build; negative: never
	memory int64         // bytes that compilers may take together; 0: no limit
}

// defaultTimeout is far above the slowest kernel, which takes about half a
// minute, also on a machine that is busy with other things.
const defaultTimeout = 10 * time.Minute

// off is the value of a limit that is not to be.
const off = "off"

func readLimits(getenv func(string) string) (limits, error) {
	l := limits{action: defaultTimeout, size: cache.DefaultSize}
	var err error
	switch text := getenv("KMX_TIMEOUT"); text {
	case "":
	case off:
		l.action = 0
	default:
		l.action, err = cache.ParseAge(text)
		if err == nil && l.action < time.Second {
			return l, diag.Failf(diag.Usage, "KMX_TIMEOUT=off sets no limit", "KMX_TIMEOUT: %s is too short for any compiler", text)
		}
		if err != nil {
			return l, diag.Failf(diag.Usage, "KMX_TIMEOUT=off sets no limit", "KMX_TIMEOUT: %v", err)
		}
	}
	switch text := getenv("KMX_CACHE_SIZE"); text {
	case "":
	case off:
		l.size = -1
	default:
		if l.size, err = cache.ParseSize(text); err != nil {
			return l, diag.Failf(diag.Usage, "KMX_CACHE_SIZE=off lets the cache grow", "KMX_CACHE_SIZE: %v", err)
		}
	}
	switch text := getenv("KMX_MEMORY"); text {
	case "":
		l.memory = engine.MemoryBudget()
	case off:
	default:
		l.memory, err = cache.ParseSize(text)
		if err == nil && l.memory == 0 {
			err = fmt.Errorf("nothing can be built in no memory")
		}
		if err != nil {
			return l, diag.Failf(diag.Usage, "KMX_MEMORY=off sets no limit", "KMX_MEMORY: %v", err)
		}
	}
	return l, nil
}

// tooSlow says what helps when a compiler ran into its limit.
func tooSlow(e *engine.TimedOut) diag.Message {
	return diag.Message{
		Summary: fmt.Sprintf("a compiler was still running after %s", e.After),
		Hint:    fmt.Sprintf("if it only needs longer: KMX_TIMEOUT=%s, or off", 2*e.After),
	}
}
