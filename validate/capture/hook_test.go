package capture

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// prepRun gives one bit for each launch: whether the prep kernel runs.
func prepRun(t *testing.T, h Hook, keys ...uint64) string {
	t.Helper()
	var s PrepState
	var b strings.Builder
	for _, key := range keys {
		args := make([]byte, 80)
		binary.LittleEndian.PutUint64(args[max(0, h.KeyAt):], key)
		run, err := h.Prepares(&s, args)
		if err != nil {
			t.Fatal(err)
		}
		if run {
			b.WriteByte('1')
		} else {
			b.WriteByte('.')
		}
	}
	return b.String()
}

func TestPrepRules(t *testing.T) {
	for _, c := range []struct {
		name string
		hook Hook
		keys []uint64
		want string
	}{
		{"no prep kernel", Hook{Prep: false, KeyAt: 8}, []uint64{1, 2}, ".."},
		{"no key", Hook{Prep: true, KeyAt: -1}, []uint64{1, 1, 1}, "111"},
		{"the last key", Hook{Prep: true, KeyAt: 64}, []uint64{7, 7, 8, 7, 7}, "1.11."},
		{"key 0 always, and it is not remembered", Hook{Prep: true, KeyAt: 64}, []uint64{0, 0, 7, 0, 7}, "1111."},
		{"two slots", Hook{Prep: true, KeyAt: 0, Slots: 2}, []uint64{5, 6, 5, 6, 7, 7, 5, 7}, "11..11.1"},
		{"key 0 takes no slot", Hook{Prep: true, KeyAt: 0, Slots: 1}, []uint64{0, 5, 0, 5, 6}, "111.1"},
	} {
		if got := prepRun(t, c.hook, c.keys...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	var s PrepState
	if _, err := (Hook{Kernel: "k", Prep: true, KeyAt: 64}).Prepares(&s, make([]byte, 71)); err == nil || !strings.Contains(err.Error(), "offset 64") {
		t.Errorf("a key beyond the parameters: %v", err)
	}
}

func TestShape(t *testing.T) {
	grid, block := [3]uint32{5, 4, 3}, [3]uint32{32, 1, 2}
	for _, c := range []struct {
		hook Hook
		want string
	}{
		{Hook{}, "[5 4 3] [32 1 2]"},
		{Hook{BlockZ: 8}, "[5 4 3] [32 1 8]"},
		{Hook{GridX: 9}, "[9 1 1] [32 1 2]"},
	} {
		g, b := c.hook.Shape(grid, block)
		if got := fmt.Sprint(g, b); got != c.want {
			t.Errorf("%+v: %s, want %s", c.hook, got, c.want)
		}
	}
}
