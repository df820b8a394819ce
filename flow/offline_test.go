package flow

import (
	"os"
	"strings"
	"testing"
)

func TestOffline(t *testing.T) {
	for _, c := range []struct {
		value string
		want  bool
		err   string
	}{
		{"", false, ""},
		{"0", false, ""},
		{"1", true, ""},
		{"yes", false, `KMX_OFFLINE is 1 or nothing, not "yes"`},
	} {
		got, err := offline(func(string) string { return c.value })
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, %v", c.value, got, err)
		}
	}
}

// Offline, no go command asks a proxy or fetches a toolchain.
func TestKeepOffline(t *testing.T) {
	t.Setenv("GOPROXY", "https://proxy.example")
	t.Setenv("GOTOOLCHAIN", "auto")
	t.Setenv(offlineEnv, "")
	if err := keepOffline(); err != nil || os.Getenv("GOPROXY") != "https://proxy.example" {
		t.Errorf("GOPROXY=%s, %v", os.Getenv("GOPROXY"), err)
	}
	t.Setenv(offlineEnv, "1")
	if err := keepOffline(); err != nil || os.Getenv("GOPROXY") != "off" || os.Getenv("GOTOOLCHAIN") != "local" {
		t.Errorf("GOPROXY=%s GOTOOLCHAIN=%s, %v", os.Getenv("GOPROXY"), os.Getenv("GOTOOLCHAIN"), err)
	}
}
