package engine

import (
	"bufio"
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// freeMemory is how much can be taken before this machine, or the control group that this process lies in, has to kill
// somebody: the least of what the kernel estimates to be available (MemAvailable) and of what each group on the way up
// leaves. The page cache of a group that it has not used lately counts as free, as it does for the machine. root is
// where /proc and /sys lie. 0: not known.
func freeMemory(root string) int64 {
	free := int64(0)
	least := func(n int64, ok bool) {
		if n = max(n, 1); ok && (free == 0 || n < free) {
			free = n
		}
	}
	kib, ok := field(filepath.Join(root, "proc/meminfo"), "MemAvailable:")
	least(kib<<10, ok)
	groups, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(groups)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		v2 := part[0] == "0" && part[1] == ""
		for _, mount := range []string{"sys/fs/cgroup", "sys/fs/cgroup/unified", "sys/fs/cgroup/memory"} {
			if v2 == (mount == "sys/fs/cgroup/memory") || !v2 && part[1] != "memory" {
				continue
			}
			// A container sees its own group as the top, though it may not be called so here.
			for name := path.Clean("/" + part[2]); ; name = path.Dir(name) {
				least(left(filepath.Join(root, mount, name), v2))
				if name == "/" {
					break
				}
			}
		}
	}
	return free
}

// left is what the limit of a control group leaves; false where it has none.
func left(group string, v2 bool) (int64, bool) {
	limits, used, cached := []string{"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_inactive_file"
	if v2 {
		limits, used, cached = []string{"memory.max", "memory.high"}, "memory.current", "inactive_file"
	}
	limit, limited := int64(0), false
	for _, name := range limits {
		if n, ok := number(filepath.Join(group, name)); ok && (!limited || n < limit) {
			limit, limited = n, true
		}
	}
	n, ok := number(filepath.Join(group, used))
	if !limited || !ok {
		return 0, false
	}
	reclaimable, _ := field(filepath.Join(group, "memory.stat"), cached)
	return limit - max(0, n-reclaimable), true
}

// number reads a file that holds one; "max" is none.
func number(file string) (int64, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(data)), 10, 64)
	return n, err == nil
}

// field reads the number behind a word at the start of a line.
func field(file, word string) (int64, bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if words := strings.Fields(s.Text()); len(words) > 1 && words[0] == word {
			n, err := strconv.ParseInt(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
