package emu

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Forms of image instructions and descriptors, one at a time.

// imageState has a 16x1 image of bytes i at the beginning of memory, by its
// descriptor in s[0:7], and a sampler in s[8:11].
func imageState(t *testing.T, target generation, f Format, texts ...string) *machineState {
	t.Helper()
	m, err := newState(target, false, texts...)
	if err != nil {
		t.Fatal(err)
	}
	gpu := map[generation]string{gfx11: "gfx1100", gfx12: "gfx1200"}[target]
	d, err := Image{Width: 256 / f.Bytes() / 16, Height: 1, Format: f, Base: testMemory}.Descriptor(gpu)
	if err != nil {
		t.Fatal(err)
	}
	copy(m.s[:], d[:])
	s, err := Sampler{X: AddressClamp, Y: AddressClamp}.Descriptor(gpu)
	if err != nil {
		t.Fatal(err)
	}
	copy(m.s[8:], s[:])
	for name, v := range (registers{"v1": 0, "v2": 0, "v9": 1}) {
		m.set(name, v)
	}
	return m
}

func TestImageForms(t *testing.T) {
	for _, c := range []struct {
		text          string
		format        Format
		before, after registers
	}{
		{"image_load v[4:7], [v9, v1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm", FormatRGBA8Uint, nil, registers{"v4.0": 4, "v7.31": 7}},
		{"image_load v[4:5], v[1:2], s[0:7] dmask:0x9 dim:SQ_RSRC_IMG_2D unorm", FormatRGBA8Uint, registers{"v1.3": 2}, registers{"v4.3": 8, "v5.3": 11, "v4.4": 0, "v5.4": 3}},
		{"image_load v4, v[1:2], s[0:7] dmask:0x4 dim:SQ_RSRC_IMG_2D glc slc dlc", FormatRGBA8Uint, nil, registers{"v4.3": 2}},
		{"image_load v1, v[1:2], s[0:7] dmask:0x2 dim:SQ_RSRC_IMG_2D", FormatRGBA8Uint, nil, registers{"v1.0": 1, "v1.31": 1}},
		{"image_load v4, v9, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D a16", FormatRGBA8Uint, registers{"v9": 0x00000002, "v9.1": 0x00010002, "v9.2": 0x0000ffff}, registers{"v4.0": 8, "v4.1": 0, "v4.2": 0}},
		{"image_load v[4:5], v[1:2], s[0:7] dmask:0x7 dim:SQ_RSRC_IMG_2D d16", FormatRGBA8Uint, registers{"v5": 0xabcdef01}, registers{"v4.0": 0x10000, "v5.0": 0xabcd0002}},
		{"image_load v[4:5], v[1:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D d16", FormatRGBA8Unorm, registers{"v1": 3}, registers{"v4.0": 0x2a872a06, "v5.0": 0x2b882b07}},
		{"image_store v[4:7], v[1:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm", FormatRGBA8Sint, registers{"exec": 1, "v4": 300, "v5": 0xfffffed4, "v6": 5, "v7": 0xfffffffb}, registers{"m0": 0xfb05807f}},
		{"image_store v[4:5], v[1:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm d16", FormatRGBA8Sint, registers{"exec": 1, "v4": 0xff00007f, "v5": 0x8001fffe}, registers{"m0": 0x80fe807f}},
		{"image_get_resinfo v[4:5], v1, s[0:7] dmask:0x9 dim:SQ_RSRC_IMG_2D", FormatRGBA8Uint, nil, registers{"v4.7": 4, "v5.7": 1}},
		{"image_sample v[4:7], v[1:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D", FormatRGBA8Uint, registers{"v1": 0x3f400000}, registers{"v4.0": 12, "v7.0": 15}},
		{"image_sample_lz v4, [v9, v2], s[0:7], s[8:11] dmask:0x8 dim:SQ_RSRC_IMG_2D unorm", FormatRGBA8Uint, registers{"v9": 0x3fc00000}, registers{"v4.0": 7}},
		{"image_sample_l v4, v[1:3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", FormatRGBA8Uint, registers{"v1": 0x3f800000, "v3": 0x41000000}, registers{"v4.0": 12}},
		{"image_sample v4, v9, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D a16 d16", FormatRGBA8Uint, registers{"v9": 0x00003900, "v4": 0x77777777}, registers{"v4.0": 0x77770008}},
		{"image_gather4_lz v[4:7], v[1:2], s[0:7], s[8:11] dmask:0x2 dim:SQ_RSRC_IMG_2D", FormatRGBA8Uint, registers{"v1": 0x3f000000}, registers{"v4.0": 5, "v5.0": 9, "v6.0": 9, "v7.0": 5}},
		{"image_gather4_lz v[4:5], v[1:2], s[0:7], s[8:11] dmask:0x2 dim:SQ_RSRC_IMG_2D d16", FormatRGBA8Uint, registers{"v1": 0x3f000000}, registers{"v4.0": 0x90005, "v5.0": 0x50009}},
	} {
		for _, target := range []generation{gfx11, gfx12} {
			m := imageState(t, target, c.format, c.text)
			for _, name := range slices.Sorted(maps.Keys(c.before)) { // a register before its lanes
				m.set(name, c.before[name])
			}
			if m.execute(1 << 40); m.fault != nil {
				t.Error(m.fault)
				continue
			}
			m.set("m0", uint32(m.memory[0])|uint32(m.memory[1])<<8|uint32(m.memory[2])<<16|uint32(m.memory[3])<<24)
			for name, want := range c.after {
				if got := m.get(name); got != want {
					t.Errorf("gfx%d, %s: %s is %#x, want %#x", target, c.text, name, got, want)
				}
			}
		}
	}
}

// TestImageShortForm: what llvm-objdump 19 makes of a gfx12 instruction whose last
// address registers are v0. On gfx11 such a text is a mistake.
func TestImageShortForm(t *testing.T) {
	for _, c := range []struct {
		text  string
		after registers
	}{
		{"image_load v4, v1, s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D", registers{"v4.0": 0, "v7.0": 3, "v4.2": 8, "v7.3": 15, "v4.9": 0}},
		{"image_load v4, v1, s[0:7] dmask:0x2 dim:SQ_RSRC_IMG_2D", registers{"v4.1": 5, "v5.1": DefaultPoison}},
		{"image_load_mip v4, v1, s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D", registers{"v4.1": 4, "v5.1": 5}},
	} {
		m := imageState(t, gfx12, FormatRGBA8Uint, c.text)
		for l := range 32 {
			m.v[0][0][l], m.v[0][1][l] = 0, uint32(l)
		}
		if m.execute(1 << 40); m.fault != nil {
			t.Fatal(m.fault)
		}
		for name, want := range c.after {
			if got := m.get(name); got != want {
				t.Errorf("%s: %s is %#x, want %#x", c.text, name, got, want)
			}
		}
		if _, err := newState(gfx11, false, c.text); err == nil {
			t.Errorf("%s is accepted on gfx11", c.text)
		}
	}
}

// TestScaledFormats: integers as floats, which only loads know.
func TestScaledFormats(t *testing.T) {
	for format, want := range map[Format]registers{
		44: {"v4.0": 0x42480000, "v5.0": 0x437f0000}, // 50, 255
		45: {"v4.0": 0x42480000, "v5.0": 0xbf800000}, // 50, -1
	} {
		m := imageState(t, gfx12, format, "image_load v[4:5], v[1:2], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D")
		m.memory[0], m.memory[1] = 50, 255
		if m.execute(1 << 40); m.fault != nil {
			t.Fatal(m.fault)
		}
		for name, v := range want {
			if got := m.get(name); got != v {
				t.Errorf("%v: %s is %#x, want %#x", format, name, got, v)
			}
		}
	}
}

// TestImageCounts: bytes count for texels inside the image, and the instruction
// as one of memory.
func TestImageCounts(t *testing.T) {
	m := imageState(t, gfx11, FormatRGBA8Uint, "image_load v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D", "image_store v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
		"image_gather4_lz v[4:7], v[1:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D")
	for l := range 32 {
		m.v[0][1][l] = uint32(l) // four texels are inside
	}
	if m.execute(1 << 40); m.fault != nil {
		t.Fatal(m.fault)
	}
	if loaded, stored := m.group.counts.globalLoaded, m.group.counts.globalStored; loaded != 4*4+32*4*4 || stored != 4*4 {
		t.Errorf("%d bytes loaded, %d stored", loaded, stored)
	}
	if class := m.group.program.code[0].class; class != ClassVMEM {
		t.Errorf("%v", class)
	}
}

// TestImageRefused: what descriptors and samplers ask for beyond the model is a
// fault that names it.
func TestImageRefused(t *testing.T) {
	const load, store = "image_load v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D", "image_store v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"
	const linear = "image_sample v4, v[1:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"
	for _, c := range []struct {
		text   string
		format Format
		want   string
		change func(f *imageFields, d, s []uint32)
	}{
		{load, FormatRGBA8Unorm, "swizzled layout 64KB", func(f *imageFields, d, _ []uint32) {
			f.swizzle.set(d, map[int]uint64{256: 27, 128: 3}[f.rowUnit])
		}},
		{load, FormatRGBA8Unorm, "swizzled layout mode 13", func(f *imageFields, d, _ []uint32) { f.swizzle.set(d, 13) }},
		{load, FormatRGBA8Unorm, "mipmaps (levels 0 to 2 of 4)", func(f *imageFields, d, _ []uint32) { f.maxMip.set(d, 3); f.lastLevel.set(d, 2) }},
		{load, FormatRGBA8Unorm, "kind 3D", func(f *imageFields, d, _ []uint32) { f.kind.set(d, 10) }},
		{load, FormatRGBA8Unorm, "kind type 0", func(f *imageFields, d, _ []uint32) { f.kind.set(d, 0) }},
		{load, FormatRGBA8Unorm, "its descriptor for 1D", func(f *imageFields, d, _ []uint32) { f.kind.set(d, 8) }},
		{load, FormatRGBA8Unorm, "format 8_8_8_8_SRGB", func(f *imageFields, d, _ []uint32) { f.format.set(d, 66) }},
		{load, FormatRGBA8Unorm, "format 10_10_10_2_UNORM", func(f *imageFields, d, _ []uint32) { f.format.set(d, 32) }},
		{load, FormatRGBA8Unorm, "format format 200", func(f *imageFields, d, _ []uint32) { f.format.set(d, 200) }},
		{load, FormatRGBA8Unorm, "compression; corner samples", func(f *imageFields, d, _ []uint32) { f.compression.set(d, 1); f.corner.set(d, 1) }},
		{load, FormatRG8Unorm, "selector 6 for component R", func(f *imageFields, d, _ []uint32) { f.selects[0].set(d, 6) }},
		{load, FormatRGBA8Unorm, "selector 2 for component A", func(f *imageFields, d, _ []uint32) { f.selects[3].set(d, 2) }},
		{load, FormatRGBA8Unorm, "a pitch of 65 texels, 260 bytes", func(f *imageFields, d, _ []uint32) { f.pitch.set(d, 64) }},
		{store, FormatRGBA8Unorm, "selects 6 for component R", func(f *imageFields, d, _ []uint32) { f.selects[0].set(d, 6); f.selects[2].set(d, 4) }},
		{store, FormatRGBA8Unorm, "format 8_8_8_8_SSCALED", func(f *imageFields, d, _ []uint32) { f.format.set(d, 45) }},
		{"image_load v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D d16", FormatRG32Uint, "16-bit data of format 32_32_UINT", func(*imageFields, []uint32, []uint32) {}},
		{"image_load_mip v4, v[1:3], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D", FormatRG32Uint, "of an image that has one", func(*imageFields, []uint32, []uint32) {}},
		{"image_get_resinfo v4, v1, s[0:7] dmask:0x4 dim:SQ_RSRC_IMG_2D", FormatRG32Uint, "a dimension that it does not have", func(*imageFields, []uint32, []uint32) {}},
		{linear, FormatRGBA8Unorm, "address mode 4", func(_ *imageFields, _, s []uint32) { samplerClamps[1].set(s, 4) }},
		{linear, FormatRGBA8Unorm, "different filters", func(_ *imageFields, _, s []uint32) { samplerMagnify.set(s, 1) }},
		{linear, FormatRGBA8Unorm, "anisotropic filtering", func(_ *imageFields, _, s []uint32) { samplerMagnify.set(s, 3); samplerMinify.set(s, 3) }},
		{linear, FormatRGBA8Unorm, "a border colour from a table", func(_ *imageFields, _, s []uint32) { samplerBorderType.set(s, 3) }},
		{linear, FormatRGBA8Unorm, "minimum or maximum", func(_ *imageFields, _, s []uint32) { samplerReduction.set(s, 1) }},
		{linear, FormatRGBA8Unorm, "coarse blending", func(_ *imageFields, _, s []uint32) { samplerCoarse.set(s, 1) }},
		{linear, FormatRGBA8Unorm, "forced sRGB", func(_ *imageFields, _, s []uint32) { samplerDegamma.set(s, 1) }},
		{linear, FormatRGBA8Unorm, "another order", func(f *imageFields, d, s []uint32) { f.border.set(d, 4); samplerBorderType.set(s, 1) }},
		{linear, FormatRGBA8Uint, "linear filtering of format 8_8_8_8_UINT", func(_ *imageFields, _, s []uint32) { samplerMagnify.set(s, 1); samplerMinify.set(s, 1) }},
	} {
		for _, target := range []generation{gfx11, gfx12} {
			m := imageState(t, target, c.format, c.text)
			c.change(imageLayouts[target], m.s[0:8], m.s[8:12])
			m.execute(1 << 40)
			if m.fault == nil || m.fault.Kind != NotModelled || !strings.Contains(m.fault.Detail, c.want) {
				t.Errorf("gfx%d, %s: %v, want %q", target, c.text, m.fault, c.want)
			}
		}
	}
	for _, text := range []string{
		"image_load v4, v[1:3], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D", "image_load v[4:5], v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D", "image_load v4, v[1:2], s[0:3] dmask:0x1 dim:SQ_RSRC_IMG_2D",
		"image_load v4, v[1:3], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_3D", "image_load v4, v[1:2], s[0:7] dim:SQ_RSRC_IMG_2D", "image_load v[4:5], v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D tfe",
		"image_load v4, [v1, s2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D", "image_load_pck v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
		"image_atomic_add v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm", "image_atomic_add_uint v4, [v1, v2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
		"image_sample_b v4, v[1:3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", "image_sample_c_lz v4, v[1:3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D",
		"image_sample_o v4, v[1:3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D", "image_sample v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
		"image_gather4 v[4:7], v[1:2], s[0:7], s[8:11] dmask:0x3 dim:SQ_RSRC_IMG_2D", "image_gather4 v[4:7], v1, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D",
		"image_store v[4:5], v[1:2], s[0:7] dmask:0xd dim:SQ_RSRC_IMG_2D d16", "image_msaa_load v[4:7], v[1:3], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA",
		"image_bvh_intersect_ray v[4:7], v[1:11], s[0:3]",
	} {
		for _, target := range []generation{gfx11, gfx12} {
			if _, err := newState(target, false, text); err == nil {
				t.Errorf("%s is accepted on gfx%d", text, target)
			}
		}
	}
}

// TestImageFault: a descriptor that reaches beyond its buffer.
func TestImageFault(t *testing.T) {
	for _, text := range []string{"image_load v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D", "image_store v4, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D",
		"image_sample v4, v[1:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm"} {
		for _, target := range []generation{gfx11, gfx12} {
			m := imageState(t, target, FormatRGBA8Unorm, text)
			imageLayouts[target].height.set(m.s[0:8], 9)
			m.set("v2.5", 8)
			want := "0x10800"
			if strings.Contains(text, "sample") {
				m.set("v2.5", 0x41080000) // 8.5
			}
			if target == gfx12 {
				want = "0x10400"
			}
			m.execute(1 << 40)
			if m.fault == nil || m.fault.Kind != OutOfBounds || m.fault.Lane != 5 || !strings.Contains(m.fault.Detail, want) {
				t.Errorf("gfx%d, %s: %v", target, text, m.fault)
			}
		}
	}
}

// TestDescriptors: values that a runtime writes, and what does not fit.
func TestDescriptors(t *testing.T) {
	for _, c := range []struct {
		target string
		image  Image
		want   [8]uint32
	}{
		// 1920x1080, rows of 7680 bytes, 32-bit texels; as AMD's tables lay it out
		{"gfx1100", Image{Width: 1920, Height: 1080, Format: FormatRGBA8Unorm, Base: 0x7f_1234_5600}, [8]uint32{0x7f123456, 0xc2a00000, 0x010dc1df, 0x90000fac, 1919, 0, 0, 0}},
		{"gfx1201", Image{Width: 1920, Height: 1080, Format: FormatRGBA8Unorm, Base: 0x7f_1234_5600}, [8]uint32{0x7f123456, 0xc0540000, 0x010dc1df, 0x90000fac, 1919, 0, 0, 0}},
		{"gfx1201", Image{Width: 40000, Height: 40000, Format: FormatRG16Float, Pitch: 200064, Base: 0xffff_ffff_ff00}, [8]uint32{0xffffffff, 0xc03a00ff, 0x270fe70f, 0x9000022c | 1<<9, 50015, 0, 0, 0}},
		{"gfx1103", Image{Kind: Image2DArray, Width: 64, Height: 2, Layers: 7, Format: FormatR32Float}, [8]uint32{0, 0xc1600000, 0x0000400f, 0xd0000204, 6, 0, 0, 0}},
	} {
		got, err := c.image.Descriptor(c.target)
		if err != nil || got != c.want {
			t.Errorf("%s %+v: %#08x, %v, want %#08x", c.target, c.image, got, err, c.want)
		}
	}
	for want, im := range map[string]Image{
		"format 8_8_8_8_SRGB":  {Width: 1, Format: 66},
		"0 by 0 texels":        {Format: FormatR8Uint},
		"20000 by 1":           {Width: 20000, Height: 1, Format: FormatR8Uint},
		"base 0x101":           {Width: 1, Format: FormatR8Uint, Base: 0x101},
		"a 1D image of 2 rows": {Kind: Image1D, Width: 1, Height: 2, Format: FormatR8Uint},
		"3 layers":             {Width: 1, Layers: 3, Format: FormatR8Uint},
		"pitch 300":            {Width: 16, Pitch: 300, Format: FormatR8Uint},
		"pitch 256":            {Width: 300, Pitch: 256, Format: FormatR8Uint},
		"the GPU chooses":      {Kind: Image2DArray, Width: 16, Pitch: 512, Format: FormatR8Uint},
		"kind 9":               {Kind: 9, Width: 16, Format: FormatR8Uint},
	} {
		if _, err := im.Descriptor("gfx1100"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", im, err, want)
		}
	}
	if _, err := (Image{Width: 1, Format: 1}).Descriptor("gfx906"); err == nil {
		t.Error("gfx906 is accepted")
	}
	if _, err := (Sampler{}).Descriptor("gfx906"); err == nil {
		t.Error("gfx906 is accepted")
	}
	for _, s := range []Sampler{{X: 4}, {Y: 5}, {Z: 8}, {Border: 3}} {
		if _, err := s.Descriptor("gfx1100"); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	s := Sampler{X: AddressWrap, Y: AddressMirror, Z: AddressBorder, Linear: true, Unnormalised: true, Truncate: true, Border: BorderWhite}
	for target, want := range map[string][4]uint32{"gfx1100": {0x08008188, 0x00fff000, 0x00500000, 0x80000000}, "gfx1200": {0x08008188, 0x03ffe000, 0x00500000, 0x80000000}} {
		if got, err := s.Descriptor(target); err != nil || got != want {
			t.Errorf("%s: %#08x, %v, want %#08x", target, got, err, want)
		}
	}
}
