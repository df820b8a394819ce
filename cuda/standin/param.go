package standin

import "math"

// Role says what a parameter is.
type Role uint8

// Roles.
const (
	Scalar  Role = iota // four bytes; Param.Value gives them
	Pointer             // device memory
	Texture             // a texture object (u64)
	Surface             // a surface object (u64)
)

func (r Role) String() string { return [...]string{"scalar", "pointer", "texture", "surface"}[r] }

// Extent says what the size of a texture, a surface or an array follows.
type Extent uint8

// Extents.
const (
	Fixed   Extent = iota // Param.Bytes in all
	Input                 // the frame that was rendered
	Output                // the frame that is shown
	Half                  // the output's width halved, rounded up; its height
	Quarter               // the input's width and height halved, rounded up
	Twice                 // the input's width and height doubled
)

// Frame is the size of a problem, in pixels.
type Frame struct{ InWidth, InHeight, OutWidth, OutHeight int }

// Of is a size in pixels; 0, 0 for Fixed.
func (e Extent) Of(f Frame) (width, height int) {
	switch e {
	case Input:
		return f.InWidth, f.InHeight
	case Output:
		return f.OutWidth, f.OutHeight
	case Half:
		return (f.OutWidth + 1) / 2, f.OutHeight
	case Quarter:
		return (f.InWidth + 1) / 2, (f.InHeight + 1) / 2
	}
	if e == Twice {
		return 2 * f.InWidth, 2 * f.InHeight
	}
	return 0, 0
}

// Param is one value of a kernel's parameter block (one struct, by value).
type Param struct {
	Name   string
	Offset int    // bytes in the block
	Type   string // of its load: u64, u32 or f32
	Role   Role

	Extent Extent
	Bytes  int    // of a pointer: for each pixel of the extent, or in all
	Data   string // of a pointer that is read: what its bytes are: f16, f32, e4m3
	Format string // of a texture or surface: r32f, rg16f, rgba16f, rgba32f
	Others []string
	Filter string // of a texture: point, linear
	Store  string // of a surface: the instruction that writes it
	Writes bool   // the memory of a pointer is written

	value func(Frame) uint32
}

// Size is in bytes.
func (p Param) Size() int {
	if p.Type == "u64" {
		return 8
	}
	return 4
}

func (p Param) class() class {
	switch p.Type {
	case "u64":
		return long
	case "f32":
		return float
	}
	return word
}

// Value is what a scalar must be for a frame, as bits.
func (p Param) Value(f Frame) uint32 {
	if p.value == nil {
		return 0
	}
	return p.value(f)
}

// The layouts of the kernels are written with these.

func scalar(offset int, name string, v func(Frame) uint32) Param {
	return Param{Name: name, Offset: offset, Type: "u32", Role: Scalar, value: v}
}

func number(offset int, name string, v func(Frame) float64) Param {
	return Param{Name: name, Offset: offset, Type: "f32", Role: Scalar,
		value: func(f Frame) uint32 { return math.Float32bits(float32(v(f))) }}
}

func constant(offset int, name string, v float64) Param {
	return number(offset, name, func(Frame) float64 { return v })
}

// flags depend on the width of the output, so that frames try all of them: 1,
// there is a history; 2, results are quantised; the sign, a store more.
func flags(offset int) Param {
	return scalar(offset, "flags", func(f Frame) uint32 {
		return [...]uint32{1, 3, 0x80000003, 0x80000000}[f.OutWidth%4]
	})
}

// size is the width and the height of an extent.
func size(offset int, width, height string, e Extent) []Param {
	return []Param{
		scalar(offset, width, func(f Frame) uint32 { w, _ := e.Of(f); return uint32(w) }),
		scalar(offset+4, height, func(f Frame) uint32 { _, h := e.Of(f); return uint32(h) }),
	}
}

func texture(offset int, name, format string, e Extent, filter string) Param {
	return Param{Name: name, Offset: offset, Type: "u64", Role: Texture, Extent: e, Format: format, Filter: filter}
}

func surface(offset int, name, format string, e Extent, store string, others ...string) Param {
	return Param{Name: name, Offset: offset, Type: "u64", Role: Surface, Extent: e, Format: format, Store: store, Others: others}
}

func memory(offset int, name, data string, e Extent, bytes int) Param {
	return Param{Name: name, Offset: offset, Type: "u64", Role: Pointer, Extent: e, Bytes: bytes, Data: data}
}

func written(p Param) Param { p.Writes = true; return p }

func layout(parts ...any) []Param {
	var all []Param
	for _, p := range parts {
		switch p := p.(type) {
		case Param:
			all = append(all, p)
		case []Param:
			all = append(all, p...)
		}
	}
	return all
}
