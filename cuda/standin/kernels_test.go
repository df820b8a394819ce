package standin_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"kmx/cuda/standin"
)

// TestLayouts: parameters are aligned, do not overlap, lie in the block, and
// are what the text loads.
func TestLayouts(t *testing.T) {
	texts := everyBody(t)
	load := regexp.MustCompile(`ld\.param\.(v\d\.)?(\w+) \t.*, \[\w+_param_0(?:\+(\d+))?\];`)
	for _, k := range standin.Kernels() {
		var taken [512]string
		for _, p := range k.Params {
			if p.Offset%p.Size() != 0 || p.Offset+p.Size() > k.ParamBytes {
				t.Errorf("%s: %s at %d", k.Name, p.Name, p.Offset)
				continue
			}
			if (p.Role == standin.Scalar) != (p.Type != "u64") {
				t.Errorf("%s: %s is a %s of type %s", k.Name, p.Name, p.Role, p.Type)
			}
			for i := p.Offset; i < p.Offset+p.Size(); i++ {
				if taken[i] != "" {
					t.Errorf("%s: %s and %s overlap", k.Name, p.Name, taken[i])
				}
				taken[i] = p.Name
			}
		}
		text := texts[k.Name]
		if !strings.Contains(text, fmt.Sprintf(".b8 %s_param_0[%d]", k.Name, k.ParamBytes)) {
			t.Errorf("%s: its parameter block has not %d bytes", k.Name, k.ParamBytes)
		}
		if !strings.Contains(text, fmt.Sprintf(".maxntid %d, 1, 1\n", k.Block[0]*k.Block[1]*k.Block[2])) {
			t.Errorf("%s: its blocks are not %v", k.Name, k.Block)
		}
		loads := load.FindAllStringSubmatch(text, -1)
		if len(loads) == 0 {
			t.Errorf("%s loads no parameter", k.Name)
		}
		for _, l := range loads {
			at := 0
			fmt.Sscan(l[3], &at)
			if taken[at] == "" {
				t.Errorf("%s: %s loads what is no parameter", k.Name, l[0])
			}
		}
	}
}

// TestSurfaces: what Param.Store says is what the text does, and textures are
// not stored to.
func TestSurfaces(t *testing.T) {
	texts := everyBody(t)
	for _, k := range standin.Kernels() {
		objects := map[string]standin.Param{} // by register
		text := texts[k.Name]
		for _, m := range regexp.MustCompile(`ld\.param\.u64 \t(%rd\d+), \[\w+_param_0(?:\+(\d+))?\]`).FindAllStringSubmatch(text, -1) {
			at := 0
			fmt.Sscan(m[2], &at)
			for _, p := range k.Params {
				if p.Offset == at {
					objects[m[1]] = p
				}
			}
		}
		stored := map[string]bool{}
		for _, m := range regexp.MustCompile(`((?:sust|tex|tld4)\.\S+) \t.*\[(%rd\d+), \{`).FindAllStringSubmatch(text, -1) {
			p, ok := objects[m[2]]
			switch {
			case !ok:
				t.Errorf("%s: %s of an object that is no parameter", k.Name, m[1])
			case !strings.HasPrefix(m[1], "sust"):
				if p.Role != standin.Texture {
					t.Errorf("%s: %s of the %s %s", k.Name, m[1], p.Role, p.Name)
				}
			case p.Role != standin.Surface || p.Store != m[1]:
				t.Errorf("%s: %s to the %s %s, described as %q", k.Name, m[1], p.Role, p.Name, p.Store)
			default:
				stored[p.Name] = true
			}
		}
		for _, p := range k.Params {
			if p.Role == standin.Surface && !stored[p.Name] {
				t.Errorf("%s: nothing is stored to %s", k.Name, p.Name)
			}
		}
	}
}

func TestGrid(t *testing.T) {
	for _, k := range standin.Kernels() {
		for _, f := range k.Frames() {
			g := k.Grid(f)
			w, h := k.Over.Of(f)
			if g[0]*k.Tile[0] < w+k.Margin || g[1]*k.Tile[1] < h+k.Margin || (g[0]-1)*k.Tile[0] >= w+k.Margin || (g[1]-1)*k.Tile[1] >= h+k.Margin {
				t.Errorf("%s: %v blocks of %v pixels for %d x %d", k.Name, g, k.Tile, w, h)
			}
		}
		if k.Runs() && k.Block[0]*k.Block[1]%32 != 0 {
			t.Errorf("%s: blocks of %v", k.Name, k.Block)
		}
	}
}

func TestValues(t *testing.T) {
	f := standin.Frame{InWidth: 37, InHeight: 21, OutWidth: 61, OutHeight: 35}
	for _, c := range []struct {
		extent        standin.Extent
		width, height int
	}{{standin.Input, 37, 21}, {standin.Output, 61, 35}, {standin.Half, 31, 35}, {standin.Quarter, 19, 11}, {standin.Twice, 74, 42}, {standin.Fixed, 0, 0}} {
		if w, h := c.extent.Of(f); w != c.width || h != c.height {
			t.Errorf("extent %d: %d x %d, want %d x %d", c.extent, w, h, c.width, c.height)
		}
	}
	for _, k := range standin.Kernels() {
		for _, p := range k.Params {
			switch v := p.Value(f); {
			case p.Name == "out_w" && v != 61, p.Name == "in_h" && v != 21, p.Name == "taps" && v != 2, p.Name == "flags" && v != 3, p.Role != standin.Scalar && v != 0:
				t.Errorf("%s: %s is %d", k.Name, p.Name, v)
			}
		}
	}
}
