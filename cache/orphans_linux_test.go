package cache

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestOpenEndsWhatADeadProcessLeftRunning(t *testing.T) {
	if _, err := os.Readlink("/proc/self/cwd"); err != nil {
		t.Skip("no /proc")
	}
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	start := func(wd string) *exec.Cmd {
		t.Helper()
		if err := os.MkdirAll(wd, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sleep", "1000")
		cmd.Dir = wd
		if err := cmd.Start(); err != nil {
			t.Skip("no sleep here:", err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		return cmd
	}
	owner, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	orphan := start(filepath.Join(dir, "tmp", "p1-0", "action1"))
	owned := start(filepath.Join(owner.SandboxRoot(), "action1"))
	other := start(dir)

	c, err := Open(link, nil) // the way to the cache does not count
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := orphan.Wait(); err == nil || orphan.ProcessState.Success() {
		t.Errorf("the orphan ended by itself: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "tmp", "p1-0")); !os.IsNotExist(err) {
		t.Errorf("its sandbox: %v", err)
	}
	for name, cmd := range map[string]*exec.Cmd{"of a living process": owned, "elsewhere": other} {
		if !worksIn(cmd.Process.Pid, filepath.Dir(dir)) {
			t.Errorf("the one %s has ended", name)
		}
	}
}
