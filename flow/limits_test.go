package flow

import (
	"testing"
	"time"
)

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		timeout, size string
		want          limits
		wrong         bool
	}{
		{want: limits{10 * time.Minute, 10 << 30}},
		{timeout: "90s", size: "2GB", want: limits{90 * time.Second, 2e9}},
		{timeout: "off", size: "off", want: limits{0, -1}},
		{timeout: "1h", size: "0", want: limits{time.Hour, 0}},
		{timeout: "10", wrong: true},
		{timeout: "0s", wrong: true},
		{timeout: "-1m", wrong: true},
		{size: "huge", wrong: true},
		{size: "-1", wrong: true},
	} {
		env := map[string]string{"KMX_TIMEOUT": tt.timeout, "KMX_CACHE_SIZE": tt.size}
		got, err := readLimits(func(name string) string { return env[name] })
		if (err != nil) != tt.wrong || err == nil && got != tt.want {
			t.Errorf("%q: %+v, %v", env, got, err)
		}
	}
}
