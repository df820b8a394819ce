package engine

import "testing"

func TestMakeflags(t *testing.T) {
	for _, c := range []struct {
		text, auth string
		jobs       int
	}{
		{"", "", 0},
		{"-j", "", 0},
		{" -j4 --jobserver-auth=3,4", "3,4", 4},
		{"kn -j4 --jobserver-auth=3,4 -- V=1", "3,4", 4},
		{"w -j --jobserver-fds=5,6", "5,6", 0},
		{" -j12 --jobserver-auth=fifo:/tmp/GMfifo71", "fifo:/tmp/GMfifo71", 12},
		{`-j2 --jobserver-auth=fifo:/tmp/a\ b/GMfifo$$1`, "fifo:/tmp/a b/GMfifo$1", 2},
		{"-j8 --jobserver-auth=3,4 -j3 --jobserver-auth=7,8", "7,8", 3},
		{"-- --jobserver-auth=3,4", "", 0},
		{" -j1 --jobserver-auth=-2,-2", "-2,-2", 1},
		{"k --jobserver-auth", "", 0},
		{`\`, "", 0},
	} {
		if auth, jobs := readMakeflags(c.text); auth != c.auth || jobs != c.jobs {
			t.Errorf("%q: %q, %d", c.text, auth, jobs)
		}
	}
}

func FuzzMakeflags(f *testing.F) {
	f.Add(` -j4 --jobserver-auth=fifo:/a\ b -- X=\ `)
	f.Fuzz(func(t *testing.T, text string) {
		if _, jobs := readMakeflags(text); jobs < 0 {
			t.Error(jobs)
		}
	})
}
