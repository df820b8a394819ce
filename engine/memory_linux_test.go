package engine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFreeMemory(t *testing.T) {
	const meminfo = "MemTotal:  24683620 kB\nMemFree:  21242780 kB\nMemAvailable:   4096 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing is known", nil, 0},
		{"machine", map[string]string{"proc/meminfo": meminfo}, 4 << 20},
		{"no limits", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "1000\n",
		}, 4 << 20},
		{"group, less what it uses and could not drop", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "3000000\n", "sys/fs/cgroup/a/b/memory.current": "1000000\n",
			"sys/fs/cgroup/a/b/memory.stat": "anon 600000\ninactive_file 400000\n",
		}, 2400000},
		{"the group above is tighter", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "3000000\n", "sys/fs/cgroup/a/b/memory.current": "1000000\n",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.high": "2500000\n", "sys/fs/cgroup/a/memory.current": "1000000\n",
		}, 1500000},
		{"a container that knows its group by an outer name", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "12:cpu:/docker/71\n4:memory:/docker/71\n0::/docker/71\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "2000000\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "500000\n",
			"sys/fs/cgroup/memory/memory.stat": "inactive_file 7\ntotal_inactive_file 100000\n",
		}, 1600000},
		{"version 1 without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "500000\n",
		}, 4 << 20},
		{"all is used", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "3000000\n", "sys/fs/cgroup/memory.current": "3100000\n",
		}, 1},
		{"nonsense", map[string]string{"proc/meminfo": "MemAvailable: lots kB\n", "proc/self/cgroup": "0\n\n1:\n"}, 0},
	} {
		root := t.TempDir()
		for name, text := range c.files {
			file := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := freeMemory(root); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := MemoryBudget(); got <= 0 {
		t.Errorf("%d bytes here", got)
	}
}

func TestReserve(t *testing.T) {
	for free, want := range map[int64]int64{
		0: 0, 1: 1, 100 << 20: 1, 1 << 30: 768 << 20, 10 << 30: 9 << 30, 100 << 30: 98 << 30,
	} {
		if got := budget(free); got != want {
			t.Errorf("of %d: %d, want %d", free, got, want)
		}
	}
}
