package kmx

import (
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// names FILE PREFIX puts the names of the shards that ci:plan printed into the
// variables PREFIX1, PREFIX2 ...
func names(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: names FILE PREFIX")
	}
	n := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		name, _, _ := strings.Cut(line, " ")
		n++
		ts.Setenv(fmt.Sprint(args[1], n), name)
	}
	if n == 0 {
		ts.Fatalf("%s names no shard", args[0])
	}
}

// cut FILE N takes the last N bytes off a file.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: cut FILE N")
	}
	var n int
	_, err := fmt.Sscan(args[1], &n)
	ts.Check(err)
	data := ts.ReadFile(args[0])
	if n >= len(data) {
		ts.Fatalf("%s has %d bytes", args[0], len(data))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data[:len(data)-n]), 0o644))
}

func init() { systemCommands["names"], systemCommands["cut"] = names, cut }
