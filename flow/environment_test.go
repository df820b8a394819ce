package flow

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

func TestVariablesThatNobodyReads(t *testing.T) {
	var said bytes.Buffer
	p := &Project{Root: t.TempDir(), Err: &said}
	environ := []string{"PATH=/bin", "KMX_LOCK=1", "KMX_CACHE=/c", "KMX_VERSION=1.2", "KMX_WHATEVER=", "KMX_TEST_ROLE=x", "XKMX_Y=1"}
	p.warnUnknown(environ)
	if said.Len() > 0 {
		t.Errorf("without a matrix: %s", &said)
	}
	if err := os.WriteFile(filepath.Join(p.Root, matrixFile), []byte(`env = "KMX_VERSION"`), 0o666); err != nil {
		t.Fatal(err)
	}
	p.warnUnknown(environ)
	want := "warning: nobody reads the environment variable KMX_LOCK; did you mean KMX_LOCKED or KMX_LOG?\n" +
		"warning: nobody reads the environment variable KMX_WHATEVER\n"
	if said.String() != want {
		t.Errorf("%s\nwant\n%s", &said, want)
	}
}

// The manual has every variable, and none besides but those of the matrix.
func TestVariablesAreInTheManual(t *testing.T) {
	manual, err := os.ReadFile("../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(KMX_[A-Z_]+)` \\|").FindAllSubmatch(manual, -1) {
		if name := string(m[1]); name != "KMX_VERSION" {
			listed = append(listed, name)
		}
	}
	slices.Sort(listed)
	if !slices.Equal(listed, ownVariables) {
		t.Errorf("the manual lists %q,\nkmx reads %q", listed, ownVariables)
	}
}
