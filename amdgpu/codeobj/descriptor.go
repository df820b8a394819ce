package codeobj

import "encoding/binary"

// descriptor is the kernel descriptor, the 64 bytes that a launch refers to.
type descriptor struct {
	lds, scratch, kernarg uint32
	entry                 int64 // of the code, from the descriptor's address
	rsrc1, rsrc2          uint32
	properties            uint16
}

const descriptorSize = 64

// Bits of a descriptor (GFX10 and later).
const (
	rsrc1VGPRs       = 0x3f    // granules of 8 (wave64: 4) less one
	rsrc1WGPMode     = 1 << 29 //
	rsrc2Scratch     = 1 << 0  // a private segment is set up
	propWave32       = 1 << 10
	propDynamicStack = 1 << 11
)

// descriptorOf finds and decodes the descriptor of a kernel.
func (o *Object) descriptorOf(k Kernel) (descriptor, Symbol, bool) {
	s, ok := o.Symbol(k.descriptor)
	if !ok || s.Size != descriptorSize || o.image == nil {
		return descriptor{}, s, false
	}
	b, ok := o.image.memory(s.address, descriptorSize)
	if !ok {
		return descriptor{}, s, false
	}
	le := binary.LittleEndian
	return descriptor{
		lds: le.Uint32(b), scratch: le.Uint32(b[4:]), kernarg: le.Uint32(b[8:]),
		entry: int64(le.Uint64(b[16:])), rsrc1: le.Uint32(b[48:]), rsrc2: le.Uint32(b[52:]),
		properties: le.Uint16(b[56:]),
	}, s, true
}

func (d descriptor) waveSize() int {
	if d.properties&propWave32 != 0 {
		return 32
	}
	return 64
}

// vgprs is how many VGPRs the descriptor asks for.
func (d descriptor) vgprs(wave int) int {
	granule := 8
	if wave == 64 {
		granule = 4
	}
	return (int(d.rsrc1&rsrc1VGPRs) + 1) * granule
}
