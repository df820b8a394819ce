package emu

// Where fields lie in the descriptors of images (T#, 8 dwords) and samplers (S#,
// 4 dwords). Sources: tables "Image Resource Definition" and "Image Sampler
// Definition" of AMD's instruction set manuals (RDNA3: 10.5, 10.6; RDNA4: 10.5,
// 10.6), which agree with what ROCm's runtime (resource_gfx11.h,
// resource_gfx12.h) and Mesa (ac_descriptors.c) write.

// bitField is a run of bits, counted from bit 0 of the first dword.
type bitField struct{ at, size uint }

func (f bitField) get(d []uint32) uint64 {
	v := uint64(0)
	for i := range f.size {
		at := f.at + i
		v |= uint64(d[at>>5]>>(at&31)&1) << i
	}
	return v
}

func (f bitField) set(d []uint32, v uint64) {
	for i := range f.size {
		at := f.at + i
		d[at>>5] = d[at>>5]&^(1<<(at&31)) | uint32(v>>i&1)<<(at&31)
	}
}

// fits says whether a value can be held.
func (f bitField) fits(v int) bool { return v >= 0 && uint64(v)>>f.size == 0 }

// imageFields are those of an image that matter here. Others are ignored: they
// tune caches or are of use to mipmaps only.
type imageFields struct {
	base        bitField // in units of 256 bytes
	maxMip      bitField
	format      bitField
	baseLevel   bitField
	width       bitField // less one, as the next two
	height      bitField
	selects     [4]bitField // 0 and 1 are these numbers, 4 to 7 components R to A
	lastLevel   bitField
	swizzle     bitField
	border      bitField // order of the border colour's components
	kind        bitField
	depth       bitField // of an array: its last layer
	pitch       bitField // of 1D and 2D: less one, if it is more than the width
	baseArray   bitField
	corner      bitField
	compression bitField
	rowUnit     int // bytes: pitches are multiples of it
}

var selectFields = [4]bitField{{96, 3}, {99, 3}, {102, 3}, {105, 3}}

// rowUnit is not in the manuals' tables: AMD's address library aligns rows of
// linear images to 256 bytes on gfx11 and 128 on gfx12, and Mesa asserts the same
// of pitches that an application chooses.
var imageLayouts = map[generation]*imageFields{
	gfx11: {
		base: bitField{0, 40}, maxMip: bitField{48, 4}, format: bitField{52, 8}, width: bitField{62, 14}, height: bitField{78, 14},
		selects: selectFields, baseLevel: bitField{108, 4}, lastLevel: bitField{112, 4}, swizzle: bitField{116, 5}, border: bitField{121, 3},
		kind: bitField{124, 4}, depth: bitField{128, 13}, pitch: bitField{128, 14}, baseArray: bitField{144, 13},
		corner: bitField{183, 1}, compression: bitField{213, 1}, rowUnit: 256,
	},
	gfx12: {
		base: bitField{0, 40}, maxMip: bitField{44, 5}, format: bitField{49, 8}, baseLevel: bitField{57, 5}, width: bitField{62, 16}, height: bitField{78, 16},
		selects: selectFields, lastLevel: bitField{111, 5}, swizzle: bitField{116, 5}, border: bitField{121, 3},
		kind: bitField{124, 4}, depth: bitField{128, 14}, pitch: bitField{128, 16}, baseArray: bitField{144, 13},
		corner: bitField{183, 1}, compression: bitField{213, 1}, rowUnit: 128,
	},
}

// Fields of samplers that both generations have in the same place.
var (
	samplerClamps       = [3]bitField{{0, 3}, {3, 3}, {6, 3}}
	samplerAniso        = bitField{9, 3}
	samplerUnnormalised = bitField{15, 1}
	samplerCoarse       = bitField{19, 1} // mc coord trunc
	samplerDegamma      = bitField{20, 1}
	samplerTruncate     = bitField{27, 1}
	samplerReduction    = bitField{29, 2} // filter mode
	samplerMagnify      = bitField{84, 2}
	samplerMinify       = bitField{86, 2}
	samplerBorderType   = bitField{126, 2}
)

// samplerLOD are the least and greatest level of detail.
var samplerLOD = map[generation][2]bitField{
	gfx11: {{32, 12}, {44, 12}},
	gfx12: {{32, 13}, {45, 13}},
}

// Values of the field "type".
const (
	kind1D      = 8
	kind2D      = 9
	kind1DArray = 12
	kind2DArray = 13
)

var kindNames = map[uint32]string{
	8: "1D", 9: "2D", 10: "3D", 11: "cube", 12: "1D array", 13: "2D array", 14: "2D with several samples", 15: "2D array with several samples",
}

// swizzleNames are the layouts that are not linear, as AMD's address library
// names them.
var swizzleNames = map[generation]map[uint64]string{
	gfx11: {
		1: "256B_S", 2: "256B_D", 3: "256B_R", 4: "4KB_Z", 5: "4KB_S", 6: "4KB_D", 7: "4KB_R", 8: "64KB_Z", 9: "64KB_S", 10: "64KB_D", 11: "64KB_R",
		16: "64KB_Z_T", 17: "64KB_S_T", 18: "64KB_D_T", 19: "64KB_R_T", 20: "4KB_Z_X", 21: "4KB_S_X", 22: "4KB_D_X", 23: "4KB_R_X",
		24: "64KB_Z_X", 25: "64KB_S_X", 26: "64KB_D_X", 27: "64KB_R_X", 28: "256KB_Z_X", 29: "256KB_S_X", 30: "256KB_D_X", 31: "256KB_R_X",
	},
	gfx12: {1: "256B_2D", 2: "4KB_2D", 3: "64KB_2D", 4: "256KB_2D", 5: "4KB_3D", 6: "64KB_3D", 7: "256KB_3D"},
}
