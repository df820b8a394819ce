package kmx

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// deserted DIR waits until no process works below a directory: a minute at most.
func deserted(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: deserted DIR")
	}
	dir, err := filepath.EvalSymlinks(ts.MkAbs(args[0]))
	ts.Check(err)
	var there []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		processes, err := filepath.Glob("/proc/[0-9]*")
		ts.Check(err)
		there = nil
		for _, p := range processes {
			if wd, err := os.Readlink(p + "/cwd"); err == nil && strings.HasPrefix(wd, dir+"/") {
				command, _ := os.ReadFile(p + "/cmdline")
				there = append(there, p+" "+strings.ReplaceAll(string(command), "\x00", " "))
			}
		}
		if len(there) == 0 {
			return
		}
	}
	ts.Fatalf("still there: %s", strings.Join(there, "\n"))
}

func init() { systemCommands["deserted"] = deserted }
