package emu

import (
	"encoding/binary"
	"testing"
)

// FuzzImageDescriptor: no descriptor or coordinate makes an image instruction
// panic or touch what is not mapped.
func FuzzImageDescriptor(f *testing.F) {
	for _, gpu := range []string{"gfx1100", "gfx1200"} {
		for _, im := range []Image{{Width: 4, Height: 1, Format: FormatRGBA8Unorm}, {Kind: Image2DArray, Width: 64, Layers: 3, Format: FormatRGBA16Float}} {
			im.Base = testMemory
			d, err := im.Descriptor(gpu)
			if err != nil {
				f.Fatal(err)
			}
			s, err := Sampler{X: AddressMirror, Y: AddressBorder, Linear: true, Border: BorderBlack}.Descriptor(gpu)
			if err != nil {
				f.Fatal(err)
			}
			var words []byte
			for _, w := range append(append(d[:], s[:]...), 0x3f000000, 0x7fc00000, 0xffffffff) {
				words = binary.LittleEndian.AppendUint32(words, w)
			}
			f.Add(words, gpu == "gfx1200")
		}
	}
	f.Fuzz(func(t *testing.T, words []byte, newer bool) {
		target := gfx11
		if newer {
			target = gfx12
		}
		for _, dim := range []string{"2D", "2D_ARRAY"} {
			address := map[string]string{"2D": "v[12:13]", "2D_ARRAY": "v[12:14]"}[dim]
			for _, text := range []string{"image_load v[4:7], " + address + ", s[0:7]", "image_store v[4:7], " + address + ", s[0:7]", "image_sample_lz v[4:7], " + address + ", s[0:7], s[8:11]"} {
				m, err := newState(target, false, text+" dmask:0xf dim:SQ_RSRC_IMG_"+dim)
				if err != nil {
					t.Fatal(err)
				}
				for i := 0; 4*i+4 <= len(words) && i < 15; i++ {
					w := binary.LittleEndian.Uint32(words[4*i:])
					if i < 12 {
						m.s[i] = w
						continue
					}
					fillRegister(&m.v[0][i], w)
				}
				m.execute(10)
			}
		}
	})
}
