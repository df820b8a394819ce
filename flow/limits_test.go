package flow

import (
	"testing"
	"time"
)

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		timeout, size, memory string
		want                  limits
		wrong                 bool
	}{
		{memory: "off", want: limits{10 * time.Minute, 10 << 30, 0}},
		{timeout: "90s", size: "2GB", memory: "8G", want: limits{90 * time.Second, 2e9, 8 << 30}},
		{timeout: "off", size: "off", memory: "off", want: limits{0, -1, 0}},
		{timeout: "1h", size: "0", memory: "1500MB", want: limits{time.Hour, 0, 15e8}},
		{memory: "0", wrong: true},
		{memory: "much", wrong: true},
		{memory: "-1G", wrong: true},
		{timeout: "10", wrong: true},
		{timeout: "0s", wrong: true},
		{timeout: "-1m", wrong: true},
		{size: "huge", wrong: true},
		{size: "-1", wrong: true},
	} {
		env := map[string]string{"KMX_TIMEOUT": tt.timeout, "KMX_CACHE_SIZE": tt.size, "KMX_MEMORY": tt.memory}
		got, err := readLimits(func(name string) string { return env[name] })
		if (err != nil) != tt.wrong || err == nil && got != tt.want {
			t.Errorf("%q: %+v, %v", env, got, err)
		}
	}
}
