package ptx

// Operand is *Register, *Immediate, *Symbol, *Address, *Vector, *Pair,
// *Negated, *Element, *Sink or, in initialisers, *Property.
type Operand interface{ Range() Span }

// Register is the name of a register, or of a special register such as
// %tid.x. A part that is picked from a vector register or by a video
// instruction (%v.x, %r1.b0) is in Name as written.
type Register struct {
	Span
	Name string
}

// Kind is the type of an immediate as it is written.
type Kind uint8

// The kinds of immediates.
const (
	Int Kind = iota // decimal, hexadecimal, octal, binary, or a constant expression of such
	F32             // 0f and 8 hexadecimal digits
	F64             // 0d and 16 hexadecimal digits, or decimal with a point or an exponent
)

// Immediate is a constant. Bits is its value: integers in two's complement of
// 64 bits, F32 in the lower 32 bits. WARP_SZ is the integer 32.
type Immediate struct {
	Span
	Text     string // as written, sign included
	Kind     Kind
	Unsigned bool // of type .u64: U, or too large for .s64
	Bits     uint64
}

// Symbol is the name of anything but a register: a variable, a parameter, a
// function, a label; with what is added to its address.
type Symbol struct {
	Span
	Name   string
	Offset int64
	// Generic is set for generic(name), Mask for 0xFF00(name); both occur in
	// initialisers only.
	Generic bool
	Mask    uint64
}

// Address is [ ... ].
type Address struct {
	Span
	Base   Operand // *Register, *Symbol, *Element; nil: Offset is the address
	Offset int64
	// More is what follows the base after commas: a sampler, coordinates.
	More []Operand
}

// Coordinates is the last of More where it is a vector, as in [tex, {x, y}];
// nil otherwise.
func (a *Address) Coordinates() *Vector {
	if len(a.More) == 0 {
		return nil
	}
	v, _ := a.More[len(a.More)-1].(*Vector)
	return v
}

// Vector is {a, b, c, d}.
type Vector struct {
	Span
	Elems []Operand
}

// Pair is two destinations, as d|p.
type Pair struct {
	Span
	First, Second Operand
}

// Negated is !p, or -r in video instructions.
type Negated struct {
	Span
	Sign    byte // '!' or '-'
	Operand Operand
}

// Element is a[i], an element of an array.
type Element struct {
	Span
	Base  Operand // *Symbol or *Register
	Index Operand // *Immediate or *Register
}

// Sink is _: nothing is written there.
type Sink struct{ Span }

// Property is name = value in the initialiser of a sampler or texture.
type Property struct {
	Span
	Name  string
	Value Operand
}
