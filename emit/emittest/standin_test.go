package emittest

import (
	"bytes"
	"strings"
	"testing"

	"kmx/cuda/ptx"
	"kmx/cuda/standin"
)

func TestStandinCases(t *testing.T) {
	cases, err := StandinCases("")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 24+8+4+8 {
		t.Errorf("%d kernels run", len(cases))
	}
	seeds := map[string]bool{}
	for _, c := range cases {
		m, err := ptx.Parse(c.File, c.Text)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Function(c.Name)
		args := c.Arguments(func(i int) uint64 { return uint64(i + 1) })
		if len(args) != 1 || len(f.Params) != 1 || f.Params[0].Size != len(args[0]) {
			t.Fatalf("%s: %d parameters", c.Name, len(args))
		}
		out := 0
		for i, p := range c.Params {
			if b := c.Start(i); p.Kind != Value && len(b) != p.Size() {
				t.Errorf("%s: %s has %d bytes, not %d", c.Name, p.Name, len(b), p.Size())
			}
			if p.Out {
				out++
			}
		}
		if out < 2 {
			t.Errorf("%s has %d outputs", c.Name, out)
		}
		seeds[c.seed] = true
	}
	if len(seeds) != len(cases) {
		t.Error("two kernels get the same numbers")
	}
}

func TestStandinFormats(t *testing.T) {
	for _, k := range standin.Kernels() {
		if k.Name != "rrlite_downsample_kernel_static_hdr" {
			continue
		}
		var words []uint32
		for choice := range 4 {
			c, err := Standin(k, nil, Launch{Frame: standin.Frame{InWidth: 8, InHeight: 4, OutWidth: 4, OutHeight: 2}, Formats: choice})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range c.Params {
				if p.Name == "result" {
					words = append(words, p.Image.Format.Word())
				}
			}
		}
		if want := []uint32{0x20, 0x10, 0xc2, 0x50}; len(words) != 4 || words[0] != want[0] || words[1] != want[1] || words[2] != want[2] || words[3] != want[3] {
			t.Errorf("%#x, wanted %#x", words, want)
		}
		return
	}
	t.Error("there is no such kernel")
}

func TestAlone(t *testing.T) {
	for _, m := range standin.Modules() {
		parsed, err := ptx.Parse(m.Name, m.Text)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range m.Entries {
			text, err := Alone(parsed, name)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(text, []byte(".entry")); n != 1 || !bytes.Contains(text, []byte(".entry "+name+"(")) {
				t.Errorf("%s: %d entries are left", name, n)
			}
		}
		if _, err := Alone(parsed, "nobody"); err == nil {
			t.Error("an entry that is not there is left alone")
		}
	}
}

func TestCheckTakesAShare(t *testing.T) {
	p := Param{Name: "s", Kind: Surface, Type: Type{'u', 8}, Count: 400, Out: true, Tolerance: Tolerance{Exact: true}, Image: Image{Format: Format{4, 8, Unorm}, Width: 10, Height: 10}}
	c := Case{Params: []Param{{Name: "v"}, p}, Share: 0.02, Want: [][]byte{nil, make([]byte, 400)}}
	got := make([]byte, 400)
	got[0], got[3], got[8] = 1, 1, 1 // two texels
	if err := c.Check([][]byte{nil, got}); err != nil {
		t.Error(err)
	}
	got[399] = 1
	if err := c.Check([][]byte{nil, got}); err == nil || !strings.Contains(err.Error(), "3 of 100 texels") {
		t.Error(err)
	}
	c.Share = 0
	got = make([]byte, 400)
	got[5] = 1
	if c.Check([][]byte{nil, got}) == nil {
		t.Error("a difference is taken")
	}
}
