package matrix

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	m, x := good(t, "testdata/describe.hcl", Options{Vars: map[string]string{"extra_flags": "-g"}})
	d := m.Describe(x)
	var text, data bytes.Buffer
	if err := d.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/describe.golden", text.String())
	if err := d.WriteJSON(&data); err != nil {
		t.Fatal(err)
	}
	var back Description
	if err := json.Unmarshal(data.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&back, d) {
		t.Error("JSON does not hold all of it")
	}
	if strings.Contains(data.String(), "null") {
		t.Error("an empty list is null")
	}
	cells := 0
	for _, f := range d.Families {
		in := 0
		for _, g := range f.Groups {
			in += g.Cells
		}
		if in != f.Cells {
			t.Errorf("family %s: %d cells, %d in its groups", f.Name, f.Cells, in)
		}
		cells += in
	}
	if cells != d.Cells || d.Cells != len(x.Cells) || len(d.Sets) != len(x.Sets) {
		t.Errorf("%d cells in families, %d in all", cells, d.Cells)
	}
}

// TestDescribeNothing holds that what could be read of a wrong file can be
// listed.
func TestDescribeNothing(t *testing.T) {
	for _, src := range []string{"", "edition = 99", "axis \"a\" {\n}\nfamily \"x\" {\n}\n", "}{"} {
		m, _ := load(t, src, Options{})
		var b bytes.Buffer
		if err := m.Describe(nil).WriteText(&b); err != nil {
			t.Error(err)
		}
		if err := m.Describe(nil).WriteJSON(&b); err != nil {
			t.Error(err)
		}
	}
}
