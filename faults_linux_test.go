package kmx

import (
	"os/exec"
	"path/filepath"
	"testing"

	"kmx/toolchains"
)

// quickFaults are the rows of kmx-faults that are quick and need no luck; all of
// them are `mage faults`.
const quickFaults = `^(kill -9 of kmx|SIGTERM|full disk: dist|full disk: a compiler fills the sandbox|read-only: dist` +
	`|damage in the cache: a (blob|record)|damage in the dist: an object|two releases at once in one checkout` +
	`|a compiler hangs, .*|a compiler succeeds and writes nothing|a compiler writes .*|a compiler is killed each time` +
	`|10,000 temporary files in dist)$`

// TestFaults injects some faults into a real build, so that what is promised of
// them stays true.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the front door and runs a compiler; left out by -short")
	}
	if _, err := toolchains.Find(t.Context(), toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, nil); err != nil {
		t.Fatalf("faults need a compiler; `go tool mage setup` gets one: %v", err)
	}
	t.Parallel() // it waits more than it works
	bin, faults := frontDoor(t), filepath.Join(t.TempDir(), "kmx-faults")
	if out, err := exec.Command("go", "build", "-o", faults, "./cmd/kmx-faults").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// What needs a mount namespace is named in the output where there is none.
	out, err := exec.Command(faults, "-programs="+bin, "-rows="+quickFaults, "-moments=2", "-seed=1", "-allow-missing").CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
