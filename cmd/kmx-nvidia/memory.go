//go:build linux

package main

import (
	"fmt"

	"kmx/emit/emittest"
)

// arrayDescriptor is CUDA_ARRAY3D_DESCRIPTOR.
type arrayDescriptor struct {
	Width, Height, Depth    uint64
	Format, Channels, Flags uint32
	_                       uint32
}

const surfaceStores = 2 // CUDA_ARRAY3D_SURFACE_LDST

// memcpy2D is CUDA_MEMCPY2D.
type memcpy2D struct {
	SrcX, SrcY uint64
	SrcType    uint32
	_          uint32
	SrcHost    *byte
	SrcDevice  uint64
	SrcArray   uint64
	SrcPitch   uint64

	DstX, DstY uint64
	DstType    uint32
	_          uint32
	DstHost    *byte
	DstDevice  uint64
	DstArray   uint64
	DstPitch   uint64

	Width, Height uint64 // bytes, rows
}

const (
	hostMemory  = 1
	arrayMemory = 3
)

// resourceDescriptor is CUDA_RESOURCE_DESC of an array.
type resourceDescriptor struct {
	Type  uint32 // 0: array
	_     uint32
	Array uint64
	_     [15]uint64
	Flags uint64
}

// textureDescriptor is CUDA_TEXTURE_DESC.
type textureDescriptor struct {
	Address                   [3]uint32
	Filter, Flags, Anisotropy uint32
	MipFilter                 uint32
	MipBias, MipMin, MipMax   float32
	Border                    [4]float32
	_                         [12]int32
}

const (
	readAsInteger         = 1
	normalizedCoordinates = 2
)

// buffer is memory of the device.
func (d *driver) buffer(data []byte) (p uint64, err error) {
	if err := d.check("cuMemAlloc", d.MemAlloc(&p, uintptr(len(data)))); err != nil {
		return 0, err
	}
	return p, d.check("cuMemcpyHtoD", d.MemcpyHtoD(p, &data[0], uintptr(len(data))))
}

// read copies device memory back.
func (d *driver) read(p uint64, size int) ([]byte, error) {
	data := make([]byte, size)
	return data, d.check("cuMemcpyDtoH", d.MemcpyDtoH(&data[0], p, uintptr(size)))
}

// picture is an array with the object that a kernel knows it by.
type picture struct {
	emittest.Image
	array, object uint64
	surface       bool
}

func (p picture) bytesPerRow() int { return p.Width * p.Format.Texel() }

// picture makes a texture or a surface that holds data, rows without padding.
func (d *driver) picture(m emittest.Image, surface bool, data []byte) (p picture, err error) {
	p = picture{Image: m, surface: surface}
	a := arrayDescriptor{Width: uint64(m.Width), Height: uint64(m.Height), Format: arrayFormat(m.Format, surface), Channels: uint32(m.Format.Channels)}
	if m.Format.Class == emittest.Packed {
		a.Channels = 4
	}
	if surface {
		a.Flags = surfaceStores
	}
	if err := d.check(fmt.Sprintf("cuArray3DCreate of format %#x", a.Format), d.Array3DCreate(&p.array, &a)); err != nil {
		return p, err
	}
	row := uint64(p.bytesPerRow())
	to := memcpy2D{SrcType: hostMemory, SrcHost: &data[0], SrcPitch: row, DstType: arrayMemory, DstArray: p.array, Width: row, Height: uint64(m.Height)}
	if err := d.check("cuMemcpy2D", d.Memcpy2D(&to)); err != nil {
		return p, err
	}
	r := resourceDescriptor{Array: p.array}
	if surface {
		return p, d.check("cuSurfObjectCreate", d.SurfObjectCreate(&p.object, &r))
	}
	t := textureDescriptor{}
	// CUDA: wrap 0, clamp 1, mirror 2, border 3.
	mode := map[emittest.Address]uint32{emittest.Wrap: 0, emittest.Clamp: 1, emittest.Mirror: 2, emittest.Border: 3}[m.Address]
	t.Address = [3]uint32{mode, mode, mode}
	if m.Linear {
		t.Filter = 1
	}
	if m.Normalized {
		t.Flags |= normalizedCoordinates
	}
	if m.Format.Class == emittest.Unsigned || m.Format.Class == emittest.Signed {
		t.Flags |= readAsInteger
	}
	return p, d.check("cuTexObjectCreate", d.TexObjectCreate(&p.object, &r, &t, nil))
}

// arrayFormat is the CUarray_format of an image. A texture of numbers from 0 or
// -1 to 1 is an array of integers that are not read as such.
func arrayFormat(f emittest.Format, surface bool) uint32 {
	if !surface {
		switch f.Class {
		case emittest.Unorm:
			f.Class = emittest.Unsigned
		case emittest.Snorm:
			f.Class = emittest.Signed
		}
	}
	return f.Word()
}

// texels copies an image back, rows without padding.
func (d *driver) texels(p picture) ([]byte, error) {
	row := p.bytesPerRow()
	data := make([]byte, row*p.Height)
	from := memcpy2D{SrcType: arrayMemory, SrcArray: p.array, DstType: hostMemory, DstHost: &data[0], DstPitch: uint64(row), Width: uint64(row), Height: uint64(p.Height)}
	return data, d.check("cuMemcpy2D", d.Memcpy2D(&from))
}

func (d *driver) free(p picture) {
	if p.surface {
		d.SurfObjectDestroy(p.object)
	} else {
		d.TexObjectDestroy(p.object)
	}
	d.ArrayDestroy(p.array)
}
