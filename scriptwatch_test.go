package kmx

import (
	"os"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// until FILE REGEXP waits until a file that a process in the background writes
// holds a match. It gives up after a time in which nothing takes that long.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: until FILE REGEXP")
	}
	want, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	name := ts.MkAbs(args[0])
	var text []byte
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text, _ = os.ReadFile(name); want.Match(text) {
			return
		}
	}
	ts.Fatalf("%s never held %s; it holds:\n%s", args[0], args[1], text)
}
