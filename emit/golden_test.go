package emit_test

import (
	"bytes"
	"os"
	"testing"

	"kmx/emit"
)

// TestGolden holds the IR of a whole kernel, as people read it.
func TestGolden(t *testing.T) {
	m := parse(t, whole)
	for path, o := range map[string]emit.Options{
		"testdata/golden/whole.gfx1201.ll":        {Target: "gfx1201"},
		"testdata/golden/whole.gfx1100-wave64.ll": {Target: "gfx1100", Wave64: true, Denormals: true, MaxBlock: 128},
	} {
		got := lower(t, m, "whole", o)
		if again := lower(t, m, "whole", o); !bytes.Equal(got, again) {
			t.Errorf("%s: two translations differ", path)
		}
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs; go test ./emit -run Golden -update writes it:\n%s", path, got)
		}
	}
}
