//go:build unix

package flow

import (
	"fmt"
	"os"
	"syscall"
)

// exposed says who else can put records into a cache, which would be taken for
// what this user has built; "" when nobody can. The superuser can anyway, and
// may use the cache of anybody.
func exposed(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	if info.Mode().Perm()&0o002 != 0 {
		return "everybody can write to it"
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if me := os.Geteuid(); ok && me != 0 && st.Uid != 0 && int(st.Uid) != me {
		return fmt.Sprintf("it belongs to another user (%d)", st.Uid)
	}
	return ""
}
