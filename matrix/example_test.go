package matrix

import (
	"testing"
)

func TestExampleCounts(t *testing.T) {
	_, x := good(t, "testdata/example.hcl", Options{})
	n := 0
	for _, c := range x.Cells {
		if !c.DeveloperOnly {
			n++
		}
	}
	t.Log(n, len(x.Cells), len(x.Sets), len(x.Sets[0].Cells))
	for _, l := range x.LeftOut {
		t.Logf("%+v", l)
	}
}
