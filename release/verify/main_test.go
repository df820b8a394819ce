package verify

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// What outlives one test: the folder of the sample.
var (
	ctx    = context.Background()
	parent string
)

func TestMain(m *testing.M) {
	var err error
	if parent, err = os.MkdirTemp("", "kmx-verify-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(parent)
	os.Exit(code)
}
