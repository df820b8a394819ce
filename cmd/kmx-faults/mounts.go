//go:build linux

package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// becomeReaper makes this process the parent of orphans among its descendants.
func becomeReaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("ask for the orphans: %w", err)
	}
	return nil
}

// privateMounts keeps what is mounted here from everybody else.
func privateMounts() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	return nil
}

// tmpfs mounts a file system of so many KiB on a folder, made when missing.
func tmpfs(dir string, kib int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%dk,mode=755", kib)); err != nil {
		return fmt.Errorf("mount a tmpfs on %s: %w", dir, err)
	}
	return nil
}

// grow gives a tmpfs more room.
func grow(dir string, kib int) error {
	if err := unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT, fmt.Sprintf("size=%dk,mode=755", kib)); err != nil {
		return fmt.Errorf("give %s more room: %w", dir, err)
	}
	return nil
}

// readOnly makes a folder read-only by a bind mount onto itself.
func readOnly(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s: %w", dir, err)
	}
	// In a user namespace the flags of the mount below must stay.
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return fmt.Errorf("ask about %s: %w", dir, err)
	}
	kept := uintptr(st.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
	if err := unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|kept, ""); err != nil {
		return fmt.Errorf("make %s read-only: %w", dir, err)
	}
	return nil
}

func unmount(dir string) error {
	if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount %s: %w", dir, err)
	}
	return nil
}
