// Package toolchaintest gives tests of other rooms the compiler that a build
// would use, wherever it lies: on PATH, in ROCm or in a private prefix. It is
// imported by tests only.
package toolchaintest

import (
	"context"
	"os/exec"
	"sync"
	"testing"

	"kmx/toolchains"
)

// found once for a test binary: fingerprinting a compiler takes a while.
var found = sync.OnceValues(func() (*toolchains.Toolchain, error) {
	return toolchains.Find(context.Background(), toolchains.Request{Name: "hip", Kind: toolchains.KindClang}, nil)
})

// Clang is a command that runs the driver with these arguments. Without a usable
// compiler the test is skipped.
func Clang(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	tc, err := found()
	if err != nil {
		t.Skipf("needs a compiler; `go tool mage setup` gets one: %v", err)
	}
	tool := tc.Tools["hip:bin/clang++"]
	cmd := exec.CommandContext(t.Context(), tool.Path, args...)
	cmd.Env = append(cmd.Environ(), tool.Env...)
	return cmd
}
