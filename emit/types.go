package emit

import "fmt"

// class is what kind of number a PTX type is.
type class uint8

const (
	untyped  class = iota // b8 to b64
	unsigned              // u8 to u64
	signed                // s8 to s64
	floating              // f16, f32, f64
	pair                  // f16x2
	boolean               // pred
)

// scalar is a PTX type that registers and instructions may have here.
type scalar struct {
	name  string
	bits  int
	class class
}

var scalars = map[string]scalar{}

func init() {
	for _, bits := range []int{8, 16, 32, 64} {
		for letter, c := range map[string]class{"b": untyped, "u": unsigned, "s": signed} {
			name := fmt.Sprint(letter, bits)
			scalars[name] = scalar{name, bits, c}
		}
	}
	for _, bits := range []int{16, 32, 64} {
		name := fmt.Sprint("f", bits)
		scalars[name] = scalar{name, bits, floating}
	}
	scalars["f16x2"] = scalar{"f16x2", 32, pair}
	scalars["e4m3x2"] = scalar{"e4m3x2", 16, untyped}
	scalars["pred"] = scalar{"pred", 1, boolean}
}

// word is the integer type of LLVM that holds a value of the type.
func (s scalar) word() string { return fmt.Sprint("i", s.bits) }

// number is the type of LLVM that arithmetic uses.
func (s scalar) number() string {
	switch {
	case s.class == pair:
		return "<2 x half>"
	case s.class == floating && s.bits == 16:
		return "half"
	case s.class == floating && s.bits == 32:
		return "float"
	case s.class == floating:
		return "double"
	}
	return s.word()
}

// suffix is the name of the number type in names of LLVM's intrinsics.
func (s scalar) suffix() string {
	if s.class == pair {
		return "v2f16"
	}
	if s.class == floating {
		return fmt.Sprint("f", s.bits)
	}
	return s.word()
}

func (s scalar) float() bool   { return s.class == floating || s.class == pair }
func (s scalar) integer() bool { return s.class == unsigned || s.class == signed }
func (s scalar) half() bool    { return s.class == pair || s.class == floating && s.bits == 16 }

// value is a value of LLVM: a name or a constant, with its type.
type value struct{ typ, text string }

func (v value) String() string { return v.typ + " " + v.text }

func number(typ string, n int64) value { return value{typ, fmt.Sprint(n)} }

var (
	yes  = value{"i1", "true"}
	no   = value{"i1", "false"}
	none = value{}
)

// space is a state space of PTX and the address space of AMDGPU for it.
type space struct {
	name   string
	number int
	bits   int // of a pointer
}

var spaces = map[string]space{
	"generic": {"generic", 0, 64},
	"global":  {"global", 1, 64},
	"shared":  {"shared", 3, 32},
	"const":   {"const", 4, 64},
	"local":   {"local", 5, 32},
}

// pointer is the type of a pointer into the space.
func (s space) pointer() string {
	if s.number == 0 {
		return "ptr"
	}
	return fmt.Sprintf("ptr addrspace(%d)", s.number)
}

// elementType is the type of a variable or parameter, ok false where the
// emitter has none for it.
func elementType(name string) (scalar, bool) {
	s, ok := scalars[name]
	return s, ok && s.class != boolean && name != "e4m3x2"
}
