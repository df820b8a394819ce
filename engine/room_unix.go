//go:build unix

package engine

import "golang.org/x/sys/unix"

// little is less than what any compiler needs to write its object and what it has to say, in bytes.
const little = 16 << 10

// full tells whether the file system of a folder has hardly any room left. A compiler that fails there often cannot
// even say why: its messages go to the same disk.
func full(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil || st.Blocks == 0 {
		return false
	}
	return uint64(st.Bavail)*uint64(st.Bsize) < little || st.Files > 0 && st.Ffree == 0
}
